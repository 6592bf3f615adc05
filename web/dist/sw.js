self.build = {"version":"XMaCJqhgiYYW8DHE","files":{"/offline.html":"sha256-hmBMnmntiGQuqCkkFxdu4860bYGpZhd97jmVmMUU2S8=","/assets/Account-CosM1nY8.js":"sha256-oTQLnJNewhr9z6EgLEn9336Kavtg0l31BhDANNdtP/g=","/assets/Achievements-DgaDiQPt.js":"sha256-cbroOMsyKJszAhpJkSQVhiX3HvOt2CcqePl84NZyXBE=","/assets/Address-DSSTu4u7.js":"sha256-9Q+WYSFNSfyTmopaN5WhLcj1YhKuoh9fTtqKC7s9FVQ=","/assets/Alarm-C8BLfpdQ.js":"sha256-PsztZgSp+NNW1sa+tGggInUT45tn1zXDWcoFf7zseAI=","/assets/Alive-B59nO4GY.js":"sha256-HI2ilbGcO+PhPv1l2UX2XLRk4eTeSCKIP2RrQRMn25c=","/assets/Arena-BXWgPgp8.js":"sha256-5/LFhrcHgtWzP8HTa8eY1odgZFLXTRoakpAx3ze5wJQ=","/assets/Block-oT7NQGq-.js":"sha256-dO1yWogiorzyVhTP21fluCiisIHO8KAY/CTgW4Ekki4=","/assets/Bot-BqyvnoLt.js":"sha256-e9sRPcLyFfpoh4C5z2vJ+Bk2dGJGt/dqCLBtUSioLvY=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-sv-cKlOi.js":"sha256-4FWRUK93n+EjmzZRhRt9DfaUDKCgQSl7G7ahddTooI4=","/assets/Celebration-MOwF0g5x.js":"sha256-lSmSQIiMVxDueb43O0BUxsFHhQ4IUyBTYhrreh3ewls=","/assets/Chain-BuJO-al5.js":"sha256-Duv48pZoO4cZ+kM8l/osI/G29MjGwWZzdqc46cL4oxg=","/assets/Company-DC0Dd-Rt.js":"sha256-nftA+NBA68BT8P8tkuyXX6UAHciH5IVUcYv6UP5ekjQ=","/assets/Cup-COQTz-Zl.js":"sha256-szCnciZ2b3ItxtGdBur3UBrSA4J9kZetQIYfmcOdHO0=","/assets/CupLive-BeGhvImT.js":"sha256-NL3rCB+7KhH5UqtpBHlxZvGU4ooEGvA4JhMLdIMO03U=","/assets/Cups-D7sh9E_i.js":"sha256-NylJd9PvzEh5SYnW2czH++UODVyThpeBN6OHGDgmdFw=","/assets/Daily-ijHLQ6Mk.js":"sha256-B7ctGhcXn7Tmmuls9ewis00EVAnUaSlwUNxPd2uvyQw=","/assets/Developers-Dvrz6cQ7.js":"sha256-4TITLjVLK2TGgkFhNizOT+HVICM3WM8X0vAMk5uY4/g=","/assets/Duel-BCHHWZyI.js":"sha256-/fgeGdrbP9U271hxeS0iV6AZcQyBWav0kHCf100ZH6c=","/assets/Duels-2fJVXarx.js":"sha256-LMhbfYydgsBDYHdouQuHYV9hhIopgwv/HiL5j/e89LM=","/assets/Feed-CZnF4LSl.js":"sha256-77Adgqh0DEcaT7diPyvZHPqvRZCzoXBJkIMPAeiyU6I=","/assets/Help-DDn7Fyfc.js":"sha256-zSYlK8xFMic/VbaQIxEKiBVScTpmzUObM240CavZpdY=","/assets/Invitations-NOa8XaXg.js":"sha256-A22Hc5DOtKYvZ3J2kHSGBelLeTwI3ZNCltTqlPZQfrA=","/assets/Leaderboard-w8_RZc9k.js":"sha256-HBRJbwAHnuoFpzxopDbh42fgSysXwZpXvPoj660PS+c=","/assets/Link-9S_JKaIH.js":"sha256-EPJ+GQ+xb2sCJuLd1e50L5let6DDHewQIrk+0NaLJIU=","/assets/Market-1S4Vcro_.js":"sha256-uaLOQDNsMPtOJHwbaNPo/LMUJ5qOdD+jExwbOyLNtP8=","/assets/NotFound-V7ph6sxE.js":"sha256-ksyD9dC+7PAUIvafetOIHuMyifez/1uK2RI7SKgRPmY=","/assets/Player-CROixmu8.js":"sha256-EosZdgmAXijGj3a1GFiZ1pyJRCKV54cdXnY5jTu4g98=","/assets/Portfolio-o752VjAO.js":"sha256-C3q3GWoIk8MJ6JxWu9ApprrpfrS1xOkJBVSKTXj6wmA=","/assets/Privacy-CCplAp9S.js":"sha256-JgitcmNOTxwj5lMNj4SaI5Qmy4s+AbCl2K3NbwV+Nv4=","/assets/Receipt-0y-019Lk.js":"sha256-/WprJMvwiuvw1JYU//ccH8iLpHmEhJmtELNIu4y2r1s=","/assets/Record-shz8a7jI.js":"sha256-m/8Cd4i7KkLT1fqghoTRlhNUFUkts2YptRT9lnXt0Lg=","/assets/Reference-CiGKzIVj.js":"sha256-H5k2YDXDrmbZ1AjBVXcY3Nzzfbt5C2YEeVOgNhwIRyU=","/assets/Rules-DRu96R1y.js":"sha256-FtQJP9M9WiiKXE7sU7kyF87Qnfn/sG5qwVKiLJ+yhs4=","/assets/Season-7cbD2ulG.js":"sha256-rnXyjfqcqkSucg6Zs8MjPS8oE06FsmG/ca80KjQDdiA=","/assets/Stats-CfffEIbn.js":"sha256-IaVT38UhH4NVg5rZoxH1yDUSdLAWW3+eUHj32XuRBNE=","/assets/TV-w24E6ndj.js":"sha256-YI9lL2qvKwAa2yNQ31gKPZpR2R+1+LcZyPqRtePkmfk=","/assets/Team-CQLZochS.js":"sha256-JEdKF+7fLb8vqQjJXMBftan2hWObwiIumtYljihElTo=","/assets/Terms-DwiEGzAh.js":"sha256-3tC/HLyYXJgIyis+F8cC1PE5Rizykae+rlE98sR402c=","/assets/Token-DkyYKBwp.js":"sha256-LIzIj08YcekJbM1mJ0L0BHly3oyK4cpUOBBhGr5F6ws=","/assets/Transaction-D7Zht8l0.js":"sha256-xtwmoT16ZfuBTTe7EPTF2sRZCjeDQJ1I2nYBtAuQUVc=","/assets/Verify-zZ4KUhvh.js":"sha256-aamE+1jiEePXdm+F+7Qh5cie8oD8hWXGMH+CcWM2c6Q=","/assets/WhoPlays-B6GzPKoh.js":"sha256-vTfaKqdNx+XUoA29ASecyOpt2Mq1Q8vXf10zTn5uHOU=","/assets/alive-8QPTJt3S.js":"sha256-P8xuCj5TVIPOYQrd+lVy9pNwxmW1sjOW0MjTVpXS8tE=","/assets/arrival-C7oaM4aL.js":"sha256-WL2lmqZJh6KvjCUKiX1Ga5aKDMM8SEP0t6T+n4OfOFc=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-CJiBMfkx.js":"sha256-orvdjXv/n8dxOxrvFLSCmJWT6FPAU3KQtGGOa+M7jjE=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-CAKP4Ysw.js":"sha256-NuzCIx7mu7AiiqOIDPvQMXf7UtmblpUFVZbyrwIvtgM=","/assets/es-D0wTk5IR.js":"sha256-VZ6BCuN50lGZ5iEqe18s9oOTXwhZoXJwPdkKlyfrGNk=","/assets/first-pR9nLrvY.js":"sha256-KX9f0jiu3RkxpMBEuF/UyP8qnkauNbaQI6l5FukKtxg=","/assets/fr-D1Ii_e_2.js":"sha256-ZP2LUZTWC2x60ShXoUApiCJYp6oucHtfU7HHZ4VxAvY=","/assets/ja-D9e6PfNi.js":"sha256-Vd9v0siV2L2oziW8hOcS9DJOTsi9SZKCu8s49Xm9o/M=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-C8BlD9Vj.js":"sha256-WefLgv48DMEEeNLtp0fZzBds8qhYoAFchsQBbe/sO7g=","/assets/sound-2iUDf8sA.js":"sha256-G7bwdTbB8U1Y2uTgZU/Vr16D96X9adHp1UTxtL5dVFc=","/assets/style-C7wYITPv.css":"sha256-Q5bm76Hc89WyGntyHhrTXwiYMkuIZFxbGZzJp1dcsik=","/assets/trace-Bf0Zlr8j.js":"sha256-4HLj8EA6Yk4gq/hMevqndaabVxPaxnBuiG/Thvu78rI=","/assets/worker-B7f82OnW.js":"sha256-IKdZCkgkDs8KQt43djoew0u0RW/AX2u+vFRz3sIxIB4="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - A document below /docs and its pictures are kept when they are read, and answer without a network.
// - Answers of the API, the log and pictures are never kept: an old balance or an old block would be a lie.

const { version, files } = self.build;
const kept = `roshambo ${version}`;
/** The documents below /docs that were read, and their pictures. */
const texts = 'roshambo-docs';
/** Paths that are not documents of the page. */
const others = ['/api', '/log', '/og', '/embed'];

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
    if (pathname === '/docs' || pathname.startsWith('/docs/')) event.respondWith(openText(event.request));
    else if (!others.some((path) => pathname === path || pathname.startsWith(`${path}/`)))
      event.respondWith(openDocument(event.request));
  } else if (pathname.startsWith('/assets/') && pathname in files) {
    event.respondWith(asset(event.request));
  } else if (pathname.startsWith('/docs/') && event.request.destination === 'image') {
    event.respondWith(openText(event.request));
  }
});

/** A click on a notification (stores/notify.svelte.ts), whose data is the path of the page to show. */
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

/** A search is not kept: its answer depends on what is asked. */
async function openText(request) {
  try {
    const response = await fetch(request);
    if (response.ok && !new URL(request.url).search)
      await (await caches.open(texts)).put(request.url, response.clone());
    if (response.status < 502 || response.status > 504) return response;
    return (await caches.match(request.url, { cacheName: texts })) ?? response;
  } catch (error) {
    const text = await caches.match(request.url, { cacheName: texts });
    if (text) return text;
    throw error;
  }
}

/** A file with a digest in its name never changes. The browser may have evicted it. */
async function asset(request) {
  return (await caches.match(request.url, { cacheName: kept })) ?? fetch(request);
}
