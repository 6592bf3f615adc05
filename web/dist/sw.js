self.build = {"version":"yLqNSdrV/QkCflQs","files":{"/offline.html":"sha256-3ygiFcOPvu572ypQotn/gmFaYQuQ01IcqldvP/meQa8=","/assets/Account-BOXAFijY.js":"sha256-G2muLPI9sMw7eUHJuxktqYbHervuBHr1lyVdyANaRP0=","/assets/Achievements-BfOoIE4o.js":"sha256-aAefptVhxcaQRi2qs3qoR8NgQsHivmhns/ENgxOo5EM=","/assets/Address-ovGbhF6I.js":"sha256-VHyzadOy/PQRCZxmMQHqSDNFfPK+X2PtX0BGfq1YH3k=","/assets/Alarm-CszGWGqo.js":"sha256-jk+XQNuhdOWT++2RvcV4LiOXRzB4uujXfZEqhgEduxs=","/assets/Alive-BSz2JwtI.js":"sha256-hHak0wiEqMN5gwUDzmyFCbBXYgpINVUuL97GoFxG2r0=","/assets/Arena-8x8tlfbo.js":"sha256-DqkKoilkRCRleue2bhcA5j9IpPeN0f88oQ+ODt6J/zM=","/assets/Block-DaWuOG8d.js":"sha256-PtivR4ilsEFNVixI6aVMcpfTmC+Sog0BOc7/BAU0nMg=","/assets/Bot-C5ehe5wB.js":"sha256-ySSMaqHsDCT5viICRzWjxP2cAmBKlorIXdyxf6DevcU=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-bDM49LN7.js":"sha256-M+BCoc4quOaQA701DAnhewV2DYbgW7PRyG61ed3e8PM=","/assets/Chain-C8Y6yZzP.js":"sha256-Y+LzpLuAmsdKfY1vlaNdGwJ/OKlDcImEnIOLr+3KDN4=","/assets/Company-CDv8CVgX.js":"sha256-DBiShRYU3TiJBWG5X8Z0RrmHf9BwaAFgCD1jc7g5cLQ=","/assets/Cup-DQLPRhjG.js":"sha256-gTnmBKf3UzlJZFTutXlLkymuOCFwdPdhbVTp3Tb+9hM=","/assets/Cups-BTxB52RF.js":"sha256-QSvW3EI0OdjkyQr+GJppRIaMLR9qkdj3CDnf6NHVbFo=","/assets/Daily-uja4ECL_.js":"sha256-PvycHJ4os9uRzno6F7OnakoIwAGbpdK6ryLEjcYO+Es=","/assets/Developers-ngrOoRx-.js":"sha256-rVOs1ku1iugEnCjfJtRw1hJj/0b4GGJ3P7K253FAsUY=","/assets/Duel-CmsvsxEY.js":"sha256-vOfu2q64hzurpufCOD29r+24aGynh9BVjlwDRtUwruI=","/assets/Duels-CbcXr8x6.js":"sha256-wftyt/P4S5YoPMdxrYGML2woaarQGn2Rvby+RFXqI7c=","/assets/Feed-BzrAv6Nu.js":"sha256-wF4ChyBQlhRegi5uBdzyoDm7QVQJZriztrTjDZRwn1I=","/assets/Help-SXraQcOY.js":"sha256-fYRn8FUIvUU/bO2ZO0KyySYyMgNLhYJ2RxGyydncduo=","/assets/Leaderboard-beTw2nrX.js":"sha256-f8a5CJD0+VI4BAmGVOC6y66J6Tp4RgCCoprcrmPJPpA=","/assets/Link-DnAqdGKP.js":"sha256-D9rOcCAw1hVsAWXNfwl9qdo/+pWyaC7wEw1G+gGjafA=","/assets/Market-BPYMOLdL.js":"sha256-ODcBl+xLHgPkcdvKia/PzBMrlca8olZN9Cv648N2Q88=","/assets/NotFound-Det1UL-U.js":"sha256-FbMB5hAv/mqEzh83peQazUeA7yBeqoBNH2rzvCl+/mk=","/assets/Player-CFhwZBym.js":"sha256-Hyb57ssP1v3/nMqiLQSUK7v324RQ+Ee7pBFvol2om7M=","/assets/Portfolio-CtxjW7Fj.js":"sha256-Blp+fnYpqfN/9hbf5+r86H1Fh98Ts/ugIycdRGZTShs=","/assets/Privacy-BkPR8L_J.js":"sha256-OP6rR8HDF/TokhTA885l6BdnP+0BZXjcTwp0HRAZbjw=","/assets/Receipt-Ru4igF20.js":"sha256-WhWOjqWgepqKtKBJCYbVrIFPFTQHGpBEU/S8Luu4WwI=","/assets/Record-BZ2rDwRj.js":"sha256-wDNfPDk6X28LAoRQ23dQv2QxtfX6AlwSk6kJfobNCao=","/assets/Reference-B-QMvIHs.js":"sha256-RoWCjbNOsVx2kiJjMVgx7sRUy88NIG67VYHoZ4beXyo=","/assets/Rules-CcFWCKxO.js":"sha256-kH2X+Oh8qzzdanGrhHspRfCUmJH/ymDNogXs6SkfL2U=","/assets/Season-CvA_JCpI.js":"sha256-9aKLsYLOUYhIUvO6cW8Foqsf5b1DX8eWNlTN/NjsHrY=","/assets/Stats-DNqijZ0R.js":"sha256-a7T1sRXkTLmQOGYTp7Qxc/gbWaiYnJ12C96MlouI5hQ=","/assets/TV-BZDc3g74.js":"sha256-qhZOZHCkS1u7fMfS7VlNyR40tY8TF5axbc4Rpwu5gU0=","/assets/Team-D9k9Y6fr.js":"sha256-knkQtDNJs8sLDAkGVyB8nPbl1RTv35YuU2H60FS3beU=","/assets/Terms-CK6IblIq.js":"sha256-p8etta2c12BYo6BbyAOo3U/hp2pPRaZqTzox15L221I=","/assets/Token-B2oM8eRY.js":"sha256-BolZjAofwN5Y6qY+2IQvdeth2xtKHbPTD/XioZHZQvI=","/assets/Transaction-BDv-S1OU.js":"sha256-Kx90N8Pme2VyVPlaYquOxEXe+f1Rht33s9aGiaosja4=","/assets/Verify-BcETBt0z.js":"sha256-rnDzWNtAHb4FP7I4XrnpCIjeS3FwEyVkcNjIN2/gvyo=","/assets/WhoPlays-gJJOgJ6z.js":"sha256-Cenxzx9aiduFCLK/NDjrEaAgJtkAKVc6yF3lMYGWVnA=","/assets/arrival-B9ufPp6U.js":"sha256-uUXJB7rjPWWkslQLkR6PMg6RBFGgtkCz/F71nWF9XX8=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-DCFp-z2f.js":"sha256-zw7QwL1W2zbbp07zbrn8MGqSh0iTQzE8cuzRlnnToVk=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BaGa5LF9.js":"sha256-7/fE9xVj2So70iCgQgiBx53BBJHRKdYZOwfCy8NGhdg=","/assets/es-DxCHJySl.js":"sha256-D6L3lC4k+xGaS5/GFW9A2RXWxVYZoJtDMWmt9D0Qhsg=","/assets/first-CH5abaGG.js":"sha256-N+DlQGo9QITaWdd0DPtMrbtKzmS5j3r4IMHnovT57H4=","/assets/fr-yYaQPa6k.js":"sha256-FwWQtIiosG03cxeFRQRVTFXgVH6agdj6P6y7SBQJodI=","/assets/ja-cpJVnZWT.js":"sha256-S+FpOiwRjx4Ibp0/uYGr5KA7LxMRRQCl0T7xupeF8j0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-Dml7287X.js":"sha256-u6zBjkGEs8Hun3W9Cef4rgvlP+JRiVVqk28/GgAK/+I=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-BvYe1F3E.js":"sha256-udu80ewNIMJrorYj0KLSQFRdFQ5zsYl/JdJggzxEaag=","/assets/reasons.fr-BeOsMFdn.js":"sha256-ngN55s96icxATmL4QaN9IrfD0bCmS+8HMmDr6KP0gn8=","/assets/reasons.ja-Co0G-EFv.js":"sha256-Q3C4+8VUvfBAC4TpmbmLFJEmbuoEa7X9799o/aNHSBQ=","/assets/shared-DWnE5HbY.js":"sha256-vgZIJxnQu3vx38bY+GErh89xkfYF1zsAgYa5gRlWSwM=","/assets/sound-hDuauFm9.js":"sha256-BwZPaQheq37y4m/Lo9G0kKPDKPon5QFRUaHG05bh7o0=","/assets/style-ClS66KPo.css":"sha256-8gOVia/EO32ibcko3R7mlwtS6Mf0WPGxj4YIxlvN3H8=","/assets/worker-Bs1xbQ9N.js":"sha256-1khVR+1dtBjF1bd+2vkn4DaXfk3sEegl9SsuTzBiDIg="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - Answers of the API, the log and pictures are never kept: an old balance or an old block would be a lie.

const { version, files } = self.build;
const kept = `roshambo ${version}`;
/** Paths that are not documents of the page. */
const others = ['/api', '/log', '/og'];

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(kept)
      .then((cache) =>
        cache.addAll(
          Object.entries(files).map(
            ([path, integrity]) =>
              new Request(path, { integrity, cache: path.startsWith('/assets/') ? 'default' : 'reload' }),
          ),
        ),
      ),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      const names = await caches.keys();
      await Promise.all(
        names
          .filter((name) => name.startsWith('roshambo ') && name !== kept)
          .map((name) => caches.delete(name)),
      );
      await self.clients.claim();
    })(),
  );
});

self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== self.location.origin) return;
  if (mode === 'navigate') {
    if (!others.some((path) => pathname === path || pathname.startsWith(`${path}/`)))
      event.respondWith(openDocument(event.request));
  } else if (pathname.startsWith('/assets/') && pathname in files) {
    event.respondWith(asset(event.request));
  }
});

/** A click on a notification (turns.svelte.ts), whose data is the path of the page to show. */
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(
    (async () => {
      const [tab] = await self.clients.matchAll({ type: 'window' });
      if (!tab) return self.clients.openWindow(event.notification.data);
      await tab.focus();
      return tab.navigate(event.notification.data);
    })(),
  );
});

/** A proxy answers 502 to 504 while the service is down. */
async function openDocument(request) {
  try {
    const response = await fetch(request);
    if (response.status < 502 || response.status > 504) return response;
    return (await caches.match('/offline.html', { cacheName: kept })) ?? response;
  } catch (error) {
    const page = await caches.match('/offline.html', { cacheName: kept });
    if (page) return page;
    throw error;
  }
}

/** A file with a digest in its name never changes. The browser may have evicted it. */
async function asset(request) {
  return (await caches.match(request.url, { cacheName: kept })) ?? fetch(request);
}
