self.build = {"version":"VNnL0ctiCfRhqOCY","files":{"/offline.html":"sha256-0cTu22qGZSbQJ//BUnMXIqMsyVfp1T0vDDUq/2GI/nw=","/assets/Account-pyutDMOt.js":"sha256-Zq7tEEXce23mXiAY4r88eKyw9MW8/nGzRdIvir2GD/s=","/assets/Achievements-BGEC0-w2.js":"sha256-/iqeueFilLNOdIw0mRBkbfV3LeGxhmix5ZEbKQIBCG8=","/assets/Address-DAouhH8R.js":"sha256-Rr/Zm9s10rT1raGyi8N3MFeibdDMkC5DTQm1igwfBYk=","/assets/Alarm-BfHVlq2W.js":"sha256-nkWjMNA85qBV+WmqbAWAY04YKdR1UOYvO7tIUwj/DMQ=","/assets/Alive-BJ4-RSLh.js":"sha256-ctU2+fbi0GCudn1r00Xkaiay2K4H+i4eTpgEu0SL/Nw=","/assets/Arena-kHOZFY_U.js":"sha256-Lfh6psq2pJMUOsARveJ96W+vc4AvTCjmKKO8t2dap+s=","/assets/Block-8pVY-012.js":"sha256-/1utoU84hDLWgiDP//sIAUgJSqenqTOkD3JvmfkILbA=","/assets/Bot-BGuJjPlH.js":"sha256-QhjdUbh5Ft1o160rV2S7CbOKHeqdziwZXBqV0zOiASo=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-BB0H8He3.js":"sha256-WXm7wrQRSxAMotlLQ0DtxZ1owekXGVYITyFOgz2qDQY=","/assets/Chain-p4LqiOIl.js":"sha256-X2ieqnhFBApBuES6mIZHLR4O1RI9noiNONdxCdbdvTs=","/assets/Company-BR4AH4eU.js":"sha256-vlvK3larEfg+J2kq7NwTZW1k3fexsltGNIx5ftkYW0I=","/assets/Cup-BtTqyVvs.js":"sha256-ezJ8M/KuB9nJBllDR/B66yZtjab8ltKX4C2Q1hHtCfs=","/assets/Cups-DjIQZjw_.js":"sha256-gPVlsJGZXXJCzlPylcZ2boI6hOkWOSEAtR73v8QTAdU=","/assets/Daily-Bp1vhrRf.js":"sha256-CqWtnZfchrCAH+7AN10h68scZtHZG7pZYKqscC1VB6Y=","/assets/Developers-Din5kFwG.js":"sha256-ad29SvsHc29Atwe1gFH0cd7qbbDbGE9wvr1v19986JM=","/assets/Duel-7bfYY_N0.js":"sha256-cjywtSrt12KpZ6PjDH6s3GfGxqYmI6iubU5388XTcik=","/assets/Duels-BHWuYbDj.js":"sha256-hAC2uHkSuZB/AQbxS8mBxj2ndzzmrWsQPxTO1pHyFYY=","/assets/Feed-CSx9xIBM.js":"sha256-7XeAP5HaqRmddyAiUjYKeul7wwzBzoiwLILwFSBCTyc=","/assets/Help-NGy6e6ZD.js":"sha256-gGr5K4kEdQjrYoME2ng2sa4TYMJE4BaTTHh8lbXkHaE=","/assets/Leaderboard-30OcCiyc.js":"sha256-VFhwKPoK26G8c4M0CEmsm1STpQhQvs56qeoQBRShyZ0=","/assets/Link-DaaBD4A0.js":"sha256-hA1XJnIC6FeCV+plqPpT7kJokykAQJCxrFNmIwB3HgI=","/assets/Market-e_Qr6RDQ.js":"sha256-PApp/VS4k0vuV5bHe/ss0MJX+ZeObT8XxXn9c7/Sh5I=","/assets/NotFound-jIVCe92H.js":"sha256-cHLFGRjOuWca0Inc9odOzvnzEEmYqWQutvkYoQXjDkw=","/assets/Player-C1Lxi7u7.js":"sha256-kudUOUgD1C22Aldnf/fCPhJULPj/Z80uCrWwqj/RbH0=","/assets/Portfolio-B8xDL-QB.js":"sha256-Zs/sb6x7ByH6SuhMOvyPDzKWD8aeZ20Qu2/5Q6vIxlA=","/assets/Privacy-GUNoEFpE.js":"sha256-UBTPbR6FE3OyfTa/Ifm/M53LrdzGGTOiZnQ8MzYYaMU=","/assets/Receipt-C2zO8DFo.js":"sha256-rfaEVDSJGndS0Gd3bNKIy6Yorzo3qpFnag8b4XK6zIE=","/assets/Record-1FnOntpj.js":"sha256-fouwmHj8mQA81RMXmr6XNU3gJ1lvEa6FPOtBvX4jkVY=","/assets/Reference-BwZGDH2L.js":"sha256-e6Tp3S9AwCCvMX35FQD+8XhwI/N1Ev9hU22KIiWKcOs=","/assets/Rules-BzA-H1mK.js":"sha256-pG8TPwZsUsSgSn2yzyumXAs4S38vjY+RYoOWYUbk/V4=","/assets/Season-DlUUCRZO.js":"sha256-/lzksfcqEkcKCSwIDFTzr494HecLSrKOTV6aP402pr0=","/assets/Stats-Bn9U6W6J.js":"sha256-zjifqvVpJjuYnI7zjQVwyw68LO1GgK5fZw1IswO/u8U=","/assets/TV-P5gVkJsL.js":"sha256-bQjdkcYvFE0FnIsZJZAegD5aSzToWoupR2MmO/CfT0E=","/assets/Team-DiPyNx4t.js":"sha256-+kOQJB2Lq1Ba24oJyWa3eBw0+HqF+8lnYyLaPKWTx6A=","/assets/Terms-BT36LG2X.js":"sha256-XmgjVd/nNnBu5o2VGnXMmg76JSK96rQAxPHd2GxIPEE=","/assets/Token-lqs9TVfc.js":"sha256-fx7REQqy20dbpzLgeDi/0SRixuOr/jN4lMropx+qI7Y=","/assets/Transaction-CxX7nwDM.js":"sha256-4WzbQyjDL3BQZIqjmYTcKLcppp3VJ5TWOcktgRwWwL8=","/assets/Verify-Dj0ILqXg.js":"sha256-FEvvxMQaOdR6Q4iFUloDeRMJEOCz2DfZmgYsLKOtolk=","/assets/WhoPlays-CFIc5dJb.js":"sha256-CDGOmftIPQAEeml+5FkSTTnpnf7lSKYt09In4eqEYHg=","/assets/arrival-DVVFCCZB.js":"sha256-tI5S7issmTVaVy5HrqXpaiKhppURjx95mcTT7J+bE18=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-DXVAdkJw.js":"sha256-8q3EN+xC0Giv+UflKLpG0ZAByGT7lIluR1sSUJFvBPk=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BaGa5LF9.js":"sha256-7/fE9xVj2So70iCgQgiBx53BBJHRKdYZOwfCy8NGhdg=","/assets/es-DxCHJySl.js":"sha256-D6L3lC4k+xGaS5/GFW9A2RXWxVYZoJtDMWmt9D0Qhsg=","/assets/first-BjDZpCdC.js":"sha256-eRRdRqZm5OpbCrLCP05c0j539KmuEKuE/c21c1BLJzA=","/assets/fr-yYaQPa6k.js":"sha256-FwWQtIiosG03cxeFRQRVTFXgVH6agdj6P6y7SBQJodI=","/assets/ja-cpJVnZWT.js":"sha256-S+FpOiwRjx4Ibp0/uYGr5KA7LxMRRQCl0T7xupeF8j0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-DEoK4Fwo.js":"sha256-FP62JAISYDqT/JY81XBelcoKaAQ+pVVGBFjDG1CJjkk=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-DS2rFsvw.js":"sha256-FgAPXZPu6c6OjGwosemkX6P3uemVxcPoN4ySWQVL6Sk=","/assets/reasons.fr-evBjpGZ_.js":"sha256-1Y8Vf2vO/xk943jMMQe1egFdvMWbKazbB/zH/OsNnDE=","/assets/reasons.ja-sv_mqgSO.js":"sha256-zL2nvsimgL3oEY8AcyeQR00aMc6ecWvKoXC5ph4ETMk=","/assets/shared-BI_bf0HP.js":"sha256-Osq8JlodkAy+De1nM+5uj+u9ZkPcbIsHZeGC2JUDFqI=","/assets/sound-RbiXINZP.js":"sha256-ETjVNTUXjOoIoF5jDeGljxudk9JZyPa1OtuHvhPhszQ=","/assets/style-ClS66KPo.css":"sha256-8gOVia/EO32ibcko3R7mlwtS6Mf0WPGxj4YIxlvN3H8=","/assets/worker-Bs1xbQ9N.js":"sha256-1khVR+1dtBjF1bd+2vkn4DaXfk3sEegl9SsuTzBiDIg="}};
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
