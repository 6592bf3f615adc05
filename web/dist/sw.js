self.build = {"version":"ndtDTQvp+Fq/T9OP","files":{"/offline.html":"sha256-dFz5a0+r4l8VAHoMvO1ObpB2MtR0a8ckX63l7ddsG28=","/assets/Account-DP8yqXpv.js":"sha256-nmMYG0K3ItYlCtQqooIHA1L36leSiaQgAaUwUZt+TuI=","/assets/Achievements-C-R57KaR.js":"sha256-fELG4tU+InhTCZzlGgJhop8gsfumnutPjd54UEJxXP8=","/assets/Address-BUl86K86.js":"sha256-Q656yilGWra8uSCjE/k4H9U8cFHaLAqEbG4q0DCUGzU=","/assets/Alarm-B3ZNBDrf.js":"sha256-0wV+mQDla/ScEPkVR795aNRL5umM4QPiAzELGlvE32o=","/assets/Alive-D7639KMM.js":"sha256-72Q3Z9exW5BlKSvnBnUlmOhvmALYOu+/atuhjQwkvX8=","/assets/Arena-Cg5QNRsL.js":"sha256-4GOGdeYLR3pbdXE9U+1sV7uEHvloV6Tm/uMPIaje+Nk=","/assets/Block-ClW5ufdS.js":"sha256-rNv5Z/MPPg50eImmHuLrXOzj2EfGCHv6kjVDfggD0r4=","/assets/Bot-C00nnmwU.js":"sha256-gRoouv5GK2UmWCpYgZ+oXiYnH+MZtYPfu7IkSGNVVz8=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-C80AS123.js":"sha256-YSiN1ezfn//cv1gjAwPb1FGO8WMYtIAZyCI+9Vm1kUo=","/assets/Celebration-BZZl7QpU.js":"sha256-N1QbwsI2Um0y8bkDLy0e4eRlxwRbPbGXuYHJjjFrhvo=","/assets/Chain-DtvsLMzz.js":"sha256-XkkJ9YHJ7IecxR3cppC3Xv6sELjvprOOYVgnIOIVTfY=","/assets/Company-DDeKLAkH.js":"sha256-3NQSJfq5JbQZ3F/d1lnFd1Lps6CViorz7fhPjhNoZlU=","/assets/Cup-gT5ym05T.js":"sha256-QEEd55kmjKKMZLU1RtesyRHhsTYvM20r54A4OwJgeuM=","/assets/Cups-DYoJKdF5.js":"sha256-WnoLKrs0kkrPRkbjeIP/2xj3vkUAek2d/0/KH59CC7g=","/assets/Daily-Blnew7kt.js":"sha256-8bqdKu8V4AjmTfvpsWnRsHfH/AtteG055GN4Gkw9o64=","/assets/Developers-DKZQC-HV.js":"sha256-cG+RyqOVk2JrU6yRJloglESVR/FulnLuvHhawsJzsXI=","/assets/Duel-B1Mlwoir.js":"sha256-yfc12zxC0DYhwZuxa3yYqtdCXz/11sQzoXuXoW3/coY=","/assets/Duels-De0M3TcF.js":"sha256-uCvsS7IyQfJN1+yKxVjIajTzEcQ+AMJCf3qBU2DAUOM=","/assets/Feed-D1PLQGD8.js":"sha256-Xng6kWuDy3S4ZlMyXpdylTtQz7aSfih2dFYcrEz00oU=","/assets/Help-B3Au1yE8.js":"sha256-z0ysOqiaNW01kSerXSjWudOa/EwjTmUwZL1MW1mAp/A=","/assets/Leaderboard-BUXyvKZq.js":"sha256-8CApE+7EtwJ2VlnBCeYwwYt7qEVwpXLZvRaCVbwZDTE=","/assets/Link-DRALpwEn.js":"sha256-WzLGuyIWQsvx4UiFl797ncRWE3ZhrmHoQFmx1XIkiR8=","/assets/Market-BRWbyA48.js":"sha256-rmfXg8K4YNe1T4oa2eaSVTDEcYJS3tLj/1KKhTu1M1k=","/assets/NotFound-CsElWp_P.js":"sha256-iZTquCVNNgGziJ+HHpFFu/voHBpm4H3kWApV0wLRreY=","/assets/Player-DMT2Gccb.js":"sha256-vTlAMRsBWHiDHUWjSAtYNUdHXEyxmQRLQEqQHjPopYU=","/assets/Portfolio-C75OoE8d.js":"sha256-xlLKGg+xlRn6g9xuU5P0twkjk4T5BVtllEktlz2zf9g=","/assets/Privacy-D3yQyJmj.js":"sha256-IrDA7AT2q+6gKw6yNbpPXPHdzd/NakM5Sa0wDoFu1ow=","/assets/Receipt-od6gMe3I.js":"sha256-T9c/JAHq157KL0Ls0FaoyDKeq7ibC6ScgROpUNrr08w=","/assets/Record-DvbO7Xr3.js":"sha256-LQ8Wp0QaImDUqI2gaxwSiMvonuf3Och1dKcIrQPCU4Y=","/assets/Reference-D_cagl5p.js":"sha256-BPy4CqBAcdf+hu5pZOpJXO8eyuCX3IsgOBz4Aa2pNwE=","/assets/Rules-D2cZ_irj.js":"sha256-M6Z8n9PMtbrIsyI7nhTz7+/I9ILoj23Bad17v2AdtPo=","/assets/Season-DuGGl8CB.js":"sha256-z9rpjmX1eE+5TNOZYxgk75c1qjnCUqaeKWhe2PeMSg8=","/assets/Stats-BtBZYCcY.js":"sha256-9I8PmXSzukw+C6qmGs/LrwkzsmBzpx66RGNCMdtr/IE=","/assets/TV-DoOGA8Ih.js":"sha256-aGlQOKR4ZaLNPIgfavcJkrKgvrLd9ajm9AwqmVLpyok=","/assets/Team-BOPTdB1d.js":"sha256-B3Ml0hViZ6MqAAcyttglr1DETHCjqA8EwteslWSAaCg=","/assets/Terms-B0cO_esx.js":"sha256-0udLDyTS3i7uZgPqn+8ODRVBkgWJd5AIz0ywBfcEolg=","/assets/Token-Bxy4YBI4.js":"sha256-7aSE6cxnjGjdUlhs95UOV7h2/dTFgRJPI9beAxgnvK8=","/assets/Transaction-DChCBcxE.js":"sha256-+qdFj2VkWQzu7Z6P3wQDyFd9ssu8W3A6kQMuSrSAtos=","/assets/Verify-cQ4Ic_Ap.js":"sha256-YnXy6LH3Y2isPobN6CYAg7hPonPL+Ezs9KFGDt6Ps7k=","/assets/WhoPlays-CeAI1fom.js":"sha256-pM4/rj779otflRuxXgtmQqO54FXahKHNj+jbhcZGvRw=","/assets/arrival-C7qBhwb-.js":"sha256-Ea8FAiCNpn2Fu24slapTSgps2OO5/JFJ6nYNEvvYmqs=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-s0QzyIXN.js":"sha256-vD1TaVW3uosqtw2GZWDqeqwHFGOiWUCGMZ6ihuunsCE=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BaGa5LF9.js":"sha256-7/fE9xVj2So70iCgQgiBx53BBJHRKdYZOwfCy8NGhdg=","/assets/es-DxCHJySl.js":"sha256-D6L3lC4k+xGaS5/GFW9A2RXWxVYZoJtDMWmt9D0Qhsg=","/assets/first-BaEqV7Ir.js":"sha256-9QDaGDwZU42O/sSjpVd6c69Eu7G8Oq6AHMshUJHzzTk=","/assets/fr-yYaQPa6k.js":"sha256-FwWQtIiosG03cxeFRQRVTFXgVH6agdj6P6y7SBQJodI=","/assets/ja-cpJVnZWT.js":"sha256-S+FpOiwRjx4Ibp0/uYGr5KA7LxMRRQCl0T7xupeF8j0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-D9xu_C5X.js":"sha256-N1uUKcNe0YrrRJawAvF4LDLEc+DiJFy/vCQNp+niRMc=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-sYyF1yGO.js":"sha256-p3BsvEe6twQvLxQqdUSYCJjCJWw8hhJCsQR40pKVYfI=","/assets/reasons.fr-CoN_-Jn_.js":"sha256-kwk6tHgeLNJPXIXnd6G1O0Iv2u7pTPqjbyKNX73X2EU=","/assets/reasons.ja-BBaegZOE.js":"sha256-6ImA6Cp0jd48QxPgf8V9iEh7Tq6F10Q5gUIGNPRcnZs=","/assets/shared-D3bFReGP.js":"sha256-7X99rSHtflks/I9pAoO5X9XQxgqpT95HzXEmPv5jW5s=","/assets/sound-D2YXwvcO.js":"sha256-WHlRXB0+wj2GL/Ebi7t8RnyhSJ+LSk88poqJLFvxFHA=","/assets/style-ByyMtqdP.css":"sha256-gfUGqvDzwPA0+wbAmj3tHhNqmbKMEsgXLpjxdwLl1Xg=","/assets/worker-CW8nbI0u.js":"sha256-TWu18QZ7CMPoU3HhghAsV2ni6GCL2RQSABDCd1boK0c="}};
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

/** A click on a notification (turns.svelte.ts), whose data is the path of the page to show. */
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
