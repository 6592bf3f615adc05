self.build = {"version":"7LNyQCVrKYoofzsE","files":{"/offline.html":"sha256-l73mwdlzNNAKA+LxK8tBotcHaIzarbVbeC4APxeZsVM=","/assets/Account-Bx8UZnwd.js":"sha256-ZI2ELLHb6WWSVZboqUkYidDtFcw7Gf+ElOgvJmaxbXc=","/assets/Achievements-xDYMEhq_.js":"sha256-UE7Oh0PkH393QBHn3i8Xakb7Y6fzJY94d4NDLnDA09s=","/assets/Address-eMYmav8h.js":"sha256-iHywuaTh2M+y4+62s4BnfmjNQjTPazozNFme+U3oVoQ=","/assets/Alarm-DAYXC91_.js":"sha256-B6VKYVCl7T/qy5DqohxmKNnEViIxMwxkTe5OLHRsFPI=","/assets/Alive-_jglWNCY.js":"sha256-kKp8M80bU+BcR7HM213vT6xr5IarKMLXmhV/4ldP8Ts=","/assets/Arena-Ef070veO.js":"sha256-Nopw6hRsXJFlmIS7W1PMFN2amfQVQX40FBl5i9BUx28=","/assets/Block-Cp3KZDpe.js":"sha256-0pPc7mZJKYglFX6ylVxH9TbMljAfD7m3ritbhHsNwvU=","/assets/Bot-CNa0Lixj.js":"sha256-Yk7G4bZd/okprp4IeX0M1oUQNZs8KKOG7HIBINe0+AU=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-B4pzGR8o.js":"sha256-M5zLbzxt2uOoiDggTfXpKCuNvAe5m7Ysqr9sH1BQkfU=","/assets/Cup-B4GNAvMM.js":"sha256-sKsL9L9WC6jsCeGjv78QPPXA8tILGAedEtW6aqTavfM=","/assets/Cups-BVZFbS6B.js":"sha256-RNqVuSmgJkBzO4PGRZNa7b6u7yWt+1GmxEJxPI/HcwA=","/assets/Daily-B533n1bC.js":"sha256-lZawllgHydksn8L+f2sZlveRZdZ+7GR3yu1ku+UQ1Ss=","/assets/Developers-Cs03PEFn.js":"sha256-EgNaF72WC3E+W9NaZIBsTzzsrguL3Rr0d+cKmECOPRE=","/assets/Duel-BVqaL4Uf.js":"sha256-oM3auv0YU8l/Mg+34dpMRipCZ63bskQ3JBjUV3zRxQ8=","/assets/Duels-wMtRRojt.js":"sha256-ZxCw01nei4wwXm0qrcd5TP/MXzEO/Etld+TgFCVIcmk=","/assets/Feed-CZbmRTmr.js":"sha256-v8pSmj8ZatvHV+AgnlxiJM+FGWWJK+OAkkwNPIAvDVA=","/assets/Leaderboard-DVzBWsLs.js":"sha256-1PsSPg0Ocwo1XjGV7TmLKzZEDVSVObtF+k72nqYA7Io=","/assets/Link-BqzGJbez.js":"sha256-V94lHLR0R8Y6t7v3CXeU/Qxdp/16hTLa6JfX0tDPOug=","/assets/Market-DCAVYqhW.js":"sha256-djGZv20Kcb643bubvA4suRco/vd6Z/Sm9R4qMN42kmE=","/assets/NotFound-CvxhiZFH.js":"sha256-k6FDUAbHMvA5MXRA1W/xuH+Xz0lcIqeLWAyirNadzr8=","/assets/Player-B2d-Nkow.js":"sha256-g7LU4wScr0zrRopgYqXGDK9LbBrRxtdjXgwEXm+i6iY=","/assets/Portfolio-BF6H6yTX.js":"sha256-/wOxyyvN1YCNyyNIHELaI7s0dYJfSCSEiXWilC5/DHc=","/assets/Receipt-jgd6ZjGM.js":"sha256-b2iuhxnVZHck2ihRHGFkRwHTqGEnqHLp0LfzkL3fRpM=","/assets/Record-DeIMbn63.js":"sha256-69H+JKzPM0CT03J6brHxP6kggNLjlF/d2zQApQRcx50=","/assets/Reference-DVSKIk9D.js":"sha256-J0hX9EX1CbigSyTM88a5jZAIavuJ2s5PKlG6ETl1YTI=","/assets/Season-DssVBcsS.js":"sha256-ySrlMjimhAXrVO/lyhdMS/k4Pc+bTmr7ambrZX2R92I=","/assets/Stats-C1wVcOIe.js":"sha256-LkPTdv56BI/e0JvHo6zy6WtQ0ZzmjcmM5QwFV+M30/8=","/assets/TV-zfjfEX6E.js":"sha256-yZyroOyn3PMJrsI2PzaFP4bOVg9jEHcGSmIVpp5/UEI=","/assets/Team-CaGbB3bu.js":"sha256-bT18d07p+9Hxg4a2WKjmJcsEJIHjUXrr7WDjr95jt/Y=","/assets/Token-dFsy_gUa.js":"sha256-v5/wxWfoPo4cOtmRQsFFCpKIHVa2BiUmzt0ts8/9jdo=","/assets/Transaction-dsMCrwyu.js":"sha256-M+2VB8rSgTlDU3FLUfh1xcjo7vmvY/kfC8VcdQzCNk0=","/assets/Verify-BIAM2i4f.js":"sha256-Bp0Z2pth9MRTylnYssS7KRK3s5xJHn8icWjuw8IxiJU=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Cbqm0DEy.js":"sha256-fPQpOWhXOofTQnlqSgrCve1NJf5ZxyPz5gPywWzpXto=","/assets/es-F19BSIpj.js":"sha256-MrYlN7aW0q+LJ6Sm3wa2q1D1inj1+9aZ4jfTlmTnmlk=","/assets/first-B542G2hg.js":"sha256-GlqNIOI1QV9mms8o5YpQWYmePqp+JAUWNVxiH7Cilz8=","/assets/fr-BeNmsQgV.js":"sha256-aRsuWMrZyBJmems4ebtt5z/OTU9eEKFYECq0DwtjHJw=","/assets/ja-D014_CEi.js":"sha256-a8ebrL+q1Uj72lJV1eCD42DJerwQHnN/mCUVlrkhB+U=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-D1RVvitD.js":"sha256-cFz4U+CS1nhEHbHI4p3u5BI4zdvOOxnu3jjpQ45Ro1Q=","/assets/shared-DwvzOm9k.js":"sha256-o49TWkQlxbZm6pktJ50Ax3TxSX7Gn3rQytjsOuW8iHc=","/assets/sound-M86UlbVT.js":"sha256-JLE266pmyh/iEzfRExqu7pND0JzAfdt+9DO/9gZ7zCA=","/assets/style-CqgvT50v.css":"sha256-F1y0nRWKA6NKmNEHYyWDcWiziUxy66AoZVPYi1m+vMA=","/assets/verify-CYymOoHp.js":"sha256-yd5GxCOEBPeCj8hfWGh5z8xnJ2IYelQ0FLXsffTgvLA=","/assets/verify-Dis6H3xu.js":"sha256-iPJfWaBhENg2yUa6lpLamyCnC5S7nlEUQkL50OaHFg0="}};
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
