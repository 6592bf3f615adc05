self.build = {"version":"m139lhbJzR6+nYNQ","files":{"/offline.html":"sha256-MEJX81IU/wmtSyYQn0mpZG8SpI6hxteB4xUPW1BtLSI=","/assets/Account-ChUYjoRb.js":"sha256-TowHcF6q23Kfav2FAiPyQBYBnZwRqlh/wgq6HxP7J18=","/assets/Achievements-B9z1a4gX.js":"sha256-vJp2N8THR2CTP08J6vZ51UjY7lmFc2cgfKaXnol5AnA=","/assets/Address-UAAVfR5C.js":"sha256-+tKSM9yNwQOEpkWxKLVsrMaiNgemRpni6TopLaaywrg=","/assets/Alarm-DDcMLMs9.js":"sha256-va4HcQoIIJtVGd5aUNPDzIakvspZV82RV7Hl3uoOpWo=","/assets/Alive-UG_WBvYL.js":"sha256-QlNhryucLnPgYdWRYSjmPznBHnRWCLW3KCGfddWLPRk=","/assets/Arena-UH57TxZq.js":"sha256-1QMqoIwmf26MACCvnfY//crhOyZfyxLFk5SI4s7uqGM=","/assets/Block-BuQPOtnZ.js":"sha256-U3Y7a8FoEf+08qaR0K4lHa3985nTSYBxv4wkno3lSo4=","/assets/Bot-BIJYSKFJ.js":"sha256-Gzdqy9EjEDQDz6/+InvWjob0Rbmcv+iLo48qdyf0fbA=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-CdwvN8uP.js":"sha256-jp45LafiyR6UdxYj3Dva/UpLZsXqGsmvvRTFLGQN9pM=","/assets/Celebration-Bcnsy29H.js":"sha256-VB+1qK5bXyGFXExUoQSQNUQNOEbJ1BEvJRsXTnCSw7g=","/assets/Chain-Cy3_k5Up.js":"sha256-qNPgNHvxwkVeb0hNpzarQ3EFfbJPd0Mn4gCWgi2w3rw=","/assets/Company-B3qd-UTK.js":"sha256-Lc7W3QOQpuuhIKpXLAYSG+MHOmvmzprSsQYFUIgrEgU=","/assets/Cup-l1XpD5f0.js":"sha256-AhO4cr2ZrozuI/TtY+UcL95JLTMkVd0/JUXkMJx5CNY=","/assets/CupLive-C3Is7n3I.js":"sha256-aiO8X2mldpekC7o2t/vJ7e4plEB6bNvkLpVf4jaajiE=","/assets/Cups-DL4s5BP_.js":"sha256-FeOYbCurbeqBmxgA6j3GlE0WlXoYRcrgRkte7LWyPTg=","/assets/Daily-C6brKvaI.js":"sha256-xweiNe1FW3hh+/bAdYTblKtC45BjcZOkyqAoFDv4/4A=","/assets/Developers-C5cUr4QM.js":"sha256-d1jcm5aHqXkD/xEV0AHQSJ6t0dFl8/Bk1RTuEK8wYFA=","/assets/Duel-BDCq98a3.js":"sha256-z/yhuzo2eFOix6xjan8mpFw8lFmdCycsWnQkkgCjqkY=","/assets/Duels-CMrU0l44.js":"sha256-5e4004d/Udc7c6PbYPgh3qW/NVpzKGVfgcf5cDqCqcQ=","/assets/Feed-C9ASB3iJ.js":"sha256-j+RxB/eUcKOoHvMGGT1YBSKJWDDjylMSGv0mXmUYLDw=","/assets/Help-yA8IB3lv.js":"sha256-DMEyo1aLaga5BhTPfTPA4BuyIvAwYIwVZzMqdDixiGg=","/assets/Invitations-Ck_VY5Zj.js":"sha256-9FdniDMLRS3DvYjWEQ5RyKgqgbx7t38jPpcf3io6WG8=","/assets/Leaderboard-DI6q-ZYq.js":"sha256-8ac7v/iX2A8dYHCF6n5O+1mHmqWxOBB6foi1ZfFiMzc=","/assets/Link-DFAGLY0p.js":"sha256-cy5e1rX9ADyNeZZQhLM6fSiB1W/QDEWvoarxl2Szr/E=","/assets/Market-BG0edEVM.js":"sha256-QmcoRhKxYPZclvDfc8gD6xkpnxlAbF0MOxna/QiYLXc=","/assets/NotFound-CvYfjFV9.js":"sha256-szier366EN5ZK3JOGwL4enuw40+6rjKeXP2R3mPOJUM=","/assets/Player-DKkVclPV.js":"sha256-Mjm6xCE+KS7ut83y+Fc4uGcdyaE5gv7sZ/xsKzoe+tM=","/assets/Portfolio-DifH42oN.js":"sha256-bbraZ8ol011dtVAOBV/PmkaKMnd0XOadtXIPSzfIOQM=","/assets/Privacy-CCVRiSEi.js":"sha256-m+5n8O/++WXDXPvbYfVrXnJZDNMMSWOscGoqorMwYrE=","/assets/Receipt-C3_5l1GC.js":"sha256-59JyeEJ3LdayU6qFfoyLIQmoEhKtkOiuIfGWqV3PDxc=","/assets/Record-xqEHJwaw.js":"sha256-/7pFQgxFTQvcg23JjUzPPyM/0vXUz+It0H1r5zOl1Xw=","/assets/Reference-Br-2q4xb.js":"sha256-c8h03qv4ZjfMCyHRj2upPZwWClg4ZMRHJAjW2o9iKAI=","/assets/Rules-DnkylHhu.js":"sha256-MSxmZ+ZLX5PncvBQizJw9Bfsn39W4jg5ESg1cL3qiyA=","/assets/Season-DIJFfNHm.js":"sha256-cAtHY3e+1XaFxitCHA77r9s6WJr663UxIva5rVpcpE0=","/assets/Stats-CJoE_fz6.js":"sha256-1z6tCsBwlHrsDtHORVGm7DpAVwGgCX41kjsupbPeZ2c=","/assets/TV-JYtbNoZI.js":"sha256-ArsqkIMEcKW+BJQcboihqrh2Vn8WiaWLRj/ajX1h2lc=","/assets/Team-kj9lTuyQ.js":"sha256-mHgr4+4Ws+q8H/7iAILJtMhaH2NfOZJIrB4gor8vkOE=","/assets/Terms-C4Ripk7s.js":"sha256-uHjd8IpgL6N1AyV3QhUbry78OatAWHIevOveOG+O9mU=","/assets/Token-B2OwJGUJ.js":"sha256-AAx4Gs20bB+YDpaj2JUIT5tvuYWzeAZHY9CmrJdgd3w=","/assets/Transaction-CUmp66rY.js":"sha256-L1BFuYRhBj6lIjIYWDqmh61u38SYrB3mb/YgBffFkvo=","/assets/Verify-DwM4755t.js":"sha256-pykw98+MSu2KuI68RpqztqxDAW/H9D4MqsNPUA9gi/0=","/assets/WhoPlays-BTPmKsbg.js":"sha256-BTsnvNCSaAzKyJ5Mhx5RuON3GSmDopuAvbnS61lXgl4=","/assets/alive-CcE4JZrM.js":"sha256-9OnfSraVgwaG1JWT+5rsCQFQfqBDYyBYyI6TC1tjzSM=","/assets/arrival-Y6ethT_S.js":"sha256-eLZrFA4XVuk/X+ejumvzowzsdDUxxZ5jMOvyUkTJ9Y0=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-BJ3KUwFM.js":"sha256-J8+zV8ykRxKn5/+nj6H13fOyx/piYYRnoIi+WHYA/cA=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DXwgmlgH.js":"sha256-tFoFPabtx3fLVmYV0zRxSF6/wai0HYyQw9OFKIb/9iY=","/assets/es-B9y-d20P.js":"sha256-HxPpYEUYf8pgg8bofslVydak7TW5w1th2k6VPvmZcKk=","/assets/first-rN0MP9Ro.js":"sha256-YvaHBBOVQvMge2ewmeZxt7Pm+fXMullW8MG+UX/+9yk=","/assets/fr-DTkdynBs.js":"sha256-tthlmT8vuhhH4kkKyNT7dR0ehEuoUEavmwTBZNA/+jY=","/assets/ja-D_-YHV8V.js":"sha256-QKqRNnTbVZJ6KqMUrYfd8bGi53QLMdnDXKffkZHmfMk=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/proof-Cu-ol42u.js":"sha256-E2+5pHZloedRDcT3AbmUmJD6Fm59hbEIqxHF+e7gjkw=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-D4iRSpXA.js":"sha256-I4JBOHaqYpW8T59ssc9aHpLk2Yqy0ZGRhNnb4y/b+0M=","/assets/sound-B5gyZK5m.js":"sha256-TGFm9Sh7C3smlyVQik2x5a6Iw7kebxg758ap8Eh61ZE=","/assets/style-B2fIE391.css":"sha256-v++3m6OJwBgyLHvEUS7wstkwNdgnOBmvUkIkiw37w/E=","/assets/trace-nWSN0ueP.js":"sha256-dP3GLap42774fnpTICoOxgnZPC1UeKloQMAgLdVoMRQ=","/assets/worker-D85i6-Xd.js":"sha256-cKhszxvu9V0B6ZGFhAI7v53yv5DJ6YL+prd15nfkrhw="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - A document below /docs and its pictures are kept when they are read, and answer without a network.
// - Answers of the API, the log and pictures of previews (/og) are never kept: an old balance or an old block would be
//   a lie.

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
