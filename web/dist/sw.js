self.build = {"version":"oUuAhLmThvioEkTo","files":{"/offline.html":"sha256-9Y5NOUyR2/x70FzLw5ko7dLT73C/YtuKUlecG6k30Bs=","/assets/Account-Eiq5SOMR.js":"sha256-OOdsIswDl4js56AHvqL81UnqarZpP6FADfk2EW0+sGQ=","/assets/Achievements-mL2GIHG6.js":"sha256-TOkhDbFV1wfL7K6Y4f2HsftFLICYiAmd5PZ5yBaE2XQ=","/assets/Address-DcPLFHzV.js":"sha256-vXrU+oCqH/Z39wyB2fAgG2per/LNIFJp0SU9oa+zU04=","/assets/Alarm-CJtfiM6m.js":"sha256-I0oDfh2u40zbJCaOkhte8FHhlI+rwfXViAUxFD+XAH0=","/assets/Alive-CmvlXFw0.js":"sha256-GGvqkThqJeupgud+4AFPO0XvMx+0ZsqV5CktH0YTlp8=","/assets/Arena-C8zDLGBc.js":"sha256-oiTvOX8IARepmj1zUnZKTTwuEcA3KlO17f1sTUFy4gA=","/assets/Block-DIbFRNuy.js":"sha256-IKne6lcE7KCHMnMvzvufFv+tjqbzPFH/IUgYhBITjME=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DogQGTkU.js":"sha256-M55ydvY3rN62JbqzMossOi8JYBA0JVNrk/zH8g5mjhQ=","/assets/Chain-BcEDOKDp.js":"sha256-OPvzpKZfqiJnwOcN9ee/qQeyOQKe2pyjJIXUr5/J19A=","/assets/Daily-CUkYGpTD.js":"sha256-Mquwk2+oKYRXLAH1wZ/tU6gkp9sIMHUgEXfnEqSQLjc=","/assets/Developers-Bzbt0jy5.js":"sha256-4ekVF5pNYJsXSoz3NH21WDcdYTo/nWcPAwGlJfWZVjE=","/assets/Duel-DmmX2KY1.js":"sha256-QpFpkXKg5RsGouOjHc8h5hWMzfd6ROU6l2wB0hn4VTM=","/assets/Duels-DILrdOp1.js":"sha256-wc69oSLVdhg1VMNZ3iua1TFtY7WUSRyoCFzzUr9U704=","/assets/Feed-BAD06U84.js":"sha256-1hLncAhfr7oJVcxM7PcJb/UP8lQmONfMKR94FQBvA+0=","/assets/Leaderboard-DzNjnh8D.js":"sha256-fQ2Tq9xSU4zaWZ5M9XfxFTXVxhIVFx4abTw9DkvANSw=","/assets/Link-DVDgCPsQ.js":"sha256-IgkJkQt/Q4PbeBkub98Bsbyxr6mT5rio4Q8+hvyEbgs=","/assets/Market-nZh7uXTi.js":"sha256-x0QHXIfF7TNaFjOJzU0qLcpNqfMwlBbmAbFEUqe5Toc=","/assets/NotFound-CehhCFIr.js":"sha256-Zc4VH6WGUr6KZrpjRCdz/7lDX4Vb0wy1fwQqmYXa3wY=","/assets/Player-BHbxK5vZ.js":"sha256-Bk2zBk+0qvLtqIL3ooUrCRpu+yaj3mXizkUpZ+uHWOc=","/assets/Portfolio-DIqKWdJz.js":"sha256-zWB4JWbKqX3RUlxX0KIk/sxhy4GEA4tz0hirsqoEnAs=","/assets/Receipt-1g5acX2K.js":"sha256-wlI5HVzvrSRYvSoxMemPMMHAE6jyafMQQAchaqZj+qw=","/assets/Record-CP8PuUJp.js":"sha256-iTnOECn/MsYscdpCb/AdBVmyKH6BhY3/ykGV3dhXacI=","/assets/Reference-BbAW1QqQ.js":"sha256-aj2QHTqXUODQ91QVvEYjQW9Z2uKN4y6oEtPu5LDj74g=","/assets/Season-bOjMYTj4.js":"sha256-Pc8bCNFqJMemfnqkkr8PaGZGEI6b17vvJJnGgSv9Ihw=","/assets/Stats-DPJbOmii.js":"sha256-SGMBQmm6qnCjkpEYkeW964JAwfp8qRRlk3s7Xc7Ycts=","/assets/TV-BPu-fN1z.js":"sha256-MGBMgUfijPbQ1igTSusMEqwNfSUSbV5NMF+5AdbIh38=","/assets/Team-CYRQzDpq.js":"sha256-3Td8EWSV6z8JJVGsxkJaQi+apOg0m+wNg66PII6yDfY=","/assets/Token-DJoY1zyN.js":"sha256-xcplxKo+NJkh/n0snG5d0H8lLKowR98oDhU0dqLr7M4=","/assets/Transaction-BxJtHmmF.js":"sha256-F0Wy76cgorBdJLzU7uVHKIzzxxLUuR/wcfaY+utUOg4=","/assets/Verify-CWr78IW6.js":"sha256-h96IiNe5FcpeA+EzOKc+hhloQZ6tSddO7Ax3gyTilEM=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/index-CUOputHw.js":"sha256-Q/cXT6Q6JCqvQwzY0k1xss6W/kGJFs59LLbvcLEVi1M=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-CgA6pCtH.js":"sha256-H/q9bYoQ8ySEV5d0DfCoYfutRCr13jq1Mx6Nad65ABc=","/assets/shared-DVN8SYCT.js":"sha256-kUeby3LYVAaG/JfZTdlYYzm+Dk0X8IM6ObL1Ss5Hvkk=","/assets/sound-CkpCIrrb.js":"sha256-9xHXQM46Pv0AbwD0g4w6nX7rqm+GIXPpN0VaFcrVewI=","/assets/style-BUeEza4M.css":"sha256-rdK6eXqze+mqCR820bbTkbpM/UbjFu5Mo4z6PeecKgU=","/assets/verify-DXDmrJiT.js":"sha256-tGdQmJwOOph2GAvVsbTmqLZRGBiIEvP26wkvXrVepiE="}};
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
