self.build = {"version":"qi9O5I0Oa3B9nQPB","files":{"/offline.html":"sha256-KqF+tAzsLZNPf68AoidN8/6gm4z+FtwbriqQRSlZzd0=","/assets/Account-CY97uAEU.js":"sha256-2/kuGfZRkzlf6UbDKVvdOfwtc/2vE0UwiZUrI3DjhIA=","/assets/Achievements-Db5GmJSd.js":"sha256-NaRekmgj3DOac4UIK96ipeXV2sranso48ahfyA7ErLk=","/assets/Address-82t4GdmT.js":"sha256-tbSC8kOmvckNy3r4QrFDx4IWL304MveQJex9Bue76eo=","/assets/Alarm-B18dAcN2.js":"sha256-wboWj4CubOELzoq3VvnMJOdy7EvP3ZCFr8fIlFr2K4A=","/assets/Alive-CvpZbVvQ.js":"sha256-ItwlEGsQF/ZWjGAx4KKVSiYuqwD4YUJO9TtZkqBJ1rA=","/assets/Arena-daiSBzR3.js":"sha256-9vQkgMxQ4/OLE9vXbnvw/baL61MRv1rM3r7gYlJ7XHc=","/assets/Block-9Rpzc8Ru.js":"sha256-3fQkZtvkUFwOrK9Dl9z0geem4Dvgy3HlldkCCa6VgIs=","/assets/Bot-B1u5kuFW.js":"sha256-m4veNIXBuTgg3SUNwDAoJ1A0jWbX8UGPq13+gq+bfKo=","/assets/Bot-B8YiWsXD.js":"sha256-lAcJsLIxFnFKZ3ImA8rylrthxg31dyNLzalQ7cbQ0kA=","/assets/Chain-DUC9suPw.js":"sha256-HUvoRMiO1l/E0sxWnCz90TNvZ7BO3rX5qFYUjqNUESY=","/assets/Cup-BdGEqmXT.js":"sha256-YIvTAop+LWhdaC7mvP0FaAZCpzCexP0+57ZyK8OlH9s=","/assets/Cups-Bhmq_wsn.js":"sha256-jyyGnzNh4LkDrvid0ZpOe0X8kbUERIg6DXrHu+88oqU=","/assets/Daily-C2_DDfUU.js":"sha256-OUTeR7ASuYchd98WewxAXQlC/FfcgPBIP0NyViTLVKE=","/assets/Developers-Dro_llVO.js":"sha256-W4ujaOo1zDJ8IfcmIbDDxn9Hq2BMc8J8W7nyGjEGKXA=","/assets/Duel-FkBHGdbk.js":"sha256-0IPNNCj6WZi7TMjuaR+HbzGWhqyhzFSqfZ9OOQgkCso=","/assets/Duels-TOfLYQnR.js":"sha256-7RGPbRq3EeDXTQSyqPF1FgxIE4c7nevgSyCMLfxPK/M=","/assets/Feed-DXrUCryc.js":"sha256-lbvyD9kIkJFbKHq05y+XCFYZYEPzdDU/8cQH4gbPnNk=","/assets/Leaderboard-DxRtc8ZU.js":"sha256-RuT0xzHrpQFStg9H3LATdLzx2KxGQev4MP7ucqMicaU=","/assets/Link-BFzOxJnT.js":"sha256-ME3uMpHvtkc1NHslCV9RICweMbfIQMDYuy1Xrxyjnuc=","/assets/Market-D6BoxR0h.js":"sha256-C3qXTXry2B7sYDCWHf094Oy+7V5PQ3lkvSySo72KHTc=","/assets/NotFound-Db55xTsQ.js":"sha256-M69XIBNlC9rnpGB/HPCPG+pnf+piOROkHA24opiwzxI=","/assets/Player-CH-P9JyJ.js":"sha256-4F/zkX3C+j33gFP0DqdQitvQQsXo4/JzzQbO4qQtd7g=","/assets/Portfolio-DADitweM.js":"sha256-EpF2ZL8NhczL4wLWLY+eQ9YU7yYDYalx1AJuqMDrDy8=","/assets/Receipt-Cy4Hd4qo.js":"sha256-lVx4eydZuKUtGnnirHmFTR6VZJjswGYccwo5d5iF44w=","/assets/Record-CAelLBV3.js":"sha256-sPe7NB/j04nYU3ROkvsMRMOgMlxH1ZWA0EZrA7XGJOw=","/assets/Reference-s-hRYQR4.js":"sha256-F6s7vDJp2GGPR7rCKLwz0sgxhXoyNNQtFwBQK6j2BGo=","/assets/Season-CaeHPeXB.js":"sha256-kNB7YsY2CK18qAw4KbYWIC9BXQE+e1ffqrX9YCTs8fg=","/assets/Stats-COiU6cAo.js":"sha256-Qcsu4V6HhHY+4GsxCHgUck83yUCO46K+tGT6d+HIuXc=","/assets/TV-C0xnhgLQ.js":"sha256-QkSkldcyO5+R8xM5Ehy6SXQz6B4e3tf5VouEY9qMDqk=","/assets/Team-Bm6r5ssO.js":"sha256-fr0GYBf4PtpUoByzAmMYfqPehn1Besm6/YwHkoaBItw=","/assets/Token-fum8buFy.js":"sha256-6x+nQ05S9uwa2bvxw5eqFOmANndKS+SsF4BXKKMrpCk=","/assets/Transaction-DuDaLt3m.js":"sha256-oZdJbZFDP+4HBc/oLU8CkBEcgHJ7RxndVzMDB9Ah044=","/assets/Verify-Dz_X9DGC.js":"sha256-8D0k3vvLj1zw8xwfh8adM4yCQ50z98PhVCPq8tVCVvs=","/assets/arrival-CVFVngzo.js":"sha256-lBe66tSfjaorE1DvrISw5Q4Tf0C0AHsowSEEOUWSC9g=","/assets/bot-Bo60CT3P.js":"sha256-rn3vD2ash1z9qqu/3ey4/IgmQgkVWv59X0xfiE3l/hA=","/assets/bot-OAGTOCrm.js":"sha256-3jHWOHiUnM4N/VODJE8HZmY2k+XX11dKbLh2w9dH3DQ=","/assets/bot-Se-MQY1i.js":"sha256-V7iNcg8dEyluYr1oH29GhtsWQCdfabqXGQ6CrosihEY=","/assets/bot-sYzajhAQ.js":"sha256-UEBnGu55fyCJNITcdwnaEcaH/CbWgR4DMMUdfJs8Cf4=","/assets/client-CSqMehd5.js":"sha256-VXy6Lp6tplYBvCIhfUQV9S0LjLiLQVHDkaumJLdz4wM=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Dj1wb3LO.js":"sha256-1TUGgNZKnnoSusTz47O1kRbYtPVGfoTUyiu3wXEnB2k=","/assets/es-iUjjqxC1.js":"sha256-2TGS42q3cDomfnTfOK9Yu5IJFVLuAXsRdkaxGblI1wQ=","/assets/first--FBx8lVt.js":"sha256-yS9P8cfjt0NQFK6ULxSv7lJ9UYIuR7tDVqTN00y/12s=","/assets/fr-CHLGtUdw.js":"sha256-cf4B5QDZQZhHcxCYdi8iFILYGfgJl5zvr/UiuyRIhGI=","/assets/ja-H7OAf-DR.js":"sha256-2N3v/vuvWQnUJaVgATUJI2x9iBBFcj4IwmAhEOq9Mp0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-DEKGQ3cg.js":"sha256-s2KrLBESEI7Nn2ybmmvnt2g/8sM/eFTBOE16NMvPClk=","/assets/sound-D6xVc3rB.js":"sha256-4BFR20OP05b2hpujqAtiI8VzwNxl4Muu63Eas3m0Vek=","/assets/style-Svtk3GHE.css":"sha256-Exz/7nIhXgf1FyHCvFVadRxoNK1P8lZ5pKg/5NxrKnQ=","/assets/worker-D2l1H9tj.js":"sha256-qj4ZSsg3RIFf0m5uf5BQgE6+9tMkPC9MzpcZzQBgLro="}};
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
