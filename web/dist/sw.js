self.build = {"version":"Hhsk7BWSGlLZ8stc","files":{"/offline.html":"sha256-OItSh5b/kgrZc+u5dKU2rzSlmVZmW2CKTIs9RAxBjdI=","/assets/Account-Diw2vfnk.js":"sha256-k+lnaxJfnHEBnwF/FSh/0j+eIBolRzXGERv84ElVhgw=","/assets/Achievements-CIXt0KQF.js":"sha256-Yid3dtcDg4h8Yomp6I8ZziO4v5yLG49zF8UIKF/dv84=","/assets/Address-C5gWHo-9.js":"sha256-IrcpSyCmHDAyHQBGYk2nYTBIEgXgCMK/e1SKl0ZybXU=","/assets/Alarm-uurKLxQK.js":"sha256-WywQ57NXz2M7udn8x7WgrBQ/YJYam0L1dF8KWgCFJhQ=","/assets/Alive-BchPsR7D.js":"sha256-SGyQGxk3XDbX1gzhRFXnVMt8x1N57hL1EfZdKJrDoEU=","/assets/Arena-DY0KH0Mo.js":"sha256-lm0j/QxAYaK0Vz05CmQyx4B58f5CClcLHOmQ9URy+yg=","/assets/Block-C8ACnUdm.js":"sha256-WLXEH/bXivEs329VaDO0Lz8i/Kg+H8NzgWXe23Tk5FU=","/assets/Bot-Br_NW9RS.js":"sha256-uyFWaY8o5GrzYDn0C7HJ44KhCRkID0BeGhmvvNWoW9g=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-PB67laQf.js":"sha256-BEovki5Oam5igZouchu/1t8i2J8WSYHgDoKrjCVHfPI=","/assets/Cup-Cv-7c4RJ.js":"sha256-UzKRo38SXlEzq59uIYDczC81qmEGC0RYMWlZ1HlvSkQ=","/assets/Cups-BQ7IYmcn.js":"sha256-JnzQKlKhfxfjV7Zvxr2Kv86g9V+DzfyaszN0jod9zaM=","/assets/Daily-DK_U0JoY.js":"sha256-SPUe7rrHVYmHPSKtUKq2YLmC/SxJbJgr8uFy0a8wGHY=","/assets/Developers-C4DieA29.js":"sha256-/mwzPehIoakx0sMr+s2o8RigytSVa5FoHwzhusocPKA=","/assets/Duel-VpohKhU1.js":"sha256-Y5oEqNbDVyYGEuWLWOuSFZqOHnau0OZPEQHLgWWGLQ8=","/assets/Duels-Bstf7iQ5.js":"sha256-1KlfwSR79nNWHN0lrB826G06Jusd9mo3WpdFRt83RFI=","/assets/Feed-C7EdmAYp.js":"sha256-yy+b9AlckR1Ecy9QPALJGr06dlo8RxpJY6olvTkXANc=","/assets/Leaderboard-DWNg7rNQ.js":"sha256-DUXEheS0mj5Fzy0sjWV5ZOQ9Q0PVyAN9ZaNORhap33w=","/assets/Link-LHLl6yUz.js":"sha256-6ulj+a0pRcJ505HEW6zoWKc7Y0A9d7nTfCqfGYlHr5Q=","/assets/Market-D7Nhpl9f.js":"sha256-Y0mTX2llxIwecFSVbsB8acsNPbKWwwFPV9cl/op9fSs=","/assets/NotFound-DWkALMZu.js":"sha256-YIH1e/lQGdDKdWZkZ+/8WxeycK64IzEPrBPVGGcfEWk=","/assets/Player-P0YVUNe8.js":"sha256-F9xI2vdWizksqoUU9K2jz0/Qdkceum+C69Gvotl/atg=","/assets/Portfolio-zlXkcOL1.js":"sha256-Z2spuoZt/01osuc0xo5CMleTk+QG3+IE5em/PdUjJa0=","/assets/Receipt-Cd2sV2fX.js":"sha256-Kn1ZrWO9HtioEZO5+WQn3iGsjHnqBbkSLq3qcONdR3E=","/assets/Record-BqLmQiFH.js":"sha256-HoY+g0m1W3eFPNav4aaRKXk81m7UAjfxOjbLQdKLaKA=","/assets/Reference-CYy2zRsk.js":"sha256-T6M+3AJ0Fiqv8/LPHHsFOsj7umqO0gOPbF4mH9/Xt4c=","/assets/Season-BRM7C91t.js":"sha256-8a3fLyHO1AFUeW1hfFVZlVQ+BnGQQ/BX8n02XTVULCc=","/assets/Stats-3kUzneh6.js":"sha256-S/Lal3oT15EDggw1S3MMmubFo4UK2V3JiJrhLxUp1so=","/assets/TV-DZjfdUd8.js":"sha256-l7cfx9tQKPZY7E4vyxyUA2sqVnBJZ/uCPx7wU/ZLHEQ=","/assets/Team-H0d2MWk9.js":"sha256-TSCCE9bWWNhWwFKCBoBJxnGOSpfkhMyBn7YvdtOzUgI=","/assets/Token-Dp9YoiYl.js":"sha256-2na8yaVpai9orODBA4JBS0Qr6hMoicx8kuDtk0gROxc=","/assets/Transaction-qvii2MWO.js":"sha256-U5gtjam2tehk3fNQe+XEJR2U4TI5CkkEEk79BK3i5nM=","/assets/Verify-s-kriia-.js":"sha256-9vZmyjXEmgGFSWa3F8J/QrQwGF67OQZswGNrzV/4+VE=","/assets/arrival-ld2mMEMg.js":"sha256-lumT4uYtyAIAi31kbeJdRNYYzdRRwlAxu4R5aUrfT9I=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-BBvCrYzR.js":"sha256-NtfRASN5+X5nUpOjYrim4Yz0b42yUqeMVjAIgi/0SvY=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BAuJzg3Z.js":"sha256-wTALOceSnX7hO7Fq4v+o/hQDFxfx8jTf2pgaBpZeh/Q=","/assets/es-BRu6FPb8.js":"sha256-i5huaiFDBfjwn8ly6TCT8V+8fCqIKeuDYxqbM6/Pj14=","/assets/first-Ci8y2o4y.js":"sha256-JI2AGfd2/N8xIafbZN4+feuyw3pwwMkOnNcWqyLneKw=","/assets/fr-wrejL-63.js":"sha256-jvS5ZY3CIHb+/81CAQuf5iULbCoywmaZCnJH8wpzJDw=","/assets/ja-DGfTbo8m.js":"sha256-1hLy0KmrsQVlEd7hbIdSNp/eO3A9sBgsqVRKrZkRuU4=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-yW9rhuIA.js":"sha256-u/K9QspJpG47LBRGkg/NbLME9H13dGmXZiGiFOPeHVg=","/assets/sound-BGbwy6Zb.js":"sha256-MEfOU34cKyveAeoEMtOw7QnYirx/szamTeVHdJXZZl8=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-Crdkk8F5.js":"sha256-p8ApXg3Pwtu19CkAUPb6Pu+gUsYx8qGoeJ3tWqWqLDc="}};
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
