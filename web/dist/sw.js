self.build = {"version":"JQttQYRUpy30+2DR","files":{"/offline.html":"sha256-1+JovazEkAxh+/QxfmPQdN9f77PxMvnJmq+vVlLMvBo=","/assets/Account-CtU8yW9X.js":"sha256-fehm9hubioPJud1wFNe2Ahr2t2PdNbohccSE1kalwYg=","/assets/Achievements-BgJyy0G8.js":"sha256-gXJ2pGYHE9dAybGg9gANIPXPZMCskLKwL8api4XnjSo=","/assets/Address-CVPeGpYy.js":"sha256-etxyrxHjN7LLQcxI7+iAIlvUchlIqBsP+giXSfulGoo=","/assets/Alarm-BrfrycFw.js":"sha256-lV3U8/vmN6XVxulmuraAu+OxvzNDw/PFCu73gvoQHq0=","/assets/Alive-Bw2pYEbl.js":"sha256-PfzztssqX7+M8EKpgW3JWTtRK2B15OOdYXTTEdmXhkU=","/assets/Arena-HnvgdzDO.js":"sha256-kWb4s2yUaDYhas4JhpCwwM16LOrKkDUJxA85wBU00dI=","/assets/Block-Dra6BhHF.js":"sha256-VhVCLB/VoKCB0DmIMuHyx8HR4q0x0veRxHYhK48nk5E=","/assets/Bot-BD_S2r1j.js":"sha256-7sJkdSCUqofFZ3M9F0WEBmnRgiQkQfw+LR327RkwPzw=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-DNQykQhV.js":"sha256-RDI7qRYY2hKjK1BG6swqfU34jbU132Twc9rru5WBEqk=","/assets/Cup-DPOfhuWk.js":"sha256-OAoG+hiS4AUNmpZy7WARBtYex6Uo1laMift8zv3LxBA=","/assets/Cups-CR2WmHhU.js":"sha256-2rpS7197O8w5fjnmf01AFwuoPMMn5TZOMu+kfzN5yJQ=","/assets/Daily-24dNwwti.js":"sha256-V5kVNaBk4DSDwdUvTk1o61JahYtJbq0u4eF39Px4p5s=","/assets/Developers-CoaOa9MW.js":"sha256-EajRsQYx/fx8ZY6F/l+WIkqhtUUwMCm5Kde8Jz5lIrM=","/assets/Duel-SkHwKXwH.js":"sha256-cMPsCz288MA5bpHmxd13VYwDP7xPYVp11jVHpkBLFGU=","/assets/Duels-NwElS9xb.js":"sha256-YV73VT7Bqck8rmZutVaHQp0nHrQbeclARAykS+YOo9w=","/assets/Feed-IV6qMvwy.js":"sha256-k8A0bjtFNQ8gCjAzn8zu2CwMwjWLr0XQJOso5PmT4yw=","/assets/Leaderboard-B1wkmgEc.js":"sha256-YKkCqxU/IFXoEBXJ8Rb5bNbVLXd5Si+tQqc3lie7PDA=","/assets/Link-6TzXIH9W.js":"sha256-z/QjRt7Mk38WFQ08yuD+2Cl9HoJ/6XzwUKJTg6ZNYHg=","/assets/Market-DnVsavuh.js":"sha256-kCcZwPHdFlb3YwX8vcMkdM+9s5s8rVQt6zlnv7v9OcE=","/assets/NotFound-Cf3Z56Yy.js":"sha256-4sYXDoaBFCId87ZN6LsJOw/jYhEeVUnV1Ul8xbK8iVo=","/assets/Player-BXu04q18.js":"sha256-znrqImfNsv+VVrVwQ9QgHhETYcbUWCiV4F9oW9DFt58=","/assets/Portfolio-BGL32gPl.js":"sha256-xzk0P2ahAx9zMERs0uFuSAPTMLcj/2AgPFnnwievutw=","/assets/Receipt-CKfLv-0Q.js":"sha256-4IxIWvAd0Pc/61yntJRz/CDOBFxHUZbe5vP866o87ig=","/assets/Record-BjLgVOxO.js":"sha256-gXOkvh0nr7sX/twgNEA84xIIvYfH2Gskeh96KF9CR7w=","/assets/Reference-BnXVeIs9.js":"sha256-tO9bKOgDFL+84GrDMsks7tv1FMHwK8TagsfuCwSCM2o=","/assets/Season-BdP8qmGP.js":"sha256-zUiriRLbLNALfnhEKAHzRxZHnDVVO3hqGcoRmF0q5wo=","/assets/Stats-X_uxjT5K.js":"sha256-3GvTkM6TO25frIa4KzPMMUiioSA8GVM6dhaoesbheUo=","/assets/TV-Blz4uo3_.js":"sha256-K9MPW46eOZNdXP4W0OqRXsSj+pfpkxzB1mvc9rCyEko=","/assets/Team-gF49ujNw.js":"sha256-NG9nt/ODjaaxb1eKmqX1fjO6SzT1Bld6CaQr80ceoZk=","/assets/Token-DLJuMbt2.js":"sha256-Ejn3wEeWy22/JfzOcI5ol9lON0tkV7iRd/Ark4f0dfA=","/assets/Transaction-Ctx6wjyz.js":"sha256-kZB0poNaEq749bl65vh0hMBdaz6fBtBht9mKTUbh9hA=","/assets/Verify-Cx_wQtsJ.js":"sha256-CbzucmyS1UcRrq4D+tnuwmUKVXNm1ced5YM/cMmBwNM=","/assets/arrival-T4ytA6Eh.js":"sha256-6nhk+dHb2W3Z4o/pH4c69a7mwU59iP0LcEAk+SoiIng=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-BSBflxUW.js":"sha256-aPLIhF1A+laGueHgvRfajJsY3Y9uTwFpuDG3v1yJs44=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BAuJzg3Z.js":"sha256-wTALOceSnX7hO7Fq4v+o/hQDFxfx8jTf2pgaBpZeh/Q=","/assets/es-BRu6FPb8.js":"sha256-i5huaiFDBfjwn8ly6TCT8V+8fCqIKeuDYxqbM6/Pj14=","/assets/first-C6KoRxNw.js":"sha256-vhAfyw9HLXZQvoy/3ba/fH45dEhGq6GkYEMTNcauNVU=","/assets/fr-wrejL-63.js":"sha256-jvS5ZY3CIHb+/81CAQuf5iULbCoywmaZCnJH8wpzJDw=","/assets/ja-DGfTbo8m.js":"sha256-1hLy0KmrsQVlEd7hbIdSNp/eO3A9sBgsqVRKrZkRuU4=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-Cm-o8oa_.js":"sha256-XGiljaA/TBNE9r9pPpaGRZFwaAEp/k+3Q+KtIJOsg7I=","/assets/sound-aWbVeJrZ.js":"sha256-WK+0M3OqHmZOddjy0ZIgpEYjfsRLmbEC6l0UckhQnto=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-C-jb3Nio.js":"sha256-WjtWcx/R1WM5c9dDgLEjQju3KBVJ4bTfegysIW3pAF0="}};
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
