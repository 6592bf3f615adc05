self.build = {"version":"83Co+e56d8ZhbQqf","files":{"/offline.html":"sha256-3ZGpPiPN+BX48YZWqMSC7qV2w/3RNOBSO3j76mkGhS8=","/assets/Account-BFAIXIj7.js":"sha256-pxhRfZiM+peUU28k5onXRWzlHcpZPDZ9kmtdkNZ5pp0=","/assets/Achievements-tfIEbsip.js":"sha256-hmqzOsmbS1deNqis/baGvBy/S6lnOHgUStwA4zSJTnA=","/assets/Address-DwlyZDOa.js":"sha256-nY3jHhmYR6wPzxL2RP0hqg7QhPe4INk7kWP9+6tJdjU=","/assets/Alarm-BstTH1bb.js":"sha256-xdCldkSMs6v1y1/NYaqTytnfChN3gq7AK7aEaO5xVyQ=","/assets/Alive-l9TQpSC_.js":"sha256-1uE2Z8BNeE0LtJ6JLLwybMNcMjdVvuKoT2JUdV++mnk=","/assets/Arena-D2KDafQQ.js":"sha256-xbgMqWsqPBXYOiPqbAzenJ2mjrw8oEx1VkvsU7/vdso=","/assets/Block-hI7vXRk4.js":"sha256-yXMDHwRoJaPcmGqlZWq9hHQKhuwuTNbbwnBvay9m/7g=","/assets/Bot-C0GYzHRu.js":"sha256-4ui16sui1u2jxZFtEROoBBPn8ZPqx+LQCD697mKUo5E=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-Bg6wMk-6.js":"sha256-slsP9uy3yaoFKM77zAQGBybay0IQNA0M7Z7Ivk2oAeg=","/assets/Cup-CJ_FtcLI.js":"sha256-8gv0OlnaE/myOFkt2vJ1p5lHChN+AEWnhpkiq76CAYg=","/assets/Cups-BWEZLbi1.js":"sha256-+5NqiL/KFs7O5scYlvPYr5nS6B5mbIxl+xkN+YVJV5s=","/assets/Daily-CuDx49uy.js":"sha256-Z61cSHXq7YRZqSmxa+SE1ghPW8AEoZmQ+94xJYz0Yv8=","/assets/Developers-CxIhW1-G.js":"sha256-Yf9TFKrD7RqOwUMWkXX32Gax4HgWaFeH9rmw9eUv6Eg=","/assets/Duel-BhhUU1Df.js":"sha256-gdr9j+QDn1wgYsDoej2byD7UcLhHjxZOTdW/hMdqhrQ=","/assets/Duels-D7X2hbGn.js":"sha256-rhpurDFq1F+vg6pZhfBi947EtuDeF12m/3nPNHaoNUg=","/assets/Feed-DkWKh_Yh.js":"sha256-RWI8noK8Eg98KmsKYYZkBvwM8YtI69XziqowNoS1ut4=","/assets/Leaderboard-X7T2sd44.js":"sha256-DGgNxopLtj37bBlUuz4jqBVq9dWYt7Y+TXEHJKl4630=","/assets/Link-BDiBXK-4.js":"sha256-LvX45R2ATrN+Rhd1sDnpyLAGko0I4wPj/Ly3Q9v2dBc=","/assets/Market-CMMbWXUf.js":"sha256-1y01v1khJXA7yc/O/8xHIQ3v4JiZppHCYSpZPOnTx+4=","/assets/NotFound-DwRXmaCU.js":"sha256-AWo/MXteadOYsjdulk8ufIiQ4drV/EIw6PX62Z5Li7c=","/assets/Player-5z7cp6xE.js":"sha256-A+YgUQumEN8YvHiGLiF3ezfNxlZx3SRHRQUP+n9MKmI=","/assets/Portfolio-CBXllCs7.js":"sha256-K71SjV8xRzFDeqkKKc8B73s1VzT02ndjFg2pQh/65xY=","/assets/Receipt-DS5zFN1I.js":"sha256-CIItdlRdSXY6zlcy62/iUeEqg0SVof+CXnbnY8LvJ1U=","/assets/Record-DuvOeHKd.js":"sha256-YrDjyjzlWLpVYityhUpH7GAVkRthCLxxNLepGzAzyu4=","/assets/Reference-C8_ljg72.js":"sha256-nJPnAt3zcO6gFVXAPjsoBngzI7IUIRQuB1WDkpcWcmc=","/assets/Season-BQU3rD_5.js":"sha256-xVm8er1BGJroGq7QCElGEVU9Bh1IPrp51UcRDNIuYGI=","/assets/Stats-DgiM3_sW.js":"sha256-+NZ371Ns88Ju9gqTgO3EsrO4Fp1epUr4HPwt389J8+8=","/assets/TV-Bk7pjozF.js":"sha256-XvEZpNJ00kcj7oOH5G7fUuB077KD3iUUK3vWZQa2Xto=","/assets/Team-B0mJ511j.js":"sha256-q6T5Nj5JAC6Qv2+mB2xm+2NaOg2c+uxDJkQNGhP6H04=","/assets/Token-Ca1fMRxN.js":"sha256-sh3bX3BpS0UR/2G5iRh4OBCOcxwtM6nca4G9WBgt8rg=","/assets/Transaction-CyCUeykN.js":"sha256-GlHak3Zg36mbUBYBavre9C9L+FSL2lqW3llzLJeDeIM=","/assets/Verify-BLRo3R1r.js":"sha256-GXQxsZFS0vHcjN/Gojo8djgO8BX1DUyuoMQKrqcHXVw=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-IXGzfzvs.js":"sha256-8seLEXNAaJmTqt6gyAhY5fQizPREEi/bsSa/ZN9F31k=","/assets/es-TMLlLRxr.js":"sha256-ttGFXKu6rsof2OmsdQrMKWbn6JcdCIlToiJk3YfjLIc=","/assets/first-a0Oy2nVZ.js":"sha256-ZmKyov31oxr2W/E0NGVDmfSbPa2poEAsbuvQIozKrEU=","/assets/fr-Cd6lo-qk.js":"sha256-fw78o8pPnRa2xxQwUKDH9OovoL6nm+fLqNl+7QLg214=","/assets/ja-y3LvrOoF.js":"sha256-yEgYQJmzW6kf7RG+0Om0unswe+ow1HWRc1YLMUe63WA=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-BXxjAcPV.js":"sha256-ttD9TjEMo5YeDOIqMggsEhGKlig3ZOV7sVjAQzyp0g8=","/assets/shared-Bw9sVgS9.js":"sha256-W0Db8tbIcCfgiEfNmaIDvkE4RIDEpCg3TifHY6z0R9c=","/assets/sound-BNh--TIK.js":"sha256-2S/Dj9yOL/wRIk6A/NdWuuOuCHJ56+OUHkfgnrsdxlg=","/assets/style-DfGu96l9.css":"sha256-1rf728X/96rUUnfP6I3bOHBQcd4KKlBV8gFd9poMQr4=","/assets/verify-CYymOoHp.js":"sha256-yd5GxCOEBPeCj8hfWGh5z8xnJ2IYelQ0FLXsffTgvLA=","/assets/verify-Dis6H3xu.js":"sha256-iPJfWaBhENg2yUa6lpLamyCnC5S7nlEUQkL50OaHFg0="}};
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
