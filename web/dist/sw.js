self.build = {"version":"0H1ZrKs2S43bzPTL","files":{"/offline.html":"sha256-dYaGb4pt+6JAa63wg1eCE0DiaMzDM7JEJrTvNqT7hW0=","/assets/Account-s9E51Ber.js":"sha256-uQPUMOH6+5JWwzacLRaR1TdGzJzJOoL+/e+Zdval87E=","/assets/Achievements-DmaeI25d.js":"sha256-j46ic43NbfqYX35/iQrZktilQWwWBV0CkHjrZBgEAdA=","/assets/Address-Bd6bXVQO.js":"sha256-UGRyfRx+wQX/kEf0TBm2q+VI1dxiEH9pUiPsTwaoYPc=","/assets/Alarm-BCmuXAW5.js":"sha256-iLVxJjtEmh7M0zhL+IokBnxEF32W8tuEuG4973XFP/o=","/assets/Alive-BWRs0hta.js":"sha256-g9LNzgPbQ4eoQKtsaSa+35WwwwCGnOj03SOnwokn/9s=","/assets/Arena-CPxf5mfc.js":"sha256-HB7JXnh2BHs0w0ba7smPQ/aczDT/24WqZpNLkcIHjWU=","/assets/Block-C5y_7FLX.js":"sha256-Azp7erqIN5nzYHxL0WxDQlo4l1OJScWdg8g8XqelWCI=","/assets/Bot-_wrccs4w.js":"sha256-9mh0MMVVajfBUIAUmPRgq0H+iaUWRYJfdUkjIt9lyRI=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-D2DZ3810.js":"sha256-0rMtb57QjxHfGAJjUFpQpp2Ghs5UOver0/CwD+NTI24=","/assets/Celebration-C4dtvjgy.js":"sha256-RUfkSZO0zA3Pro2/B3+iiGCBpngA0y3wDanQeZ5pK1I=","/assets/Chain-C8Qv0r1B.js":"sha256-B3Xz4G6ekqiEgBiY395jc9Dw/N/ReVDf0iGpVHxa+B4=","/assets/Company-CVjH-OY9.js":"sha256-glf2A9IZGtK73RALl80VkHvlj13Qp6ENC3qtJBEhZtE=","/assets/Cup-BzDDBo0t.js":"sha256-bR47Yd/KiZEcEOR+ZC/Ydp89MmHCtTTuZ9hlw3R1xKI=","/assets/CupLive-B6JhbAYl.js":"sha256-hoaeFlhlL0vOTjXgfJRevzJOIGDK4brXGbKNKt4dOXQ=","/assets/Cups-DL0JTNox.js":"sha256-9ObIIgO1ne2FHG4rPImCri3fBM4aZg60cj42oFDsAz4=","/assets/Daily-Baxs4PSr.js":"sha256-PBlHpybyTw8akx9TIVOv4b2+GNRqQHvRAqnWFujutL0=","/assets/Developers-COsRhXCX.js":"sha256-IN7ZlfmFp25bWPG/b4TRSqs+QcRRpjm50+bb7LvQUwE=","/assets/Duel-D6a2dXBy.js":"sha256-fduZLXXZzhbc+SFtu9rxgyX2FajsE6M0h8Z4lmA5/7A=","/assets/Duels-Cz7XtL_W.js":"sha256-UJ11fihuhCeFvzmv+2rxuwUmTHep2jw03Tm1WXPAonk=","/assets/Feed-XcG23ltv.js":"sha256-Q0YA+LtftnN0xPhLjJxjjDoW2OP/uv5ZAuGQU5mFyKs=","/assets/Help-CEWHBW3D.js":"sha256-Ck7bkVHPlSSRI9/YgeavPy5FKhD8V37pB2OvwxgkxUQ=","/assets/Invitations-Dua18cLc.js":"sha256-6rh2TQTHTZGMWaVVDyX6pNkbim685w9RgJzNitPEdwU=","/assets/Leaderboard-B_P1zWLO.js":"sha256-8/sh9FKuhWsc5Tle29jDtLbA75v1jBtolBfpk3zCUKs=","/assets/Link-D3oOxqF9.js":"sha256-yiXctXG5GWNZyqWqDfqi2CBQJ4TsV7JBEgBwi454ArQ=","/assets/Market-zznJIvBU.js":"sha256-Vs908CaA8J0bXX0zD9YOX1VQPWXyCiXNBpKDO1mvTF4=","/assets/NotFound-BK99-Eqt.js":"sha256-FUphLD58llCo/9DEf76vLZh9uiFTb6WejjT2OnulTj4=","/assets/Player-BzpZ3rIM.js":"sha256-6DDv+3kQe5cQNsxF7w+6hnucNB7vXZLinfRyoxFBggI=","/assets/Portfolio-BjXRiODu.js":"sha256-GQU7IJqwiT2cqYm6U3ETz+5SGSbQkb/o1YiL6mMZV7w=","/assets/Privacy-CZcYHed4.js":"sha256-+AgfRn8lqUF/0GJ06FWYtfL6fV0bSONbifrlFv3Lo/8=","/assets/Receipt-D-WBhgLL.js":"sha256-3it7Rl96sKlIHetsAmIi0V6tWa+C1waKF7NE8lAvljY=","/assets/Record-DjuWO0KG.js":"sha256-N4QGrRs2UC4tOz+tSkuEg3oDVzGFSENsm3+4tygQG9s=","/assets/Reference-BC2ncZjR.js":"sha256-ejvEMkugU0CYtRVAeUlp20zFtqiZ43oFdbGNGy/T+Ig=","/assets/Rules-DLLlZvZG.js":"sha256-eTRagmnMBqecMedwBFAkrff/cR2qFCIsRAwJOeKlKGw=","/assets/Season-DLphOXad.js":"sha256-anFQlnO1qayUQ0TqipsIORhoFhLwgyKjK8lip5U+jEs=","/assets/Stats-B5fkn4u2.js":"sha256-Uf53kJCn3jnwm+PpgyHpEzaDH43/I3XqUjhImab9kjU=","/assets/TV-XsLGVUDM.js":"sha256-B6K9ZNmuUMyk9yx6CIGqjZwJJ4JAp+Ke4dc9e0uDCKg=","/assets/Team-Dhn_emsk.js":"sha256-8kBk2/e4xTe3VslvNFFViVMbBuoAupLC/S5ilGBhZNw=","/assets/Terms-CnHslw3X.js":"sha256-Y4yM9AWrOZgbEJyasmefU9AFFfkESaGcp6qGZVyXd4k=","/assets/Token-D9TS1dW5.js":"sha256-z1GGu6od2ur8666cDCTY46vJejTUmwZgTdjOZWKfKDo=","/assets/Transaction-CgLqPK1i.js":"sha256-4NRb/rebhQop4ldQ2leFS+XQMxUGBDzfeDzgsdXergk=","/assets/Verify-hMlRiuZF.js":"sha256-BxQgm86X2PXLMUu2pOBacN5cIntFHQcIJ7mbdz07VuY=","/assets/WhoPlays-B7tR7PE7.js":"sha256-UMB4E5TtuiUegOzvrNk331MtI1WtVhD2eD4GYOl/m/M=","/assets/alive-8GWkp0EW.js":"sha256-VurKe5LHc6RupzXP6HmTdTYEbEuR6DIOF1V/bHISKNA=","/assets/arrival-BDeHKzjl.js":"sha256-9BgjAkbVj9can1w59fPPvB0ZFnuI+OFZTTfSyPB+Zxg=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-hPnA7uIC.js":"sha256-c2dOp0YsDu86MCWa0GJv03GfJ7wvgFQgi5jXbMPEjUw=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Zti0cFg5.js":"sha256-BtbD/EVcmNuEwqdse1L6W5QhLAPTd89/JMDxmeLLgQk=","/assets/es-K2ogjKAL.js":"sha256-Bref2CfyNsjd1v2S7TPuG6/NpxDph76U4rhE753FgGY=","/assets/first-jzt0m_KV.js":"sha256-K4+7xyBMSxhdzBKpsg8YJhEkHwbBcfmi5GtVlTxVIkk=","/assets/fr-CFON_uEr.js":"sha256-386SXQecdJjG44RhX1jOpEkOxG3FsrzXgpztteaAsBk=","/assets/ja-Gdqi6VX8.js":"sha256-m1q0LdZKTZNjJLreODXjhRQxuEhsuAeZ2eVAqb3/Efk=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/proof-wrToH8Jj.js":"sha256-dVHerGDmQ8sL2NSDWleri5J3TVFHWYiqWrAXtXzMwo4=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-BGSm0_C_.js":"sha256-mroTs9fCC50hbA3YTxIvl1iN8kp0SPfx+KUaY1VpdUs=","/assets/sound-922-utFp.js":"sha256-GJHr/JNfXhfjgs/2utIrBqMfmoRLq2gyaMfFgNJamS8=","/assets/style-C7wYITPv.css":"sha256-Q5bm76Hc89WyGntyHhrTXwiYMkuIZFxbGZzJp1dcsik=","/assets/trace-C3VNVnxL.js":"sha256-VGQdYEFkLbVIFMyZdYO+0GvRVgbBvtMVp0UG4vNREHQ=","/assets/worker-D85i6-Xd.js":"sha256-cKhszxvu9V0B6ZGFhAI7v53yv5DJ6YL+prd15nfkrhw="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - A document below /docs and its pictures are kept when they are read, and answer without a network.
// - Answers of the API, the log and pictures of previews (/og) are never kept: an old balance or an old block would be
//   a lie.

const { version, files } = self.build;
const kept = `roshambo ${version}`;
/** The documents below /docs that were read, and their pictures. */
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
  } else if (pathname.startsWith('/docs/') && event.request.destination === 'image') {
    event.respondWith(openText(event.request));
  }
});

/** A click on a notification (stores/notify.svelte.ts), whose data is the path of the page to show. */
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
