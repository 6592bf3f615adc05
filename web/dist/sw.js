self.build = {"version":"VBM0m8rHU+QZOQ6R","files":{"/offline.html":"sha256-hoNz5SWBZQQDoe7VG7cRFLa22y4PlmXg1r0wToNGuKo=","/assets/Account-Cji7iAUh.js":"sha256-9QOwaDNV0zgKw8DKKbNQGUWQnQD2xmLaQvYWig2AQeY=","/assets/Achievements-BOF1S3GK.js":"sha256-EyIqIj8efjuXh/MpJc03jpMZtG+wrxHzgrVh6GCR9Hk=","/assets/Address-OabeKlym.js":"sha256-NWfJyc/OUBbhfdXT/JgrbYV6qc7uXazhqnjae/b3KOI=","/assets/Alarm-DHFrOLFj.js":"sha256-oe59K+7NQU1Jx12LpOdR8sz8BHUwzkqEs1HqgnKQjC4=","/assets/Alive-BUyYRTJ3.js":"sha256-JZO8lh42CJzlwdrklncIzCnSLR9XILmdl3Gq0MaBEgo=","/assets/Arena-BNun7DAS.js":"sha256-F6WeBvJ4R0RglLsIJnTFTso8HtEQhLI3QpKCg7GGjLY=","/assets/Block-lg1tViZW.js":"sha256-kdBHedKcG0sLyOd4zIVPxrNHO6XXSQVP7Zjm3gpMnZk=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-Dy1pKpas.js":"sha256-l4ocDGlKdHpqSvZ0JnRTmc9kYcioXX+gh65N31T8JMo=","/assets/Chain-C0b3HT8m.js":"sha256-OTNJuWdy9SLMvJMwmBhdgLqi5XWgxGslYPbq9GIHK00=","/assets/Cup-XCo6doNZ.js":"sha256-uCnrxYJmFeBlMd2/DSxpI8++8tcrZ3CRZCYFI4p1irY=","/assets/Cups-6gfRs-tG.js":"sha256-pAcCYWqWS3VI0mlUDOashcjxLoRwvaLmsHyNYbKHggM=","/assets/Daily-Ba-nedR8.js":"sha256-mp8a2b4VqY3lUYo4WX5W+kb6/4+l/ZUc6nAKWg1UZOM=","/assets/Developers-ixYqN6kf.js":"sha256-CZKOx3Qhc7QgZXkn0wN6sx7EeWNgFr3bNa4hFT/mAR0=","/assets/Duel-DDwS8ozH.js":"sha256-2ZR9Eh9QiV/lccOY4BfaHWMrL7RNJqRGI6k3OKTAgIE=","/assets/Duels-Ds1dLWHY.js":"sha256-lTa0+Lha+wmluWBpfhs3VdlF3AJjPyn/x2+fSKiylOw=","/assets/Feed-Brr4TLCi.js":"sha256-Nkw+8ZnmSbFUjPfEJmQl6U3Ug2YBjj+iktxT+r0XNTY=","/assets/Leaderboard-CL0EEK9l.js":"sha256-iKCQFUmhiOt0B2XVMjhOkiVYHGVYsbWFCtpVkMBxavo=","/assets/Link-CA3XGB7E.js":"sha256-Opk5j264PK3duiVN1eXM1eZXl+e+Sf3AB4TIMoJaMSs=","/assets/Market-BP2Xlpd0.js":"sha256-bEa7DF4XmTHXSahz0cLvT9IAS8gUOMO+HCOp8RR5ql0=","/assets/NotFound-jzT4eYQu.js":"sha256-jPjsc5IesB00UrqR+EtDblsG5gVcAF6sc52R65wrZkg=","/assets/Player-LvajaPas.js":"sha256-t9JEHY9CWYgMlEtTFA4+g1a4EG8dXGxrzLLMqAd86yA=","/assets/Portfolio-B98Lhlss.js":"sha256-VifiX3Fe7pxv5pX3bzcqb0Tjmc7AjgRGRauI1cEiTYo=","/assets/Receipt-Yzi6AIaY.js":"sha256-3M3bG0+S1JMt2mDWZTX36anAn/jJVOFyQJLTU0LzOds=","/assets/Record-DPX_Q5mI.js":"sha256-qlvmvdsqxHCMMcOFcZTWQnZZKMUpLhfI1D8JYB4PyB8=","/assets/Reference-CLAIHNbc.js":"sha256-npB7XrO+kvijZbv0obO0/IKkDJtdLXOADrltGDgLbKA=","/assets/Season-B33XIsH5.js":"sha256-FS5HIlQrCFcdiPJD2OPw0tCBpFAWTj/weghHQtFqFdc=","/assets/Stats-Bjjy0fIh.js":"sha256-jgnIO41JfY0/wLmPRcKQ4pbFWynNyQQuXOrJNGjHHR8=","/assets/TV-Dx7zV_Hv.js":"sha256-ByRqzc6OFhAAh//iPlEssix5SIaEny2JnLfMnYSZYVo=","/assets/Team-D_I573n6.js":"sha256-mB981Qa2mPSOSDv9rK1XC2IH5a7QSc7HQBcfizjJwx8=","/assets/Token-fwgCX3IU.js":"sha256-fUD6mIq4ABkZnYxPbzI65gSPg5vw2Ko2V4iTtwAZ95E=","/assets/Transaction-DTCzbKkQ.js":"sha256-uSibWNS55eTzLWPTk1hnpXz5JCTEo1ilUtZfAAQJOZM=","/assets/Verify-B2honOWk.js":"sha256-paYo2iIjEdO8GEPQ7d4wtJYJfqWQ0zen9SZI320iGNU=","/assets/arrival-6VeOCRzA.js":"sha256-ZGmXZLRyBzJLt+qRJWr9HJ0Z45jM7vbo6m0VUguAQjI=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-Ds3cJ45O.js":"sha256-sCS147h82sHHWWeffjmt0cH4lT57dttPifeFQvZ6MtE=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-CtIQzVbz.js":"sha256-cRiWVhq5fccAjoTUdMhsXIUQQ/qKGsklrQpV04KiHMc=","/assets/es-X2H4kH60.js":"sha256-iLrV39OhMBqoGIYxeFSuiRDseJDP7gHk6vQT+P94rf0=","/assets/first-CXvqoO0T.js":"sha256-MqvudPS0fKHCQAZ3wr9o5ZTVFp+KnhoETJ7Uzi5sa4U=","/assets/fr-BFsTzzFB.js":"sha256-OS1+0kH8it1GKV7wWTchjnfJreC1u1nD3ezxIEcoEiM=","/assets/ja-CWSMoKyk.js":"sha256-ZtfkbBvIMb8rn35K+/XDTs6mR37+Bk0sD5clHJzfzvM=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-BG4TirRl.js":"sha256-buNI3Q1q0IWvFhuSoDHgqlNVoN6u2j8pkZ+Tx1VuA8E=","/assets/sound-DAxR_qh-.js":"sha256-JFJjdFkBmEHEm86F561JfD+R4w7+qqjpTivwd2PEVXo=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-RFvKhu6K.js":"sha256-MCq94ECp3AR3/vCLNxhxGYVvNT5dVTP+6fEbWc9kgBo="}};
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
