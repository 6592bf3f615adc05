self.build = {"version":"0W301WXDU6NgRTt2","files":{"/offline.html":"sha256-7Uymz2jClHvP8s/hZBHOAPyw5mqt/aMSP/tSisGG6cY=","/assets/Account-YFBcViS0.js":"sha256-R/ITmEhY8uX8OS3gRcyGnIrugm996Ki0PamzLtA6t4c=","/assets/Achievements-DWE66Z0z.js":"sha256-wReTKkewM5pa71/OEcuBrd7x0laWZsxigp8zwu1jmEo=","/assets/Address-DyL56wa1.js":"sha256-baGJtMo6JXBmKvE/qptUNhixb6C/D9mptGtkk7yTCZE=","/assets/Alarm-CChisC5i.js":"sha256-JOt+XEBkAdg7Dqb/lHYrcBp5PzCBk7UQY91q0NQj4/E=","/assets/Alive-DeQoFuuw.js":"sha256-usoHzIHpRRghaz3aK512Rel/aljksdwKyDJsEPca3NI=","/assets/Arena-CrvTuqEW.js":"sha256-q15ntXafagWtmSbK8MjaiS3sR59HAyobEdIVZ0Dd1V0=","/assets/Block-CqVnj0Lq.js":"sha256-UqINuRL58y4mXenOQnYc4sDExywWeMdQCPknz0XfuwY=","/assets/Bot-CiMXZTZH.js":"sha256-b44r9kwz+BrRLr6587NKOIGtyRS9wp05fCD9vA+JZkI=","/assets/Bot-Ra2Ad3AE.js":"sha256-jB95uEMg+oUbCnI6Bg8gs6/XQd73H28y/146+xwzoh8=","/assets/Chain-lh8-qZeh.js":"sha256-KGfn5wLVEySKYATQ5OOZJYo9gWkEAMy9nddEbwQ6PEA=","/assets/Cup-DfCGclLB.js":"sha256-zhaQ5nNIirOAp1e8xxaeDgWBqtSaM7Gq/yYB1316hZ4=","/assets/Cups-BQScMKni.js":"sha256-GqFhdsiqjrauij+12xcjuDWOdkylkX3WhLVafvW0AM0=","/assets/Daily-DwZnA5SY.js":"sha256-aWRy1k7x4sw+pQzeNzqrCfALbjeOg+CSGeW2daaw3XY=","/assets/Developers-CKpfec1W.js":"sha256-uaWyeVYT9tCgg5YiNURSmqysG15iQzJEfC38wVW3ngw=","/assets/Duel-BYprT411.js":"sha256-u5WwD0y85JLEzlXz6ba+SvsMBfW91W6anl1RY8yKkTY=","/assets/Duels-Cp6q95QO.js":"sha256-QPpORequq6wnKoeqzezX4X8X8iq3ny45rbck1P6x5XM=","/assets/Feed-BxvOaQP6.js":"sha256-CVd5mO1p9gNXnhvkQUvU3TZavygsFu71QHf5bMQxkQQ=","/assets/Leaderboard-CxcdlXWR.js":"sha256-4HMEHZg+LmGXVFTRMQUpcuVLKl9wCZRGeBJZdlRy/xc=","/assets/Link-D17-4VD0.js":"sha256-0Nnp5BMNMjm95DiDSDmxVBJhSyO1IZVl2Wpm14tw4ro=","/assets/Market-Do9wT-hp.js":"sha256-gGC0TDGpm3gZZRyGXsJv4UUkQTckibHzgpx4NZ0y06c=","/assets/NotFound-Cq4BZ33A.js":"sha256-4IYcihQ+p08wYN0+PtOC/8BsxAlweGrMOb9MsAc4msU=","/assets/Player-Cm1Ig1qn.js":"sha256-nXbdaOvcLKmf2OS0m9WZ2j2I5O5WliUjwmGcQrDj/VI=","/assets/Portfolio-Dv5d5gL_.js":"sha256-4Nd8LgmXL2Itwh99yy491i2VQbA/SNrMrvJajWZKgb0=","/assets/Receipt-B0ilFWEY.js":"sha256-8veK5ae02NCSc4Oy3esEfcibdonFPecUBCJeTkeilUc=","/assets/Record-BINWbW3L.js":"sha256-AW2VC8ktQ8uVKyyvmAHT1gwgETh4HeN+yJbnTcxj/qI=","/assets/Reference-CL4hUe91.js":"sha256-+QmMMFuxRsm5QYoovTM5dSISLu8Er/PX3gufW3er+84=","/assets/Season-D28zCnHQ.js":"sha256-QOvZ0n8uctmxAhSuSMCAorzTzTC7Oi21sYj02haE/bM=","/assets/Stats-5wMIVlJX.js":"sha256-iT465dmDo6C4sQQL/lSnfK3rpR7aNyI/qEohppWTI3s=","/assets/TV-MmIGdx3n.js":"sha256-iEuGJNcA+S53RVOJUcfGMuu2w4DPmfy4EeGH9rEBPsU=","/assets/Team-DrPrRZp7.js":"sha256-7N/5CkhZoP/3aQ/0BSjEdkg098xKi5JJ6NdwAp1uO38=","/assets/Token-2dkPpqxc.js":"sha256-7W1pdR38Rzk6rYQYmtjVLIuHT9X4CRmOhRHHYz7TLTY=","/assets/Transaction-CRPyr309.js":"sha256-sEM3fFGPYLw8CmUhgaAy6VY1FpFfu5afUuPAgPvs1ik=","/assets/Verify-CpogtPRU.js":"sha256-ZVDuBwkwLw/X7k1Xq2axTVjVHQ/BMBBI7MA5ggPb1xc=","/assets/arrival-tMbLJfbv.js":"sha256-xbM0P5SQ1y29cGzi9f/nvlu4mR7kV6LOVv1RcL+m+Cw=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-C2DDOoAC.js":"sha256-bBOev38XjBD50aEQSmx+9lBMqOfMefYI2zzyj6Eanys=","/assets/bot-C2l7auCy.js":"sha256-yCeH0tXrSpnLqUDw97Rrp5qGo8qTroIEC8GR6kcucJU=","/assets/bot-DEOSDJz3.js":"sha256-a35r1zl8nb+xja/oSCNhv9IEW1TxugnK9769ax/ElnA=","/assets/client-BCkvSHT9.js":"sha256-2Gd0if1VrxNWElgdW3Z7OtQFjLb9HLqz/p5AE+qqF1I=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D1K57tj9.js":"sha256-ONjVFhbqSD1r2PSe3bND/NjRQxJKbxQxpggwqqXcMko=","/assets/es-DAJuTtY1.js":"sha256-mplLEL7E4CgVmlxeT9ZJYorNPwtfmrtYr9EGb2uL5ss=","/assets/first-C-zQU3OX.js":"sha256-BVmGQZzmWgg6yIGhtwOds4J8bYviBP9Q1HZGnhxSYW8=","/assets/fr-BbFNoM_V.js":"sha256-r/6HL5Nb6qtYTtPuEWxRRlP7zftXB2+hwmXMdk8Tmb8=","/assets/ja-6i1hlPy3.js":"sha256-QpPa7ZxD60tw0+G/SHViJmGBQ9K04zh/ZddmZDxwCTE=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-Bb3Ccx-k.js":"sha256-rroYMlwNwZ+apago7e4XIEo7VRg1L5r3mtRQUuPJYdg=","/assets/sound-B9h9lf-h.js":"sha256-7bAxhXU0YZbb4lhoYkSIicvV5dtv9iogoGvMpnFIt0U=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
