self.build = {"version":"RRW78Es+4VZ9/ntE","files":{"/offline.html":"sha256-T4BTPR/mwinrpiv+/LDvUA/CAHAc5qbBgXVveB2Y9Qg=","/assets/Account-CDDhC2Iz.js":"sha256-9T9iXVl57cwBZKZJ5cjUl5zW/ICid5M7LeMd5jzwOqQ=","/assets/Achievements-Btlxl23L.js":"sha256-AgY34kVULYv+pqzkhv2xs/pU5AmXYEi9UrwLXVCctG0=","/assets/Address-BuCo6aQB.js":"sha256-0myEp52uS/NRQpD3BUdSgOQITFJ7XxaJj2Js8apifs8=","/assets/Alarm-CTs4NbYq.js":"sha256-VtSsiTlrGHOeNOXyt3jZpli+FZvkw9sBBCOHeuyss9U=","/assets/Alive-BAFuFtb8.js":"sha256-EOBnBiJzMn5FjlFKf8JgrlebP65zVoFWlZM/yKzP9yU=","/assets/Arena-BZSrn7m2.js":"sha256-Xi6AhcGL9gvwNLN8zn8YAqsp2NHbAcRCDXCwHzKzLHA=","/assets/Block-CY3LKCZW.js":"sha256-XDXz6ItiBLBOmVyhHnDSEN04jU4juqWyvUoJMAsK6vI=","/assets/Bot-CwtoO0rL.js":"sha256-GYlpDleoFk4hE8FbwLPCHtddOY2nMcMKuMR9epfWYlw=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-ZznDmyCQ.js":"sha256-lvNBKSbf4SM5FPmtEUefY5JmAXM6IhWIfv5H++Urf0o=","/assets/Celebration-C3y2xICe.js":"sha256-sDqwymK2y//cTiAatAKedJvOVEipiSywr5kH295kmmc=","/assets/Chain-DTan6bCM.js":"sha256-DDtLJGeA6L0b/qGkdeb9aTjR+FxVgYS6MG6XBgr7mxs=","/assets/Company-Doa_dL3Q.js":"sha256-HNhzsFHFozPJSAHEl3fiAmu4g9NNcnVs/G7eZI9DkeI=","/assets/Cup-59hp7iyh.js":"sha256-sPpVai6/2SDVHLit41gINqyHyaLycIAiwq64lz8Pi+c=","/assets/CupLive-B6oWJKBo.js":"sha256-Jp0SVEVTZ0mpHpytJ0XU55p8++nbTQGg0KRXmBSLIas=","/assets/Cups-CYM5xkDo.js":"sha256-yrGVnZluobXvecdSmwBR6lTCPTA9hVtlNG8EgzPiDoA=","/assets/Daily-CShMEe_b.js":"sha256-Zu7RbkaSkqonk5L+R7w7KQGTWbYbTYxhMCpsw6b0a80=","/assets/Developers-cVAs8LSE.js":"sha256-Ak3lLzYB+YF0UbxIakMwnt+yeFpQRszR+PDHQkS+Y2Q=","/assets/Duel-BVymktx3.js":"sha256-i68A6sPpwaoHgGie60l+7VHNX6bmY9K0AGtUWGvwfxg=","/assets/Duels-zx4OeqUl.js":"sha256-d40fIGiKG5tOPWEkSemEQs056U6SAtHbcfHa2TVJLOo=","/assets/Feed-B1pdOG2b.js":"sha256-KrLy+FpbYm/FmCKukMbbcS0p5PC6iCu635qlTMRJXD0=","/assets/Help-D9-uKhqt.js":"sha256-xtWWfyTp5wzJ5ZJ290z5Pn2525q/IuKzPGfWYETUwE4=","/assets/Invitations-eUAxmcwW.js":"sha256-gpoM7nN3m9HWCZpQgcwypqXbR6MWG7YVIDZ4IqItN2c=","/assets/Leaderboard-LZ3XB0ip.js":"sha256-0nXCa+yQQeyFXJZlt2PT7CzwcRpher2IlXIpD9/K0kI=","/assets/Link-wPVwAVUC.js":"sha256-MwKZxeymkPxX+dAyVLpiR/hCGKj2hd/lqA50W/j9/dI=","/assets/Market-Ct2EaK6f.js":"sha256-eS+6TdjviAYp9+buKpKlJ9YmGv3hDmfO7l7jT443K6A=","/assets/NotFound-D1_Rm1K-.js":"sha256-JJbZr0Wrv1i+hMAC0+0P1z3r3rvadYFyJRKzZCHEgjc=","/assets/Player-BvGnjTEw.js":"sha256-/BMFmOeyNMVkJrh5XounldWXuPaQGC+GJgvcNdEpDLM=","/assets/Portfolio-5ULETcss.js":"sha256-cJCFedK5xb3vY8WBdWtLr3Wwz4fZnvtHlWvBg9urkaM=","/assets/Privacy-BzKOHKLb.js":"sha256-M9nSCenXfN0fuuuodM7tbqMAsW6GD4BQM/1Lbn1UqkU=","/assets/Receipt-lbu9yIuX.js":"sha256-cfn8SJ59Fs8j1MJZkV71dcggXnXPs+9qZx7SAS6Jt0g=","/assets/Record-B8XwYvYN.js":"sha256-SIhcCveNa56+bBMfCuUjUZHsQL8aJQe+FedN8BjLKNI=","/assets/Reference-D9Qmw4Fg.js":"sha256-MydJFKeiCvJsTqxKtD3RYbU3Khbv8jIRsHS8lljp/vc=","/assets/Rules-ChxIvwJn.js":"sha256-pGbFJdQxW2tNx4GCNLmDI6e757fOXKum/hKEOeeOmp4=","/assets/Season-PzWhQkOc.js":"sha256-msYu1jcjp/vEcYFrEVpl6Kgf2CxhmGW90NqzXu6dqrs=","/assets/Stats-Ckstub_D.js":"sha256-RHZRU3/UO1X3KP8/GcTQDD++leojq9MQnLWNeBG7Zbk=","/assets/TV-Sv7zKTaz.js":"sha256-e5Rylgt77ug1IZ0EKk14/GSnSb7QU9N8SiYDveq+7Eg=","/assets/Team-DDLhqrRp.js":"sha256-nabwKzwF90lKDtB8i5zoaO/a15eyNZevo3UxtOjHVu8=","/assets/Terms-Dd6W3ZFq.js":"sha256-ZxtlxH1XFA6diehWtCTZIFZ5rAnACt5ih5JSaS5doB0=","/assets/Token-DfDmUqLn.js":"sha256-TcF1dKuaELYyoCzXkxAeDPbSLQvxDcRWmav2FdEvAw8=","/assets/Transaction-DBbgpL4i.js":"sha256-IEuzK3wyRYwMwf0EGcJTjpqvjjoZCOPFQB8xR4evIK4=","/assets/Verify-Bm0fO8Cc.js":"sha256-C0k6UzxQVHb/nsQ8Mk/U28mY4w3V3Zd+C3THjxJxn/k=","/assets/WhoPlays-D_BcKoKF.js":"sha256-AUPNTiXXKXA7pbBp/LM4c5/JVSsnqqHiLl6jkfa/x40=","/assets/alive-Dg2sthDS.js":"sha256-mcvQqgpxp+CHt0Mrd3tDi5Etw9Pd10izMjVxmtzKDs4=","/assets/arrival-Df16Qlrv.js":"sha256-js6U8jMo3UC1C1kKVIixP0W1zam1IABf/ksoZCVKePk=","/assets/bot-4Fn1brfH.js":"sha256-+Fr06JlteL51gguFu8sFXlWCnO58SGJ+L/RrQhbbowg=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-DZ2zmRtk.js":"sha256-wUNTKKYFuPoAB7bRpS9KjWAb29iO8IvVomj5fahulSg=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BuM40rq6.js":"sha256-JoL29JPZT323MxQtnHHa+I5MMPNsG/7u8T5JW+oT00k=","/assets/es-DwrMeriB.js":"sha256-qnNPzebZfaqfEisniFtnz0inES2dGgQa4Y9e4MP/Q0g=","/assets/first-BwV1nqov.js":"sha256-EUpuQWCJfS/x0Cpb9cIZOE4v+3jnH4LJpaBn2o24RQc=","/assets/fr-D_UIT_9T.js":"sha256-z61OrmxcpwVxTxM/ZpNX6EvUEwgyfcYUpa+EbF7kK3g=","/assets/ja-CJeM889-.js":"sha256-jd0kmKAbCEOCH8SRu/9VB0rk4E/30sp0LKPBxrbTTEM=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-RO5GFcfN.js":"sha256-ILok5mPjAKCqI8+Gmc1QVdqnL1dejNiB9/RqSl1lwho=","/assets/sound-B9WWgxpt.js":"sha256-eEqB+LOCxMKSEXoaw4p86XN3Ln/Zf11PpSj+7VTFbDQ=","/assets/style-C69XlHwa.css":"sha256-gCp5PgSHlQG9awcVEh0CYdTCXodHSBUkoyKOyx+65yE=","/assets/trace-oX4T-d38.js":"sha256-IfgGg28Ow1gdYdOS0N06dyNhr/r1aAcQN7l0rdqSplw=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - A document below /docs is kept when it is read, and answers without a network.
// - Answers of the API, the log and pictures are never kept: an old balance or an old block would be a lie.

const { version, files } = self.build;
const kept = `roshambo ${version}`;
/** The documents below /docs that were read. */
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
  }
});

/** A click on a notification (stores/notify.ts), whose data is the path of the page to show. */
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
