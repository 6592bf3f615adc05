self.build = {"version":"I07kH3CqAcP4JGEm","files":{"/offline.html":"sha256-ZHhI7Vl362JDARr1DX6RB9BSLpOH0gdPwIYmn8kcmn8=","/assets/Account-Dpb-AwIy.js":"sha256-a1Ype5q8l0Qv1ix9kFU6WRGDh+KflzQZCs+8gVix5Ak=","/assets/Achievements-CrRcRWDf.js":"sha256-QItAmhB83z4EA3B3jL4lo9DNDwyqf9aZF9PiCSRX4sA=","/assets/Address-BYXZsfFa.js":"sha256-1vTY6CU0sxPoNrcHMh251yJooWRGIkthioZFOEUBpWo=","/assets/Alarm-BLFHgfBg.js":"sha256-WC5b41A+Cz4Ch0NjrdwlG9Mx0sbuOP6gXZaBzqKEjuA=","/assets/Alive-nMw278_6.js":"sha256-tsEmI4G/PA3YQQaTGo5j37kyBoXaCOLmmXhEEV5DoBY=","/assets/Arena-CMGBfkJg.js":"sha256-2GzKC1bZU9te7SK+7fYFDqhk9FkgS9AzXiZlps39HkE=","/assets/Block-BWIENEG-.js":"sha256-4T2tuQT4hsNzZNJwSQtIell6oxCJ+9N+LZL5qcFu+nc=","/assets/Bot-B7DEUMhr.js":"sha256-PAmnvLRMctEA3Rfxgu6piP40vqUGg4AJQ9zKzPAingA=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-FYh5pvnu.js":"sha256-U3OWsPfJlAsUYwEC9L2f4r8UvqGDYSiKk1TNzN2YrdE=","/assets/Celebration-CooqRKtU.js":"sha256-uHOy9cJHVwGDfbq4AqiwDNoODpplcPXiqqMmwuk0dVg=","/assets/Chain-D2mf7_l4.js":"sha256-AlwDMotwBzMruPewaSxbGylaxbFCcAguOXsYlviY1rI=","/assets/Company-C5hTZPPM.js":"sha256-bIeZaW0izetIiuYAA06R4yC1NBdDAU6ZQmwymStO1pc=","/assets/Cup-CfsYc2a_.js":"sha256-7Wud4kpJcbT37QpATikiaBauWMaxINUK82GG8MaIucg=","/assets/CupLive-jcPEJCir.js":"sha256-ONac0K0mpvzfYnsRJU11hjPnE13VAwtF0Wnlc1Pk6HM=","/assets/Cups-BAmQAGQq.js":"sha256-L4qEm+ggIfOc8Pxgep+qux2/P91BiaVE4tTkFjZBreA=","/assets/Daily-BtuoLr52.js":"sha256-CjqOpKevrpiUTv8cHk0iBkiDsehwtzpY5o6FQkRwz2k=","/assets/Developers-B-r8jesH.js":"sha256-VFPXLNd1lTEWY6u6YCLQYfV2SfWwI7SQ7fXdUQNt2Mo=","/assets/Duel-EvgKWi0h.js":"sha256-tRgTcZvP1OHB+3MMyQkPOD0C1g6i0ZPZHCFNMp9tkVM=","/assets/Duels-CL2CdSca.js":"sha256-lf++ashmzfiP/oloTvqPXousotaBvAY/hQAbbrTHa58=","/assets/Feed-Cc1shJMb.js":"sha256-VeVZZu//LvwbjWIfZPcfdhUcXcPYhdMM0tNXnX++e9U=","/assets/Help-DATgFKec.js":"sha256-GGrcqVoBdIEC9EJkzFMO3bWlYF5TqoMXAVWaYrHUHKk=","/assets/Invitations-CQfB56eW.js":"sha256-97xHrnr9FJ7dvGkIIF7YAcNX8DYo85f/cQeS5yaEIbo=","/assets/Leaderboard-r-tQ4VoD.js":"sha256-yOZpcexaQNxMgYrWY+o6A6is5PixVjMF2NBcGoq+Z4Q=","/assets/Link-CMZ_kWwq.js":"sha256-/erjuR06WovL6JSi52XEswXITiz06uyuYGhpjDxEpC0=","/assets/Market-Ck9EdGfc.js":"sha256-XwqFbOM9rCxPjC7BrQYwsKJ5qwAhDqgdMDIZNB9BZUU=","/assets/NotFound-DBn_ZOkb.js":"sha256-4Jil4E0LxU0mA7L+RIsFV44V2blFknT6nxxgOTqrib8=","/assets/Player-GyjC7RtI.js":"sha256-BlX47f+BRbxzBJMc4txTXv45vitTYO6BGuk4lk8LXE4=","/assets/Portfolio-w0gPNR7c.js":"sha256-UUwKvKYNib9RyDxI8tQ84Aug8JnAJolEo8sddsD5cAc=","/assets/Privacy-Dh4hOlLR.js":"sha256-nYwl/4Q84E6Bp/C0tUdv1CSN68CJt3JKz6mvWxtfbPk=","/assets/Receipt-Bul2AA3v.js":"sha256-wP1qE6GGOEjrabnIYunpzAMK1VsDiRDaYI46ckmaZJM=","/assets/Record-Di0Inv9D.js":"sha256-XykiPO1r1+isY7CBaRhNC/sdY6PjDdfC09QCp3PonPc=","/assets/Reference-Ch-7s2Nk.js":"sha256-8X9AyBfyROEMM2MOkdvSL2mdDEBjmZFf2+G10U5Fsbo=","/assets/Rules-L756p0NQ.js":"sha256-oTdRPwKWyw30XoirW2UcqLCim78xskcoledi0QhNsVk=","/assets/Season-tUNUHrtf.js":"sha256-sxyOwNAO95xmvuY1yNLelYEQTsQ88YhZTedBlxcL9uQ=","/assets/Stats-B3cLhMs4.js":"sha256-ejmmtQu1LjcVyAlbZRbE+Lm311b41PFYWZ0GQlew90M=","/assets/TV-C0s-NV02.js":"sha256-mcKKx1+GcGZ9Q7Ak4XEafrSQS5S+wtU8IvAL91wgcYI=","/assets/Team-C2PTldKO.js":"sha256-s7Iawd8yxbZyHAqZHbsYJxhQz+jACer5pUCvoXYEebU=","/assets/Terms-BfJY8mO_.js":"sha256-yk6mT8yVy3QDypAlk1fN9HrOpYVO5/Kl+G57lbitVkA=","/assets/Token-W7ZWRoAE.js":"sha256-WXsc1pBGIxgSA0Qe+D+BODk08Y7L8IIFeb+8PZjzz7A=","/assets/Transaction-ClsOYdub.js":"sha256-ocGMPIij/mIlKvOjkWG5LloC6OzIx/HU5yRXCRH5yLY=","/assets/Verify-Df4-FM9h.js":"sha256-UmMs3dGPXmM5HENX8EnjylTkq1hyY2/z577+Vi3fVO4=","/assets/WhoPlays-BJ_1oh77.js":"sha256-mBev6A3E+EabDWJMV46/9SYnkgvHBHxuB1eUSDnLlIY=","/assets/alive-D15rRuZt.js":"sha256-7/J7y84DN3hPMK/jwIR1xUe3C1JK81heMEX6+gQ+TSw=","/assets/arrival-BATxO2U2.js":"sha256-BAuKxcm6uLsJF2YgVwCqbEVAr4lndHcxJK3yF4FyHN4=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-Bb0-3ZXl.js":"sha256-e6FuXWAQWiZzQzQIfon2yF5S2Z4ITOMldYFCbDXyorI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DXwgmlgH.js":"sha256-tFoFPabtx3fLVmYV0zRxSF6/wai0HYyQw9OFKIb/9iY=","/assets/es-B9y-d20P.js":"sha256-HxPpYEUYf8pgg8bofslVydak7TW5w1th2k6VPvmZcKk=","/assets/first-BBncMu4V.js":"sha256-aR7tv/kZLJ7TC9adArWC6V+yyL/PeiuxISf81gft1hE=","/assets/fr-DTkdynBs.js":"sha256-tthlmT8vuhhH4kkKyNT7dR0ehEuoUEavmwTBZNA/+jY=","/assets/ja-D_-YHV8V.js":"sha256-QKqRNnTbVZJ6KqMUrYfd8bGi53QLMdnDXKffkZHmfMk=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/proof-DC202s78.js":"sha256-Kpw/u3lh+X7tq37SYsrS/4osuInw6Je0YX919iHiRp8=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-CCdPPV-z.js":"sha256-z9olRvEINTO1A4eW/07PLxgm8WjzlJptMS5m3GNkwA4=","/assets/sound-i0McPls2.js":"sha256-gJNZxb6ycpBbas+z6rh7fbm7oDfwJl5fDeRgNwhx6OU=","/assets/style-B2fIE391.css":"sha256-v++3m6OJwBgyLHvEUS7wstkwNdgnOBmvUkIkiw37w/E=","/assets/trace-hnvhUPhl.js":"sha256-X86BNTDaH1pnAobbnwyiFrbsk7lmrxEHM2p5Md7O8V8=","/assets/worker-D85i6-Xd.js":"sha256-cKhszxvu9V0B6ZGFhAI7v53yv5DJ6YL+prd15nfkrhw="}};
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
