self.build = {"version":"KZ6cflo2nAMrn2W7","files":{"/offline.html":"sha256-sEkSgmvYE0IdCSg/B0fFLaRiAkH47DSP1srgkqtdjnk=","/assets/Account-Bx6wlkJP.js":"sha256-4ijtRzE4Z5tDTFplCUWziw2YiK26k4xkiefXZWU/mGA=","/assets/Achievements-CU8vNY8e.js":"sha256-LOPEY2Wdr/SN3UO2TNmFGHgEOQBKSPu30t0NVlrG1iU=","/assets/Address-a3hcHBhq.js":"sha256-zKwFa4SXVXa3ghjI37JpxCWSDRzZL+9CjgJ3E/0EiQI=","/assets/Alarm-VMOSSDD4.js":"sha256-nQAkTdNdwi1vtFt+V5UFH5cLhmt9MgX0IwAyVXY4qIQ=","/assets/Alive-B5pFy4Yb.js":"sha256-8Ay+299C1m8/7y7ardyKR4NWBgQ9kh+0ha8WSJXuUBk=","/assets/Arena-C9rf4AXv.js":"sha256-blN43wtz884H+yfVAfrvrumLhg7FA4kzqXLkJxt/yjU=","/assets/Block-ByTbqhmk.js":"sha256-6amI/Vv4xtRb++4FfjET16B1wUxRx+aVrWeX6HV60Tg=","/assets/Bot-1mD2Hr0_.js":"sha256-P+QJTskrJ8G7iHqHKh+2/mcOwLSBIENTaEPeWEWIjUc=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-B2vgFEO4.js":"sha256-Hw9JnRi9Gt0mUDbyDnfoIMdKKJGoeXAEkQg2haHaNzc=","/assets/Chain-BAD9A5Zi.js":"sha256-vRoAKovonVkVzh8bMwdCy16lIix+EaYa9YjmjDu1fuM=","/assets/Company-CjrWFIxe.js":"sha256-4Na8LGrd/V1bOBJ2T8cqE0VrGZR69ZAWNdxwvPSh72c=","/assets/Cup-IxkDyuro.js":"sha256-hFdj7e+ydJmWOAVa9QAablOTLMU4iAGLEU9M/QvL4Gg=","/assets/Cups-B_XHJMjh.js":"sha256-YXoUR8W6zmYDIHV0Tt6h8h+SpwMKj+KFGjBcR4l5GJg=","/assets/Daily-Oc-mq3Cr.js":"sha256-f7la8F3+3n8fDq0uR5eGtHVNbt/pZUvx7kjL58lSYyU=","/assets/Developers-CVUoHeWv.js":"sha256-U3A+tybMojZqruaYGnOG5WJ/DQh21qOC+cYgk8Lw7FE=","/assets/Duel-DTE9U0mG.js":"sha256-f6SgWf7OkUTbcYhkuTJ4gza//cwIOZU8JKdDxkOgL20=","/assets/Duels-VjzuELty.js":"sha256-tRorwnfDKXuUqbzdssi/WS6UFNnGP9DaT5SNfbRbHFc=","/assets/Feed-B9Lq8idh.js":"sha256-UNOsk/l/mvNAyT73WwqZ9YgxXHfbDRrRr4cUF80xJMc=","/assets/Help-qIYbYV2f.js":"sha256-UYg5chyVAeEuGMvlg70pUnmvEQFfMDtjwI2cneW5cH8=","/assets/Leaderboard-yZNo7wKx.js":"sha256-CJQusiwx2otHwz3Dx/jiIExteCxri+5Nj61zD0jz3R4=","/assets/Link-MP-m5hxx.js":"sha256-P1X7/m3yGB6FnNDdsc820u0aui1n/xuXlOVymQHIHgs=","/assets/Market-C7DdtTjS.js":"sha256-HF5BkLuQp1+LO4PXaaCCNcXuKzqBdH3zcKV3gS9Jm/Y=","/assets/NotFound-tzq9nlvz.js":"sha256-+W9a9puu2YHg5+DnFR2AoaLIcu1JGLSfXlWD8D8DdgM=","/assets/Player-BFNsu73n.js":"sha256-ukXXwiFi3yT+HlKo+pRfp3Ai79aZJjuJ9QaKYwAO5Ug=","/assets/Portfolio-5-mLR8bI.js":"sha256-3QBYX7UlBsPYCloTnFWIcDxGTLKJszSGNJElap2laZA=","/assets/Privacy-CJ7ELd9F.js":"sha256-27kdTHrZ7i0wRRC3HqTxFHVHQBp9I2MSETuKH7TIpzc=","/assets/Receipt-CJQF4YPo.js":"sha256-8QfohVcuAWDUOI6ZMAoKXdUjAMnesdjT3nrDbUGpvb4=","/assets/Record-56lhrhS4.js":"sha256-1SB5IC8JPfxEGKuWdXZLsR3qjXEPVptklR1Efb9RfvE=","/assets/Reference-CmafTTuM.js":"sha256-I8GG3KCDcetXWsJvoQ+7BebGghLK22POGmiFX5D+ciQ=","/assets/Rules-CDh6zKqo.js":"sha256-SnPEoL3NvMplYat715OvMkj3W6SAP73+I0rea4sDGSM=","/assets/Season-Blcj8aCW.js":"sha256-9jMh4YvMKSw/kln+jGh1+p88elPa1qO5lMSfk7xla8w=","/assets/Stats-RJnLIGFN.js":"sha256-5tjNxPwp2ID+fbAWih8SiBxuQJpNjpEdUZLlPQyrOgs=","/assets/TV-DAD2IUop.js":"sha256-sbNtpb5CJqatzJINbMEuYvo8YCkd/4ZC9TDKb34VAlQ=","/assets/Team-00IPOBpf.js":"sha256-h2aKUvJVM5nJBpGrjCrd4FOuu0tTYVk9CyPmMtzNe2c=","/assets/Terms-DQgH_zpQ.js":"sha256-3AW0GT+EwVzyt5e1ZyP6umbhnnjrMyS4vUA3HTI6Db4=","/assets/Token-C_JcBXsN.js":"sha256-hfd2HJgUD8gw3Hc36qkTuWb9Gh0eyIQn3csUS7zNsSg=","/assets/Transaction-BmhKUKzD.js":"sha256-cBDCIdioH3zUCa+q/CyyiwwHCQtpZOEJhF889k3/9zo=","/assets/Verify-E0PXi9GB.js":"sha256-elSna6Inu2GGhuw/m8Kjw96gHmVm4YW6ibfawTfTau0=","/assets/WhoPlays-Ckt-2bLB.js":"sha256-cCtlV30bB7C90DYwbIYbKnKA+lcpv4zPSdglaNL6QzM=","/assets/arrival-BQshk4kY.js":"sha256-ZVCVnB/B3DxbLF8nvHRyDxglgiOY+oQFNFCYkHd2Nkk=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-DkfjIrbC.js":"sha256-c3bKZKQurShthnykjdQxTdL5QmPn7bu6qjsW+br2Lwg=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BaGa5LF9.js":"sha256-7/fE9xVj2So70iCgQgiBx53BBJHRKdYZOwfCy8NGhdg=","/assets/es-DxCHJySl.js":"sha256-D6L3lC4k+xGaS5/GFW9A2RXWxVYZoJtDMWmt9D0Qhsg=","/assets/first-Bd54X8mG.js":"sha256-V+pT6u90FUqVck70aoL3+IBJXlou5VKyc5zVxdgDQgY=","/assets/fr-yYaQPa6k.js":"sha256-FwWQtIiosG03cxeFRQRVTFXgVH6agdj6P6y7SBQJodI=","/assets/ja-cpJVnZWT.js":"sha256-S+FpOiwRjx4Ibp0/uYGr5KA7LxMRRQCl0T7xupeF8j0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-Dml7287X.js":"sha256-u6zBjkGEs8Hun3W9Cef4rgvlP+JRiVVqk28/GgAK/+I=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-BvYe1F3E.js":"sha256-udu80ewNIMJrorYj0KLSQFRdFQ5zsYl/JdJggzxEaag=","/assets/reasons.fr-BeOsMFdn.js":"sha256-ngN55s96icxATmL4QaN9IrfD0bCmS+8HMmDr6KP0gn8=","/assets/reasons.ja-Co0G-EFv.js":"sha256-Q3C4+8VUvfBAC4TpmbmLFJEmbuoEa7X9799o/aNHSBQ=","/assets/shared-Cz4Bcz6s.js":"sha256-HqRrHFfqHr/B1sa6ZlcZpuOywznddOaGu+cJ/y0O2ds=","/assets/sound-Dfvd32nF.js":"sha256-EZeEw4J+AIXIsE/DKHf+UeVJH8ptEB6azi2eJfZLmq8=","/assets/style-ClS66KPo.css":"sha256-8gOVia/EO32ibcko3R7mlwtS6Mf0WPGxj4YIxlvN3H8=","/assets/worker-CC4oJU1j.js":"sha256-hi4yO2V+T2WGW1Kyu+cVY/94RMgwvfhCvIdU5mVEyEc="}};
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
