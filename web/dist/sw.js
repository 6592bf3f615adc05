self.build = {"version":"fnDoDq+C+oAb9nTI","files":{"/offline.html":"sha256-AlDAU+F/pDU9gn/CVIhq+VQwNx7AFheu0E3ATHoQIQI=","/assets/Account-FqF7JWya.js":"sha256-kdbShtUlNvHu0WBY+r3yWwNTuiovLJLLC91MMep9TPI=","/assets/Achievements-BPRlI8Te.js":"sha256-HMcAdh9qvoZAi7bFXQaeFXqV0H/WaIVf0lXg3LRs3Co=","/assets/Address-ClcKJ0wp.js":"sha256-fhyB4nLDf9m5LkGjhzRnSVzrv1ho2L/cR03VsRFPKTQ=","/assets/Alarm-BBEKR8kh.js":"sha256-DzdlLCSHLtIk8seNZY8FWQGzAAaB5cO40YYRDqgqhb8=","/assets/Alive-CX0CERTD.js":"sha256-Tg0us4gm0mSBW6yu8NmhaMQnufTJPBSHOIgVQVH1y7k=","/assets/Arena-DfebLY0Z.js":"sha256-S1YSHjnVJYQpduq0fL5mFp7t7BprZOHfuuBfC3S5E3Q=","/assets/Block-DEKdtx2U.js":"sha256-Rih1+6t6uPn9A98LHM3qQcXGSOSQ+oM4rCVlj3KHv+U=","/assets/Bot-BsysCznq.js":"sha256-f4W3YVKDk+GfV15vr5hLTVJGoboHE9sWQGS2eMt2V4U=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-DIsG-4kJ.js":"sha256-RYrozFjUhJ13Ev0AEO6W05v5VT8Y06qUq2Ppkxcnzwo=","/assets/Cup-zQ0pGs2a.js":"sha256-vRxqUGMMYveJ6g1FYfscNYlmI8k/p2k/++Qivw5wgzI=","/assets/Cups-B0MPa4YW.js":"sha256-NVFMqvizxpuE1QkFL3DV28S3QOW8nJvdVlelSAKM9EA=","/assets/Daily-Bkbl3soE.js":"sha256-ujSwI17IeFp9VNxLJxT/dtYZy7nYyFCXCRdYj7r/g/0=","/assets/Developers-BMkrYwQI.js":"sha256-feuAlaT8ICKOQRu8pO23CmBxdjbFXDofcBQv2sPR9Gw=","/assets/Duel-DPh_gT2e.js":"sha256-rVpPIgytRSjD7qKqFDaZ9JUDt9qEflec8+ZbnMmB1rk=","/assets/Duels-DO-6US8i.js":"sha256-pI2jADWqYMPVMDxAGn0dwy7WdMI8pelfyZSZEYwIqgk=","/assets/Feed-BRkwcHhZ.js":"sha256-SCxyg6y4fTZSANhn7WNog2LjP/xVm9b/TZKO3YkXgGE=","/assets/Leaderboard-BXiJsFSf.js":"sha256-JXuFqsLzHulnvO64FSpLJF+ckI5WWRt1azNET867oGA=","/assets/Link-NjkJY_3b.js":"sha256-1FsP1VIpNreHTX1EA1XxlyvKvXt0PodYZALfhdI/Aus=","/assets/Market-CYBb2Y6X.js":"sha256-o/+btZC9u3e1Jt4BpocIcNn0TLyZGORVRkziWAttdBk=","/assets/NotFound-DM4Rk4o-.js":"sha256-3eXb52FHDL1S5zOVHHUzvqUq3JrU2ACHZozGyRGy7cg=","/assets/Player--Rpo5sRw.js":"sha256-iKlxAtShnOqW3L7euPPOoTtPvLDncN/6cD4JfBoQ1zw=","/assets/Portfolio-CQPxA3wg.js":"sha256-9FDCW3IO7S6IQWumHYhtvA4AYxXrBtHCzAeeIne4pKk=","/assets/Receipt-BtMT5DIy.js":"sha256-L3Mot4pgrdwP/Y9aJQKxYBcIxWcGUzSWGlQ6pnBt+20=","/assets/Record-BshvIAN8.js":"sha256-wdBcR7YZGLT5HkFUs1JQwiwwl1iCXUlEi0ZRVClZ9ac=","/assets/Reference-Dap0p1U1.js":"sha256-+mVNT55dWBPiHa8rDoZOi7lue6wIFRmm6sBNHJYKA+w=","/assets/Season-zWYD4VG2.js":"sha256-Bykt1vGuKBF3B0hFgijqTAP2ER6Ab1uFu5l9EYUfkIk=","/assets/Stats-CeAYQA3p.js":"sha256-YyV4CtkMGUVI0gPDARrFqcN9ZSzC+iRMfNkAdJ9uX/k=","/assets/TV-D3FG2RJ6.js":"sha256-uCTu0HpcKQMcNYWrzuQnDxSHdZw1lioJMEZAIX1OpQU=","/assets/Team-BsSKXlJW.js":"sha256-2xjXowQpTu0qf/uXd0DoibUsmz1e4cEdkdjefhd86mY=","/assets/Token-zMQoaBYj.js":"sha256-nqH31wEFN0s4u76eLVzozVXGJ+bcaQjF7BEZw/eIER4=","/assets/Transaction-BcApcdGB.js":"sha256-Pljc2RR/jNaLi2zZdNfJuFhqjcXinmTahAYMG2CMAMQ=","/assets/Verify-BswG_WaC.js":"sha256-oQ2UQS4y8V7tnzULVX9zPus/FE0i1xzcKl+inL35DrE=","/assets/arrival-CssIYTdr.js":"sha256-uAEBOA+a2rK4yKywXDrgu1RzFvd3QKN1lUegpgUzqLY=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-F-oKb5vA.js":"sha256-1uLju6UITuKpfgRw8BXJvpZQLgOOVDbaUidlFj3ad/Q=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BAuJzg3Z.js":"sha256-wTALOceSnX7hO7Fq4v+o/hQDFxfx8jTf2pgaBpZeh/Q=","/assets/es-BRu6FPb8.js":"sha256-i5huaiFDBfjwn8ly6TCT8V+8fCqIKeuDYxqbM6/Pj14=","/assets/first-Bfez0OhU.js":"sha256-csQtGxIEdpZxbOaaupzVlSkqaBhdjsXDyLv+ICfMtWY=","/assets/fr-wrejL-63.js":"sha256-jvS5ZY3CIHb+/81CAQuf5iULbCoywmaZCnJH8wpzJDw=","/assets/ja-DGfTbo8m.js":"sha256-1hLy0KmrsQVlEd7hbIdSNp/eO3A9sBgsqVRKrZkRuU4=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-z2qTT3Eg.js":"sha256-wCUS+eS1TcC/BJgCNdYP+vnFKQgsqxdX13IBO9ljgsc=","/assets/sound-BkJ9aghx.js":"sha256-DehWMvKeh/TbDT5UNqDzbHG1GuUfos9phXFQvm3n91A=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-Crdkk8F5.js":"sha256-p8ApXg3Pwtu19CkAUPb6Pu+gUsYx8qGoeJ3tWqWqLDc="}};
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
