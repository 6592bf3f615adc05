self.build = {"version":"Q60jnE7u91kDb+PZ","files":{"/offline.html":"sha256-PvDRAholdq6lzzET5RuGzN6wsLTMDC8yvp/iOs/ZasY=","/assets/Account-Cs2Xg9eN.js":"sha256-YxCQhUEPPaIgQIQYM8wR+jWouVbI+uREWoysiR5WcYQ=","/assets/Achievements-B5Gu852L.js":"sha256-MQR4Itk6CqGBmiWTQ3GBrLIKZwh1ijkWYYvV9QvsqJs=","/assets/Address-CTbcVFnT.js":"sha256-QEF+MdJSZS1HCUqS24fB7sctmEbbL6rC2aNQ2oLWn2E=","/assets/Alarm-CR_iI-yF.js":"sha256-4KOyoND6DmQBOI4TnGSiRXLcxB8xIdXFaQQRpYctd14=","/assets/Alive-Cty5oOiJ.js":"sha256-TzG1NjFtgMRhNeuUcS0ko40G1paDaik9S1l83z9HLdI=","/assets/Arena-CYhfLm7u.js":"sha256-OhabUGyABFfNd1qxTwAllLvjJnfx5IfBUZz+e6Vr9N4=","/assets/Block-DEjiXX6U.js":"sha256-nwdygn0w7qKklLZ0faRBH8tMuX+ZeeHamIDUoWwYUpI=","/assets/Bot-C8W4WVIW.js":"sha256-BwRrOQYxsoU5DR0/ISJwAFLZlDLvmi0sRKZaWhhAYdU=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-gdQ7N77e.js":"sha256-qDRg2bVN9qTO3KIC0W2QG/VQEH8FVz6MzgEPwlKmk5c=","/assets/Daily-D4v28KlH.js":"sha256-Wuaiwk4NAGzbrZQDRpEe/ZB6Iipsp24Umi38OXyRp34=","/assets/Developers-C8SJDSx-.js":"sha256-imuahmezpHSPIyPzGPRo0JJhfvzpyTdIzfwh9FroZ88=","/assets/Duel-BclaQLsM.js":"sha256-ixhBFaKrn/JaIq8xdQ4OB1cEFK8qe97G8kK9UmxTc5Q=","/assets/Duels-2734J889.js":"sha256-2OnMZD2I9bFV+jhnT74excVGZN4Ut5XDMT9QffP1kuc=","/assets/Feed-B7wfOVxO.js":"sha256-4KsKu/cIT3KRnTOZCmvjlyYRD7DlrVdYNu9+KYuu8vk=","/assets/Leaderboard-D0cjZHew.js":"sha256-6Ug0lpShzwVL7X/WRbl1R18HxlTmZaDE5YL6xJLsr0o=","/assets/Link-CiaQvvYj.js":"sha256-kmesUPVu+V9rY0szCYxYcDILXGWLpAbG4FvIQt4npYg=","/assets/Market-Dt6pqRFp.js":"sha256-+gr97syiD/dw8JjosO8zRqh95a5T+6SIB4KqT+1R0Ns=","/assets/NotFound-DLx7F3g_.js":"sha256-Rssr7fn//9aCZpG5IGtsCi1r7X5gXhoH54lwrAc/i4E=","/assets/Player-DQvH5vv_.js":"sha256-/KIZHAnkBNJ7wG0UzkTXK3SoifVG1ObjvHbdqQAZV8s=","/assets/Portfolio-Br_Lrt-O.js":"sha256-fRQFTtq4R/NMxZIjdj1sm4SkA7KMlFJmZzT+kakWGqE=","/assets/Receipt-lgxnDpLJ.js":"sha256-I0IRq6Roqmwp9+Rr5+ER0Q0WiDEvaC+ILrOpYvJwL0I=","/assets/Record-4dD7hLNZ.js":"sha256-rwhAVkb7gSePM6UMxdYml8IUUSUC5Ot1LLiEOPgnprE=","/assets/Reference-B8rPKN8u.js":"sha256-eaHwWB8QuRG1eFnClx/PdExS8rzzfjBMud9ysHNnHOQ=","/assets/Season-DXu9Kfa8.js":"sha256-GHTdSE65KlEGLhIjxn4MmmVyg1r+0uWmhJLMFzXWYVs=","/assets/Stats-BvcMjG4N.js":"sha256-yG5dqB514r2qdjlPNw36Bd48TzW9xALblzEZep6d0EE=","/assets/TV-B9gU7mxT.js":"sha256-3u52P7QW0Y1Mv0t7kpVG6te52GhzHXH8roqLD8RpE2E=","/assets/Team-CRYrP6hR.js":"sha256-YJg5lJ6bn2CsaRwDmwjkAl7TeBH26vExIsvd8saSLZ4=","/assets/Token-BMkCIF96.js":"sha256-aDLPPoDY6McDRoMRQ+XyJc9ONjaK/7M8J/8QO7NfidQ=","/assets/Transaction-BZPEv04i.js":"sha256-1dAJU49mdcnJremiPvtMW6M969mjzYQvaIb8szht+Cs=","/assets/Verify-V06UNEZl.js":"sha256-nW0TKSSr7659WtgjDXhZ+swbv2eLWg5laxaaVwmZWOc=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/index-CuPbkPVY.js":"sha256-EQql56ndrAUJC6hOWx9VgeJYukHZ3Cpxfi46CpJ9ESQ=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-DVcJNlDW.js":"sha256-5dfbp9leuim/m8Y3LfrZQWiYxLj0yqyfQ8ROzXQoWFU=","/assets/shared-3VA6Koz5.js":"sha256-1AWw9orc5I4Jdbvw1icMgIk2WJk8wQqt9VSbpKASjtg=","/assets/sound-Csxs8Vat.js":"sha256-dSdIo+Avm42F9rvHfMTgG4PLlhBZiEniYkq5ii87QQw=","/assets/style-BUeEza4M.css":"sha256-rdK6eXqze+mqCR820bbTkbpM/UbjFu5Mo4z6PeecKgU=","/assets/verify-BWPJK54l.js":"sha256-bpeb7t5Wz8ezpnC9wbpjMsOmj2vh1tU9sSO2fz0sryI="}};
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
