self.build = {"version":"F+Ls9sc/l34y+nNo","files":{"/offline.html":"sha256-F61MYAAIpqKXR50gHfqXHbEWCWNZs+LJFkKsVUwUpwA=","/assets/Account-DSCA-Zed.js":"sha256-yO9w/IyR6qjgKSeOBu4GlQ+Nsjm3qdY/Aaid5pjBFE4=","/assets/Achievements-71ILA6tN.js":"sha256-jVou0NVhgCIQd6jt0zzqIm9IauAFUqQnZogMROIMT8I=","/assets/Address-Cqnh2a93.js":"sha256-gWoJJ476xIwzeeq6DOn2BQ3oxXy94C3Gzd7iFWSVH3U=","/assets/Alarm-lCgB3y5-.js":"sha256-5GUUt8AZZ+xGIy0FU8yPk4WnwHt95iBJDNMQ5CDJNXg=","/assets/Alive-CPPJmctj.js":"sha256-eo52knXTq5HfbwdiNTeCeIar4ARhRyBwR0AOm18njss=","/assets/Arena-B1kuxM1e.js":"sha256-ljXEtruh2Won+joMvbcQCbee77ha9+7Vf7yxW0+OHPo=","/assets/Block-BQfKTNZS.js":"sha256-T/8LDnmjybYV7WUy3GIQ0bR1KOtPRkZZKKZIyfKEhnc=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DU5CgQAu.js":"sha256-Ubki7GiMLyg1v4xF7Lfxg5BzJQw8evC3cQHC7uZUJGA=","/assets/Chain-BH9M1Xaj.js":"sha256-5tE8HL60oZnqYK/58ow8YQCDrEM/VNd1C227gMVLRx0=","/assets/Cup-D8TRCbQQ.js":"sha256-/GkQfvxlsuz75asSu5gsPChNVLWeRVK254O+MQrlOi0=","/assets/Cups-D4R4y4TK.js":"sha256-a9iAxqSkIAuMH30AOqtxbstBIAQKcg4oIcR/AgMZGhY=","/assets/Daily-B2lPz5-i.js":"sha256-HEwf38tuu1ECSyfZPMMqEV9FZnIqkjZxLx93rcteBTU=","/assets/Developers-CiIjFTTJ.js":"sha256-P9F2VVHArHczhk6/AKILk9l61RRzNcR31FV9dcPhbFY=","/assets/Duel-DFT4J-Vq.js":"sha256-JY8F+Ln9520J/wF24mCvJmBMmC5fVv+Z15jAz22Tvz8=","/assets/Duels-CBQRyt1U.js":"sha256-0Vc9tSpKLBc5fBOjccOt31VU9QT7/miJZ3dHlz2SVvU=","/assets/Feed-CO2MQpvG.js":"sha256-ag4UCnzx8vHaG7VzH+g1ifBtjqKjL1GpNbPEgSKo0O0=","/assets/Leaderboard-BYhtzGdI.js":"sha256-HbhXUiSCSQ634XvYIQJ2+Nh7Rct94twpzBXbjQHQxG0=","/assets/Link-DlqnceSP.js":"sha256-7L5Y1tXzwslWv04cp7yXeVW/tABWQG1+MNgpGIjAmrA=","/assets/Market-D9hIKpCr.js":"sha256-077zhQrwzjf1heEKk8e5PgA5bPsH37C5XyfALcVGiYo=","/assets/NotFound-HOYzALxO.js":"sha256-FZj0I+pN0pp408ngR8yr5YVXd6MpCLBDoZ7g8q6fbKw=","/assets/Player-CodpMqjY.js":"sha256-iajhJxq8Ir1oZnfuNkbNL4gfd1IfzE8jPPes51spmsU=","/assets/Portfolio-jvDcbwAW.js":"sha256-MsKXKNpQh5PauXD9O+rYrr1pW8OGGqCtA5SIcsdIrv8=","/assets/Receipt-D1wVRtJt.js":"sha256-5JN5bpLJhVmCNaMD8HQQQHSpfixhF2rKbED49cofqQ0=","/assets/Record-CfObMEfL.js":"sha256-H+4Lve47w74qOKPJDk9pk8ZUcMM8aAMzQJuYqulqV7Q=","/assets/Reference-BLX8XbjW.js":"sha256-OkLWf5zJ0XjuYMySCAzTqmYxGcvkuUK+B6EjcnQgnPs=","/assets/Season-CeN94uk8.js":"sha256-xZ4vfowfRSw2QH5ZGi4j7sICgyEHtnxHyHJngHSL044=","/assets/Stats-nvaoYI6e.js":"sha256-mtSMPqVHt0pVVHzg5/pUt+KsZdyIQaSr2NDOMKgWa0I=","/assets/TV-C4Y7Tyab.js":"sha256-770p5pLiRr13+mVwnnemcA8RyQzP3aZnlb76OD3vpxE=","/assets/Team-DRPP3Npu.js":"sha256-jsLmoBjQHh3WHTjbUF4ef6XEl+94yp9mRLQqb4Ws/x4=","/assets/Token-DMG-mPD9.js":"sha256-HGhWH9cVuwd8PgxvExcUKkMTERIML7IHFFNOFc4PieY=","/assets/Transaction-Daqla5k0.js":"sha256-5cwSozzovrtv4/wD/tbgg4m1n+PGvn9qk8Qvj4NEj8s=","/assets/Verify-BpC6JkG7.js":"sha256-ErFPEFjEmlhiyOF47YOrOQikw0V8en+fiJL7hJk3JqY=","/assets/arrival-Dq7Ujo7_.js":"sha256-vc/bN8THCUBIU4Q/Gkq4edslEzaxglLJ0svUZkXR6Q0=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-CQ7yQYy0.js":"sha256-l+RiDjRNvBFQ5EajGpETOHL+G6jvdNZXmg7WinmrRV0=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BAuJzg3Z.js":"sha256-wTALOceSnX7hO7Fq4v+o/hQDFxfx8jTf2pgaBpZeh/Q=","/assets/es-BRu6FPb8.js":"sha256-i5huaiFDBfjwn8ly6TCT8V+8fCqIKeuDYxqbM6/Pj14=","/assets/first-DiTxNLAB.js":"sha256-ylpeRKF2t+G+KLsop6LbR/hkDYFl8DPXwDxsLobkwWU=","/assets/fr-wrejL-63.js":"sha256-jvS5ZY3CIHb+/81CAQuf5iULbCoywmaZCnJH8wpzJDw=","/assets/ja-DGfTbo8m.js":"sha256-1hLy0KmrsQVlEd7hbIdSNp/eO3A9sBgsqVRKrZkRuU4=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-B1H8zSFm.js":"sha256-ZvAt3ZG/DwBrfWMIsO4I5dFfbr38+7Sp8vqy8fTIcOw=","/assets/sound-Dwe-E_un.js":"sha256-ADXgkS+uNheYK0/Ai3f3GOdMWq5WYyZ0y6DH6Vct9dU=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-Crdkk8F5.js":"sha256-p8ApXg3Pwtu19CkAUPb6Pu+gUsYx8qGoeJ3tWqWqLDc="}};
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
