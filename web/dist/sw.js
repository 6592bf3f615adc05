self.build = {"version":"3J8dXv5q72GO2ErF","files":{"/offline.html":"sha256-dnedLDzdvwDM6JcEogGutXoCNl2K+R/DE/Sq9pMn0GM=","/assets/Account-DETttZkE.js":"sha256-P8sCsaMrNyqd5oLjYH6YlG0PP6ZzBzKL0qsehVjcUyI=","/assets/Achievements-D8OK3OEs.js":"sha256-fpmUKM0o4KHf1asPpT7dtf325bdOdfRa/9p+xXH/nGI=","/assets/Address-BplhDH34.js":"sha256-WEC71nnWAGi3l+9Ou1xG52YqzJrr7OZSqSjFzljK8jA=","/assets/Alarm-CiRRMMD3.js":"sha256-5/gY+SWLqXAxLlPDse9OZL32wuBOn5csiljt3teDgsc=","/assets/Alive-BUcyi-Xe.js":"sha256-6ast/Qbr8C3JM+CWGgWNDu0o7yC2QiAt6ni7D9X5Z9g=","/assets/Arena-uimlV5zv.js":"sha256-R++MQAaMe/E4kFIrUDuTtbJZovC4faD6K5efhQdC/2A=","/assets/Block-B7UQlwuk.js":"sha256-M8cGnWsKfNBqsBaIh+B1YwqwKxYgvZUKhSjz72rSOco=","/assets/Bot-B05bWlvz.js":"sha256-/gIEoUcxY8w3JWaYtR3T093g95cL/BU4e/E/ArHAxzk=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-ByzsPDgB.js":"sha256-zY2vpIGEzqBUh4Hqg25rQ1QOtBlIHT6XcOFxoVoJzFw=","/assets/Celebration-BIP6Eo2F.js":"sha256-D/ReRmqeOocMIMp+SsMq3T6LP5uPM53eVqj6OfAixO4=","/assets/Chain-CnTUrE27.js":"sha256-h0Feo08nxuJZTIDZxZz5lUB9fZyEjABJ41lCb+6Z3do=","/assets/Company-D6UhD706.js":"sha256-BWmhPSuBYLWDKKe2P8Q6dG6VzfB9jB+/IX2rFO/FEDw=","/assets/Cup-E_rBsGzG.js":"sha256-NX4rjTBO4UuEfvebddrX4oRkt9XTQs82xTF9LRuCe5Y=","/assets/CupLive-BckILUIj.js":"sha256-lhoOyscRI8HicYp8MwGbucps/OiLJjdGkJWwDt7LAng=","/assets/Cups-5rMBQ6zz.js":"sha256-lWOXxdrFSOOhlUyep3ZxN4zWrqm6SxaxS0l/R/ZVJ8A=","/assets/Daily-CurfC3bt.js":"sha256-CU8YjejdIHNd9lTT/Glxm4Eslq6KwSxEh5GSpzLyzj4=","/assets/Developers-rer3PeWe.js":"sha256-DPshwn2uw4hsJAcIWz8ms71kKNHCz5WpxhIe2VLIv3k=","/assets/Duel-1531MUGL.js":"sha256-3mK5x0PSntNpqMurbhHh8OvtA0M8fWryQMxOugu5ngQ=","/assets/Duels-hrkBo39Z.js":"sha256-IMth/OWnuk2S2lsx8uXnBjVXaAqWM30vW3KxwZsgUbI=","/assets/Feed-NGv8JC5n.js":"sha256-EkHXReEVE3cllhtFyo68C0fuAcz9FqF9Ejx3yPMuXbc=","/assets/Help-BjtDHLjB.js":"sha256-+Mp7Of6iLYDld+A0f2Tq54z7MJ0SgCMuXMoVYYfUyEU=","/assets/Leaderboard-Ctbbl9f2.js":"sha256-4nz1wr2+IYQ2gsJg6zoVQhhVvDbpgC71xNsMisoMZFw=","/assets/Link-Cr9HM-dC.js":"sha256-x14Xy/PGWzyVwA5qSPFwoek7ohLIAC60m7DMnFlVH/I=","/assets/Market-zMID1SpJ.js":"sha256-Hd9aoLoVnrAuGQg4B6cstcUX7I1MxoCvuBYS057hDqI=","/assets/NotFound-DGwL--0N.js":"sha256-4v+Dq1Qy44UI7701k7k94G31xbdyCkIR4VtJm29Ju8U=","/assets/Player-BpP80MKm.js":"sha256-lCo7S9eAnIRt++jYcAyl0F0zKvIawmKdVfNTkc2ZHGc=","/assets/Portfolio-DBQssaLP.js":"sha256-irEIbLI6wY75rZDrXZ1V2QRuhFbuTAlOBvdLD7AbxKw=","/assets/Privacy-CGQJQJtZ.js":"sha256-rq5dUaoMfgP2gGakJ0LIX56bBo4to22+d5xzJ9NAV6E=","/assets/Receipt-BdrAnico.js":"sha256-Lw66eRBSvwYNbebXcrzebDfMOyHu7T5omKbmwXaB/7Y=","/assets/Record-DauQ8bru.js":"sha256-65a4Zm2jfHQN5L28Ce9QgAIvmrAV8V5ZffjLdtfHMf8=","/assets/Reference-DXocGieq.js":"sha256-iAKD2VCDnbB0F9N/OcPcsr6Vk22IzBZsmb8Pt5Jow9s=","/assets/Rules-gUB0FI0H.js":"sha256-UNQ3GMtFNnkBOpd8xKo5stSHD+cqjVc+lS1dv0h0wac=","/assets/Season-DRFZrKaW.js":"sha256-SzqmMrGInoITJvp11SHMkwsrXcA28TObEne+cpwWFx0=","/assets/Stats-D0VPKxYx.js":"sha256-eGZvpQVyLm8yk937GSRzEePx2JOA6Zf9c9xcT6MvxOw=","/assets/TV-DDXWi0fa.js":"sha256-v/oOil8tnA/xO36SIF0e95lJ/QIbu6LRjM7ZxRde16c=","/assets/Team-CH2YU-oa.js":"sha256-OhGsusHB6Oj3nRqCVmFGSwY2C1gxJ7WLCDfztrTHjpU=","/assets/Terms-_XOtD9xg.js":"sha256-+W611l7L7s/sBBYLH4CNfkyvxTUt12poXH0OOD41yyg=","/assets/Token-rIBxR96b.js":"sha256-ZxvIG6kbLkGEova6cWM190uu5Z7EVLXxRk9AdR7iGw4=","/assets/Transaction-DyBAVv24.js":"sha256-MXfO16k1Fpdv5o5cfPRuhtYF79SxMItAkpvicDQIIhs=","/assets/Verify-8VEkb8Ke.js":"sha256-qP8uqpkCaOzjp/a/cmPhopSYHWFuHD5BjhSsVgREBBU=","/assets/WhoPlays-Dp21eRmi.js":"sha256-IO/4dowt/R/NzS0a8ZEf6cPcct+PM2j32G/qSnfviwY=","/assets/arrival-BV3USQG5.js":"sha256-K9Oqg2rCu4cC/nZeq4O3Tdle7Br+fV2R1pjTTy6FuoY=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-Z4PLWIBb.js":"sha256-/Ayb7tg/kRlSJRb0pRbpmKkxaA1OaYsVodQu/Qa5ivs=","/assets/client-Cc55HZvS.js":"sha256-Nv/FonGuJJjHhURs65rQ+8y4cUKjqE6I5tPHQO57PTA=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DDWXKS-0.js":"sha256-OCPcXP3JrMNzq0oa+V/TOg7wrhgmy6XjnwAgLxhrE4Y=","/assets/es-Blp7zQ-i.js":"sha256-7qfk27rjW8RmiWst3m1scF+7MKyh9MFnv10dX1rRLUI=","/assets/first-BsFnskzq.js":"sha256-g61quGPVVzcFn4ivEp1ykn2q5atCv4TCV8DL89e0gRA=","/assets/fr-DcTWrZMB.js":"sha256-m3avHnJQnmFegzxY0IF1bpdQNS4c9vdgRC0dps2nVbg=","/assets/ja-DFpsQRek.js":"sha256-Jej60YHlXHgrr64vZh/vVwxs6qRtdCcI/rLqOgh4z3M=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-B_2F1ktf.js":"sha256-zbL4TWUqyBEeuxSZILEDln09LFpoYHX1N4LzTqM7v4s=","/assets/sound-CQzINexO.js":"sha256-uOZX5P6IJ8bNdH+WU2GwZrNxXaGWSPIqHDdAUOgAmkc=","/assets/style-DolULQ8N.css":"sha256-5i2w3uDjimzAoQMH2K/yCno+Nzw4QEVApCD1WmTeknY=","/assets/trace-DBEmXhbD.js":"sha256-K3UW3kggrMPMlKn/PgY2mBJ35n54Wr32JpEtuORB0ww=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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

/** A click on a notification (stores/notify.ts), whose data is the path of the page to show. */
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

/** A file with a digest in its name never changes. The browser may have evicted it. */
async function asset(request) {
  return (await caches.match(request.url, { cacheName: kept })) ?? fetch(request);
}
