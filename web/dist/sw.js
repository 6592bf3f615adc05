self.build = {"version":"EF5zshzpQE0NjoK8","files":{"/offline.html":"sha256-acOBk8uII+Zu9IpYnfbGnMB78KLbNVLQsPhwsG92DoA=","/assets/Account-9sV0btLB.js":"sha256-tKJqgc9xL9STvEyTeCrpV4tC1TYEdyiU8zmpuPuUJRQ=","/assets/Achievements-350wjcuD.js":"sha256-g+EHVZeU/cFY1J8wBPO5p6uIIyCfsOiT8gdtaaqgzh4=","/assets/Address-aZv6vKLk.js":"sha256-MwLrm++cWr5kNEAzY7/hwfe3ibJ3LWv0jUCUbxy4NZg=","/assets/Alarm-m6jvqDNy.js":"sha256-WPMdM/1A29wR48T2YlIkxpM0dzTyuSXo9LC3YrnGTjU=","/assets/Alive-BEqyuQ7o.js":"sha256-WeqU/cMHQR81Iau5PCzxgaziCaYU1N3MgwK2b282dNw=","/assets/Arena-Df2tKX6x.js":"sha256-Rc/bgTCgOLzE17Ket11Jp8ecncZekBmrJOAYhbk52j8=","/assets/Block-mR4GXChl.js":"sha256-zOE/au2gmdbPaYqRC2zYFJ3qevCj1LnuiyuYC04jTRk=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DNoWAlaG.js":"sha256-Ifa3yqRn/g4yzlk23zyVuFXcmaSC0dk5BXMCTmKL4Bs=","/assets/Chain-h8ou9Jro.js":"sha256-m+n6U69P6jekkAme+oAHxR5F48KzYLnANppAk/rPIL4=","/assets/Daily-C8VjHzp_.js":"sha256-791cFeQNCHzs30gQ8xyRNtD1L5TpuCLAxZYVvzdxwX0=","/assets/Developers-CzfiuShc.js":"sha256-eL61+K2lYFkBVsLbadXB9YZOaeSpITZ6bm2sBhLQdCs=","/assets/Duel-D0bFYUrT.js":"sha256-y1arU6lIGy+UFDd/z6I8JROmhsSrHyo8HOL1klYMb1A=","/assets/Duels-FyNV23FV.js":"sha256-a9NgNwRUZAZzXYiGXMTMmP94HRLAB2wjvzzqJXF0E3k=","/assets/Feed-Df9s59Xf.js":"sha256-LeLJA7nvnVo4vUJ8wFT7+/tTvO4ip7LY+xGInhq/avw=","/assets/Leaderboard-C1y1QHUs.js":"sha256-oRUR2Z44pY8eN8056x4BcYEgvBfxXSTpwcu/LVlbrz8=","/assets/Link-DbMyjqc1.js":"sha256-M+hy0DpVrR7ZlTZjq3DEEEsS9dkua0TiiX8L8cNi0tU=","/assets/Market-BnmQlY3i.js":"sha256-2gwbZb+9ENRu+2dvBd0GtB0wdDwVSgakMolpslb3Ajw=","/assets/NotFound-YRqZXDN1.js":"sha256-IMc5z+05nJe3A1nIeuPzdC4AIOYsk2Ks5EWe3IN6AzY=","/assets/Player-BWMHrmk5.js":"sha256-rGz9xZRXKKGrrlyXbMItTgHtGMnSeN+m5zQ8ouWwRgo=","/assets/Portfolio-BUDizyo3.js":"sha256-X8SbknK2f6hBbf94UPi25Xq+lqGxm+Ms+oi+KJGfRHk=","/assets/Receipt-DFqX_RM7.js":"sha256-ZSzGSwg35cQtG1pvxpUTHuO8P8ygOmqFID46uSc0wdE=","/assets/Record-TbIPgb6q.js":"sha256-oZGcVE32uZnk1pEfq9w7L1xmT9Uc/ZLo/1fruLtaPDI=","/assets/Reference-BDvcX0Dv.js":"sha256-eu1VVQwB8JRg9A/fdCtU069azgHDxXiJyg6PLCPfenc=","/assets/Season-Ca5GNIS3.js":"sha256-2M3aaHA0rRWcBesvW4oMSEvbd6U8O4sEGK7rt228HYg=","/assets/Stats-Cjo08kPH.js":"sha256-EkRQmfOVZ6i4Hu34Rn4pH+yfTsXlRgE1EgeksWG2hps=","/assets/TV-0gZRQnRM.js":"sha256-0ymm61ZPOOgpbOCF9X5codRI4sGLo8YTyOimXTd+a+g=","/assets/Team-Cs7l1Yw6.js":"sha256-Mmehj0vdvHKgCrt2gbNRImMk5ItvWFr4ygx5y4H5Kyo=","/assets/Token-icSChyTM.js":"sha256-C8/39EgeH3s+5W802foFGnebpDtCBqg6SRZjYfQ007I=","/assets/Transaction-BJOhcmxS.js":"sha256-Rht/crcnO0wBrFeWcj24QXIRlcn8ywJyMJthv1z5C1E=","/assets/Verify-B1Ad6Ejx.js":"sha256-m5YqnFg0cP+4enMJ6oQQq1BACZrxmS8wBJry4c3YFxU=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/index-C0F5n5z9.js":"sha256-cebcSRciX/VkdS+cFEH+6b1PI1ws/M2DWibsgaeXbEU=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-2C5u-TKc.js":"sha256-GbnMkVMtF7veFuA6l6Uq5XLpyQWsQSZwJ2uq20xDLII=","/assets/shared-dpBBmsgu.js":"sha256-vBb9efY7QHhPZGhD4FFjbSuv01oK3bNrC15E3qDuaAw=","/assets/sound-BRG8LZXA.js":"sha256-cMBeNruB5v51P4pOZKQjRjzE8U8j0PrGxWLL1A4sV88=","/assets/style-BUeEza4M.css":"sha256-rdK6eXqze+mqCR820bbTkbpM/UbjFu5Mo4z6PeecKgU=","/assets/verify-CaXifey7.js":"sha256-onpHvqG0DcabxmQZBO+r7la8K7ngTjNrqEY2xsyTI6U="}};
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
