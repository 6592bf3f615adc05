self.build = {"version":"BON6lRbWUvkRzdxo","files":{"/offline.html":"sha256-DX4ZNI3bc9zx94ucxYB0mXX5VE6p6EiYJ2t5bbWRbYE=","/assets/Account-fuzD17zs.js":"sha256-4fZ+5U6dyJO9M8BYXqN1rgLVjAuI4ndsDGJ5N7FaBKY=","/assets/Achievements-DPxPcn1b.js":"sha256-9jeiXDyE99ZrgxQA43HRWBoCq2Bhtm1UxCo0foQdJxs=","/assets/Address-8HRtF2Sk.js":"sha256-6gnvylj9Usk8s/SuP50v5EhQqWf/C5FHOt0yrGEM3eY=","/assets/Alarm-CtcU1tAG.js":"sha256-t2INQn31ynFd3SOGH+nYLKGH+np1iYDnUsKzCy61A7E=","/assets/Alive-BwpgSiXI.js":"sha256-wQUaAunQ41XUaUx6yO9yOg7ka/9oAsHDRwRMSajZwkI=","/assets/Arena-B6gRFWo8.js":"sha256-B5xvvsK9Fwl+FSyM4032uus6RevWZtjd2TZl2TmH6nE=","/assets/Block-XLU9VUz8.js":"sha256-/oWvRHpL+d/fwq/sUYfdOp5e/ZEHBYybip1qbbmDAIk=","/assets/Bot-8clWosts.js":"sha256-pxTKjTfWLSThZ7UVHVnKusG0CYD48vkizW7DJlZGWAQ=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-DcaMo3M0.js":"sha256-fLlBv73mXM4Nf3inuH7RHtnJYVIwvoJz+MDnnzXRf64=","/assets/Celebration-BCYxRK28.js":"sha256-CCVb++Io7wLPwsxPUAFWewbqxO7h/yGHZMYAnjmamYA=","/assets/Chain-BMG0IArk.js":"sha256-CY+IZELqMRDFVZKWDHU19IcrRkZ3u02bn449aZ/obNU=","/assets/Company-BlgFtW0L.js":"sha256-AHNmR2t5Bz2DphxttkohHNdYFj5X5gdfocWIAza1344=","/assets/Cup-BSN0EXMr.js":"sha256-SjrJSqAWcfwos9LXLfEALFuPiAeoiiSXnPTc+oifX9s=","/assets/Cups-vHBoTGBO.js":"sha256-jOtZYOYGhHLkGEVNrwEvqNWTtyp2QXcb9ltJhCdj1Cc=","/assets/Daily-CwT3gECT.js":"sha256-gKSdQB2d72UpNWE6BNr7MvR/uHq/c/huD0pri95Tokg=","/assets/Developers-BIN1v6aj.js":"sha256-KoJfnEh2zy2rxn81YZMQnXIxPv68oTbPWr2IJByy6Vc=","/assets/Duel-Bq6V2haM.js":"sha256-7OOsOiRFJoLcIPRlgtP8ElzCcjHUgFpiLl3b+vVh4lk=","/assets/Duels-Ce86BQa4.js":"sha256-LvNS59rRp1QXKc6+6wrGqWtUOa3UCCRV0H4DwU7Nx28=","/assets/Feed-DwPZS2aH.js":"sha256-bvkdznVcw7j5QYgNYa3QrkjtID5JpK61cg9Iif43a6k=","/assets/Help-tfgBAnTX.js":"sha256-Kw2nLlA0yLGu7r9S/As6iK0JCQf45W3Y4E4TJjnZd30=","/assets/Leaderboard-BU0NnhaS.js":"sha256-O1Tw1tvfk+GD0OKCmjS4u6Yr4BjMXn1YY0WMJ7MlODI=","/assets/Link-1uaZuGym.js":"sha256-GGY6FDQrVBBGDx9DEG53cP+leK+3x0RsRbTAFg6o5+o=","/assets/Market-VrRfN4Us.js":"sha256-0Ebz+jxUtDPS82Q6ASGuLVcQ6SdWC7Ot8eXW9lmxxXk=","/assets/NotFound-BKDGnzYc.js":"sha256-FnnDhTc8DH0KhdP8KGDcTtXfcvz4gdoi3I/Ljz8kvPw=","/assets/Player-BM_ayY_K.js":"sha256-Gd5NwB3stPueO2Jpb1RmoME7bh7sJI8KR3sAgojsKlo=","/assets/Portfolio-Ja2ONE5e.js":"sha256-N69j04Bqzb9hCiOPIRXQ6fBSNnd1IvLGWUizjdEnduw=","/assets/Privacy-DY5Sd61W.js":"sha256-UQqcws9qh5wBTVEbZgYFAybN6yoL8tgoNM1zU3Frz6E=","/assets/Receipt-MmUNnhw2.js":"sha256-rTu7TsUzYNDIILp627LjurKIETmtp0PmHIeGBBumJS8=","/assets/Record-W5JREUWl.js":"sha256-h7g9heWKV4oRCGZ7j5NEGUqnHE0nhMlbNNb2TZYwyUk=","/assets/Reference-CHrVoL5v.js":"sha256-TzZaV5kYNe2hPEKQFpiGDAR2oUJPaCTsurBORd6MSzE=","/assets/Rules-D1ILs9or.js":"sha256-whQY5/FotquzHL6+O3XucBLjDLVrB5dM0g4zdBKPLfY=","/assets/Season-DlqqrIry.js":"sha256-I7nlUXYLIiSoAAVyyI2AHGUwITckdiz77I+8S84vDDE=","/assets/Stats-DzLTVd0p.js":"sha256-0e3xMijx7lCznKcQKP/ss6y+aa1bp/N91pSkAADPseY=","/assets/TV-DXNx3J8R.js":"sha256-BhWwhFt7IGmBSgjvGQT6S04Yf2fLkIiP1UNaYqU8nuk=","/assets/Team-BSfGNc9h.js":"sha256-9k+ARGjNGBi0oQwrFz2XXUcvSaGTfaMsmd7hCD5SPs8=","/assets/Terms-D96Gi1Tl.js":"sha256-420euW/WMfoAiEhcdfDGbnWwoRYcNsRvk1bQOkomyTs=","/assets/Token-5GnfBXFi.js":"sha256-a1S8x+1EQDNqlR8oBjxsrwkFEM3HQA9aC1x5VWgFWUo=","/assets/Transaction-DDAm-a3w.js":"sha256-r3EVHzEkbHOo/nolCIgIU+kQKgii0mbmLVw/m1wKJII=","/assets/Verify-DbkxtNI0.js":"sha256-QlR/HGmH4+HRfZiGrLwha8wkgdoSGQ4bokd+Cd8TFc4=","/assets/WhoPlays-CoepCmms.js":"sha256-RHuFQW1Yif+SRyVWp/IM1kgm2IQCFfTxKRXaTz9L9vw=","/assets/arrival-CHUg-7xr.js":"sha256-wvIFE9NoPs8ZGG5F6aW59rJ2B1ZK003n6pOYblkXrfI=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-C0-XyLts.js":"sha256-c1/90ja2+kSHvzUSQyj0VhqQq0hYJgOGRsgINoQZSag=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BaGa5LF9.js":"sha256-7/fE9xVj2So70iCgQgiBx53BBJHRKdYZOwfCy8NGhdg=","/assets/es-DxCHJySl.js":"sha256-D6L3lC4k+xGaS5/GFW9A2RXWxVYZoJtDMWmt9D0Qhsg=","/assets/first-Cl1VAHsq.js":"sha256-FGM8WoX1gpNhCJztQTgagUnp/gFZZ80RlGvso0qf7Ow=","/assets/fr-yYaQPa6k.js":"sha256-FwWQtIiosG03cxeFRQRVTFXgVH6agdj6P6y7SBQJodI=","/assets/ja-cpJVnZWT.js":"sha256-S+FpOiwRjx4Ibp0/uYGr5KA7LxMRRQCl0T7xupeF8j0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-D9xu_C5X.js":"sha256-N1uUKcNe0YrrRJawAvF4LDLEc+DiJFy/vCQNp+niRMc=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-sYyF1yGO.js":"sha256-p3BsvEe6twQvLxQqdUSYCJjCJWw8hhJCsQR40pKVYfI=","/assets/reasons.fr-CoN_-Jn_.js":"sha256-kwk6tHgeLNJPXIXnd6G1O0Iv2u7pTPqjbyKNX73X2EU=","/assets/reasons.ja-BBaegZOE.js":"sha256-6ImA6Cp0jd48QxPgf8V9iEh7Tq6F10Q5gUIGNPRcnZs=","/assets/shared-C_nROai6.js":"sha256-6TnD7HKeAxVSg98IIqdRD1mLf+LpDRgiGl4fH2nCT3c=","/assets/sound-DT6me8VY.js":"sha256-o/PDnBCYMVwn+FMwTrMqslg8k+tj2G/wVm/rDWQHGlQ=","/assets/style-ByyMtqdP.css":"sha256-gfUGqvDzwPA0+wbAmj3tHhNqmbKMEsgXLpjxdwLl1Xg=","/assets/worker-CW8nbI0u.js":"sha256-TWu18QZ7CMPoU3HhghAsV2ni6GCL2RQSABDCd1boK0c="}};
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
