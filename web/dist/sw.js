self.build = {"version":"CxltmwYXSoO/+VPI","files":{"/offline.html":"sha256-p+1I1mupIJV9j4+lFrqnyLxAZSQaWgU0P9QqySi7N8M=","/assets/Account-L6i7TJa4.js":"sha256-BfOXwsHvQ1iYBErbdCgdY52qtsSLCREdualzYrLhVeA=","/assets/Achievements-Cb3kzldJ.js":"sha256-uHJKUnL153iKruDjQTd7eqOHbnK9bGhjMbgj6dTla8c=","/assets/Address-CPWjD_Lg.js":"sha256-0LrLI5tYlLIp70P6sZtP/wiAcpdiAwbvtF6G+Ee3gg8=","/assets/Alarm-ZooQL_-n.js":"sha256-hFxLcBthiBqUlY1Lbns+0yZKi2GCnykM4eKIMIKmXfc=","/assets/Alive-DfmQZNnY.js":"sha256-mWrVkdlroojx84TNSH3LYvqjKaf81755Rw8c986utqw=","/assets/Arena-D5RX7Gic.js":"sha256-qn5fqhlHvEA0k+6ulJJgX5I8LhRtzgsv+FvCWYEm8dI=","/assets/Block-DIVlLQBQ.js":"sha256-ItSL7OFpxHqiBxNC545YnaJkUpaiyoT86eEhWS22rA8=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DqFcogMU.js":"sha256-Ln4zO5Y1Z82KxomSiorrnPVjqZ5hKSMqdGuR0xE5Wa4=","/assets/Chain-B9S-h2kT.js":"sha256-cdN0Jgb3N8IdoRaLXYIYoSIIUNv43YqfS6vBghXzewE=","/assets/Cup-BwOqT3ET.js":"sha256-U82QE6BOSjG869pqsAoMAm4rjs6u3VV+3t+zY/0URMQ=","/assets/Cups-Ci6741B2.js":"sha256-WA/crGvXEJzos1kk0cHDliEMmbvRmgX665R3FNG9u/Q=","/assets/Daily-WH9WaIuA.js":"sha256-HzNDrk9MnvUynsmnGqAj4Vq9uvEoaBemODyjyWU8icM=","/assets/Developers-nuhOZgk3.js":"sha256-0TniVTWk/Zq8mlhG39avG/GhSWo2DFQZTcOxyrJf1cI=","/assets/Duel-CmZeKY2A.js":"sha256-szQeqkLb3ztFSQjVoZ06jOXrzxPVb7VLimj5635zZl0=","/assets/Duels-D-1K_JSv.js":"sha256-oW7RVDl4dxYCAR8V83N5OdXaOrQGnHv9VfskxAnnnog=","/assets/Feed-DjXC4bcH.js":"sha256-WpR7wYuoU+LNl8PI4rUlNhn27HWCVEOO98nj0MfsPQs=","/assets/Leaderboard-DltauyBn.js":"sha256-5QqsU4WFx77wL2nKrHzyieRXsmpFfipQ0Ek5H+CTrtA=","/assets/Link-DiHOz5Sl.js":"sha256-SKUFjsfBwC+UHhBhUtfHaRzvowMhUTXI1dqdVYXP4h0=","/assets/Market-C_HJ2zXa.js":"sha256-VLiW8F+dHPTGYMjzV2PHu9yChxRffQ1P1hKHljVb3+g=","/assets/NotFound-4KPdxM1y.js":"sha256-1zEF4n0IMVLIkc9e74Iub6/MQYgg3cb6bZIaSoEzoX4=","/assets/Player-DeBNBIWn.js":"sha256-cx4bGy4wgw4rk4TwUHJ0r++p5LZ3GeUUsnePFWZ4DbM=","/assets/Portfolio-Y3xX56_7.js":"sha256-rcWFj42M6YOPitAwJ8IzJ0808ub5chCN49LkZBEvNKc=","/assets/Receipt-gArTHEEn.js":"sha256-Y/Q8oUJ0sq9I9XHOMPCUXEgmwPeelAD1LiTKzlRhfFg=","/assets/Record-BZIkhm8A.js":"sha256-hZFO4Tb0cg/Fzex/y3h6vj29hjMTw1v24LSQBmCxD8o=","/assets/Reference-u1JTn5H6.js":"sha256-vwhmtog4VXk6tsTnxLAjwrA0vfeworUYlag2dxaQBfg=","/assets/Season-DXo0OTaz.js":"sha256-8IvFRW25R5X9gYThuDxqpRVwws6AXyMlZRGnsqeEwtY=","/assets/Stats-zyhnGhJ_.js":"sha256-P6AfvDF5NTW+l9+sHwSBy121cbDjNi6P9mstbH3C9KA=","/assets/TV-C9BJzGm8.js":"sha256-aeBGgAJ9NRQCdCMx2rlNhV2A2T3bun0o3daQFi0EUiA=","/assets/Team-Xtre5vXq.js":"sha256-eopTtbn0YbRh5IwNdnyCfSh3Ay9dbC0suPsR8D3ogm4=","/assets/Token-Dfer_rOS.js":"sha256-WffjC3LKbSFfJJXJS367SzAQAuHW51wTgeRiNvJD8xA=","/assets/Transaction-BfExIOS9.js":"sha256-Iu19kU5NiUOrXUjXMCfrtu2gEhPbSOgxOyaFvWlkYSA=","/assets/Verify-Di9mIGl7.js":"sha256-/F4HWVNviL6H44czH2be034HyzBSGiPb1dQ7CE92TVY=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Cbqm0DEy.js":"sha256-fPQpOWhXOofTQnlqSgrCve1NJf5ZxyPz5gPywWzpXto=","/assets/es-F19BSIpj.js":"sha256-MrYlN7aW0q+LJ6Sm3wa2q1D1inj1+9aZ4jfTlmTnmlk=","/assets/first-qGYf8G-q.js":"sha256-G6WXCOeZtQciQEpfgiLATWlh3kqUV4c/Olsco3rikLI=","/assets/fr-BeNmsQgV.js":"sha256-aRsuWMrZyBJmems4ebtt5z/OTU9eEKFYECq0DwtjHJw=","/assets/ja-D014_CEi.js":"sha256-a8ebrL+q1Uj72lJV1eCD42DJerwQHnN/mCUVlrkhB+U=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-B-822StW.js":"sha256-8O+oW9clD+d+sRJhxm/qoKTwV8mbnhLHn1DIpa+yciY=","/assets/shared-H0KlYp3p.js":"sha256-CXEs+fwWf/vs3jnV3FLiCgqymTMO+tdX1woWfRfR/AI=","/assets/sound-CK-jgcP-.js":"sha256-YpGs7p2bd3mTPP9h8OLuv4MRuOFDEqHp0GtQvxOsjoc=","/assets/style-CEZ9Fz2C.css":"sha256-Kxr1pDWp5vYOpoqRl7jreLDRMRiuNq3XpVMecp0PFIY=","/assets/verify-CYymOoHp.js":"sha256-yd5GxCOEBPeCj8hfWGh5z8xnJ2IYelQ0FLXsffTgvLA=","/assets/verify-Dis6H3xu.js":"sha256-iPJfWaBhENg2yUa6lpLamyCnC5S7nlEUQkL50OaHFg0="}};
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
