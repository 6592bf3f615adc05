self.build = {"version":"ufpWSBsryvZECij3","files":{"/offline.html":"sha256-wq4yNkJZ6rCLXBeX7D60oJ/LQUSTgLLKYCy5slS/Qb4=","/assets/Account-C5TS9oq8.js":"sha256-HG4BSkLiuy0DlMtuDvYp4BWq3O1A7dYDbOEvLQ2eQKM=","/assets/Achievements-Dq5xozRf.js":"sha256-i/Exm39vdkMzFz+qwvpQidPQrbeSfYnMJLkNUTCyDOQ=","/assets/Address-DnIhcpfn.js":"sha256-b5Uq9swjm7v3rLisxqOe7gkO8vUYcuE7yCs4jcrEv7g=","/assets/Alarm-CGbmGOFJ.js":"sha256-YsmFmYvJIPByTrEMTRvqcBUuQ68vIyfgCicn9R+CdNM=","/assets/Alive-DRxw3S0a.js":"sha256-4m3HbUQY6dTbkpQ3arAhvg/B/pZxO2sDaGaCTQ6+3Wk=","/assets/Arena-BtnObhTT.js":"sha256-pZb9G9j6YGcA574c81pZDXSke9ou4nAH8WCOimqiU4Y=","/assets/Block-DqTA_RYa.js":"sha256-ErKwoDhDytxwxjpFrm3tq4yrCJGavJ74FwfPIhXs8CY=","/assets/Bot-5T8f57uT.js":"sha256-3Q3oII7yBME650CnoF6BOIjpphzKcY3qUTTlgNpvdG4=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-6wSGd-gG.js":"sha256-iTzzliEuSmskvQZ6HS0+zLG8yGxaf6TcUbvU+olb0zE=","/assets/Cup-Cown2Uvq.js":"sha256-DVF13c4BCBC3PergapMe1B/qtEy+ZWPnNi5OsS6OGZQ=","/assets/Cups-Bj8yaI5Y.js":"sha256-F45cbeuG64cLw78juZgclO7NGGIdEsBuIi97gLb4uqQ=","/assets/Daily-BzH15qIg.js":"sha256-vStELQQPTGA4Fgiexks3g6fmx2s1ugxAWdfzZkLojx8=","/assets/Developers-BtbzM1n3.js":"sha256-nPpTxHtUzg+zadqskptZaDKw0gu0vzgJI29QZoPdpCk=","/assets/Duel-X3w8s6UO.js":"sha256-/DppTD7PZCUXPA4IW3psGiROUYMUuczZKyi4u33VIsw=","/assets/Duels-9Q3w1nQ3.js":"sha256-Dth9OEAd1ZjxrzG3vog7XtPnQ8QAc0GuNZhjT2DJ/eQ=","/assets/Feed-DDibnsYV.js":"sha256-pOz3TVyEKkP6NAeUpqUAjmDosEKOlJM95CTQwtUQD18=","/assets/Leaderboard-B0Jd9UYJ.js":"sha256-FxOhJlHbyIIcf1uD9N5KqlTzOTy14Y0QHiMQkDs80Z8=","/assets/Link-CdNw-5tl.js":"sha256-KT50QRLjG3KW571IRTjtAAFyEYvG7LLkRmv3mds4KVY=","/assets/Market-pLTSGMcz.js":"sha256-JluAR26L4y6ZHD+hVrdjbLf6GrRqKO8UwsjgRdQkHH0=","/assets/NotFound-B-8LaPa1.js":"sha256-r6ItSVAAs5k32u3HVZOWvt9ojhCMBUCaxG937jrmZwg=","/assets/Player-73qjw0YN.js":"sha256-yTOBI2viAdcXYoKYHkT2vMieb5yq3+z3MHSmZj4ojII=","/assets/Portfolio-D6nfPHZn.js":"sha256-X4Vc+0iIVsbE9RvyK4B9wA2xNJOW7fCKgAHt7/W1uQ8=","/assets/Receipt-CifdxePx.js":"sha256-ikE0nZXdecxiEhqQpawQXMXEpy5a3WdTDzMnHw/qk14=","/assets/Record-Cb9bCqip.js":"sha256-ZTsG3Qce7t/45aOjejf3NocxUcUxiDnLFkN56OR094s=","/assets/Reference-D0mHsvS4.js":"sha256-Wwrn3/uA7VCzaFRYPPs6gtjIRk0an8JhXyl87GGZiUw=","/assets/Season-gnRK0F0X.js":"sha256-DBvKJdJWLD5HmeowDzLcw7rktHzlby/gW9CzEwSsMBY=","/assets/Stats-B2AmROWz.js":"sha256-r4wBkUiwOTobTcq6V3idouEWgYmKxn8Kg7Cun7FEe8o=","/assets/TV-u-iL_adg.js":"sha256-Azx1WQvBNfmpO84ccLquf9fVxf8tfFDnnwK4tR5Rqms=","/assets/Team-DydulEqg.js":"sha256-pUSC+GibqoVQL+COCotzzfM/sP7XNx0amyl/6BSR5Wc=","/assets/Token-DWqsOYPP.js":"sha256-7A45NHkazQoWuaYklPO/xSP4Pdt0sUg670//dhWfVsM=","/assets/Transaction-An1gHeUX.js":"sha256-vAnhCGMng1Mj65da/IdF3LhOFT9ezpL4tCB5AJahNRg=","/assets/Verify-BbQ9xKhH.js":"sha256-hTJHArjOMVAhAX3uIVtBjELKXNVuPuAupNZM60bqy20=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-IXGzfzvs.js":"sha256-8seLEXNAaJmTqt6gyAhY5fQizPREEi/bsSa/ZN9F31k=","/assets/es-TMLlLRxr.js":"sha256-ttGFXKu6rsof2OmsdQrMKWbn6JcdCIlToiJk3YfjLIc=","/assets/first-DOwLNhlA.js":"sha256-3IzFUoE9biTSdnu3JH5VbUil0LsjcSRrJLqmAV5MzKs=","/assets/fr-Cd6lo-qk.js":"sha256-fw78o8pPnRa2xxQwUKDH9OovoL6nm+fLqNl+7QLg214=","/assets/ja-y3LvrOoF.js":"sha256-yEgYQJmzW6kf7RG+0Om0unswe+ow1HWRc1YLMUe63WA=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-DHpB_liJ.js":"sha256-cxQVEu47xm8mi7AE/1h7ntw2f1IaJHXRLdS8o3Ccjcw=","/assets/shared-DI9OzhI_.js":"sha256-7ky44ne7vhz1tj8sFJJZKhPT65E0OPJQbjuQVcFY79g=","/assets/sound-BpERKPy_.js":"sha256-a3c1lCZH9DA+60dAWynN9eY+/ZPyCm+wNzVVEg6w11s=","/assets/style-DfGu96l9.css":"sha256-1rf728X/96rUUnfP6I3bOHBQcd4KKlBV8gFd9poMQr4=","/assets/verify-CYymOoHp.js":"sha256-yd5GxCOEBPeCj8hfWGh5z8xnJ2IYelQ0FLXsffTgvLA=","/assets/verify-Dis6H3xu.js":"sha256-iPJfWaBhENg2yUa6lpLamyCnC5S7nlEUQkL50OaHFg0="}};
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
