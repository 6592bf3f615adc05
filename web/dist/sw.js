self.build = {"version":"8rqr+IKf0zPrc6F4","files":{"/offline.html":"sha256-t5qPLpuWLengQqiuZE1E2yTVHl5houJHO1Pwwk/nSBw=","/assets/Account-BfT_vMoB.js":"sha256-pVAh1OgXPuLJB3c2FSsmkb8k0YwtZ8TCWHNEVGt2FYw=","/assets/Achievements-DMNFnIw7.js":"sha256-LExA2q+lngj1nG1E0TuGgMPjfy6BsoxRrTP5mXjoM1U=","/assets/Address-DSFvZV0S.js":"sha256-z0foZZEywt+yY17BRDA3KPUvhl35ChgnuRtfEvUP6JM=","/assets/Alarm-BlGJS1Ec.js":"sha256-DpTpZvz/L3vUspfGoPQWptypiXE8V4V61kqhY+Gwxss=","/assets/Alive-PZwK5I2A.js":"sha256-QnaJEMs3H+pSRPxgWgq/blqJ/eIui0D9sli2rW55+QM=","/assets/Arena-3Jfpt5r6.js":"sha256-t8TPmVy1JVfuqK99/KlgN2ExsYHpI+aODEjPSfBI91Y=","/assets/Block-QiAfobIX.js":"sha256-bQbeIy+RWO4TEU2UHllKQKuCgKdonBT/A3PiltbWJ0k=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DXirPkpe.js":"sha256-LF4Dye2DI1uZkEJI3Zhp7c/JppVxpcNbv80dDJPFf8Y=","/assets/Chain-7V8NzfU9.js":"sha256-vTDfrrHYBnLfIx98B8i4ETtgYAF68Zt7x8wHKEX7J48=","/assets/Daily-BfsFUMjO.js":"sha256-8i2Vh45sfZHleP9O9oFXumcZZKrt7/r+WtForLMUkDg=","/assets/Developers-qhF5Odn-.js":"sha256-rcVVFTjRZfdHV6YBC27QtEYIsCCLst0RdNLM7gs9DSI=","/assets/Duel-kluTJiz8.js":"sha256-hIW8IB7gc1rv0zCtRtRH4CAsW/xY3W3kYITiYUdfSBE=","/assets/Duels-B2XlBUsz.js":"sha256-ytr3TdpsaMaT7p8To8fu6PC3waSWmggpXXpfjj/PulA=","/assets/Feed-C6XCTjh0.js":"sha256-YNT80f9+AAdZQCFJ0RirLxXnLBdJYwv+oDNZ63FF2FI=","/assets/Leaderboard-CzgXthHL.js":"sha256-0ZQfIERWAKEx8jS5REUVQHq46IZdfzakACGAxQeg4dw=","/assets/Link-BBbH6qt1.js":"sha256-YQx+C9U/fo4mNZ7eBViLWcUT+NeeBsIt9aDEsj1iExM=","/assets/Market-ezFtaWN3.js":"sha256-Q+1Unzx5eAADk0nyoAM0QRaEtbyOh4VCPCIfI4gkuaw=","/assets/NotFound-IiF7xnY6.js":"sha256-8cBpmtC4bPSNDzbSC3/iX4wurLPfaLExFW4A123FghI=","/assets/Player-B2Wjg4_C.js":"sha256-Gh7DfoyFujdyb8c0r08CSV3Mor8TUJ+pY9uAyRJroT0=","/assets/Portfolio-DG_CF8il.js":"sha256-4YL2CQKC0m0ruPRHa17WKcxwjXwmef/LgiKpZoR0C+E=","/assets/Receipt-BfVM3KhH.js":"sha256-UfKTEZI8oZ6ZZTQ5KPrYJ++5cY8aolTjQ9U6xm6b3xk=","/assets/Record-CmhGcfpK.js":"sha256-RfNvql9I2V7KomDVenyiGWkCdIByLiTAyJCgtEwP/ew=","/assets/Reference-xfvDjBI5.js":"sha256-2au+AWKKMmK2dEVsklNMf+p8NoqFThn2lsBwajHemRg=","/assets/Season-ECzu1n3o.js":"sha256-5yVlQvQxOuLQHBsu/0JwR/Z6mNrDb4sAz1bpQRlwxf4=","/assets/Stats-Idc-Ob8Y.js":"sha256-3RTt09oeHbincaDMbsSEof5fFEHMxQ79e0X+68dlLkQ=","/assets/TV--3v8MS6C.js":"sha256-SG19FnQvdd2kRgfiS5gwTLLc5NJ58G2ABNE23SjyBoo=","/assets/Team-BEQTgFlG.js":"sha256-lqN39eBSOtFGIjZ6C6edgFbscnTYygRHyD7Cuh9Io78=","/assets/Token-Dd_ctjL_.js":"sha256-FlA2lGq3m3wbHjnTdi3JlG5ybTVnbd+cIr32sfQ3GWU=","/assets/Transaction-CIkjCXMb.js":"sha256-RdsRXCSNhmd79+JRM3c9+wrW3y1RJywf7y4SZW/5ZvE=","/assets/Verify-DXx-U9W0.js":"sha256-/yfQWYTBZ/+9dCEt5OCBaLWgCFXBNzKYZ3L9ODLrHZE=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/index-CQqPcZ_s.js":"sha256-v97Nbxq28jOg1BOej0/yqkqKT1qNWJFScwYeLgdvm6c=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-DJwGCWvw.js":"sha256-oWIN00mxE6ANmB6B3xIXAXQfz2nHDsnCHt/Qk1cioXU=","/assets/shared-DA-jacbm.js":"sha256-J3S75E6k/Y1jcq769VpjKV/NJMSFc/4ZoObE4nFVIxo=","/assets/sound-7qTTOUp0.js":"sha256-FN1ls1cZ6NE/S7IG4ft3JFWJxTxkV4sWyev4RSlGMTU=","/assets/style-BUeEza4M.css":"sha256-rdK6eXqze+mqCR820bbTkbpM/UbjFu5Mo4z6PeecKgU=","/assets/verify-DXDmrJiT.js":"sha256-tGdQmJwOOph2GAvVsbTmqLZRGBiIEvP26wkvXrVepiE="}};
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
