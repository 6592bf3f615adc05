self.build = {"version":"dv6v+JtvDpAm7Zcc","files":{"/offline.html":"sha256-sco1cp2+8QtXmQQGak3nTST2dM/P/fPEwRAetVNJW+U=","/assets/Account-BqdD87Pg.js":"sha256-ogyndu9IupZ6jUekZlvYKJ0V1e4LsKTIrHBp/pOvR+k=","/assets/Achievements-CQ7n4W-F.js":"sha256-kO1Oc2JW28zJ70V9SkayESWh5tZMLSERI6BJfTPAsrg=","/assets/Address-kROi7g5Z.js":"sha256-hr6tXX5tGXGejezCUgQmWrgTdzL0uYYU7UY1se65OUU=","/assets/Alarm-DkCTE058.js":"sha256-QK00LgleBSb22zMrk4Z3PV8DpLOUiBZzP5eahUeUoFM=","/assets/Alive-DaJ1xbRF.js":"sha256-2hMEGFcw8b1OLqlO0WIC6xLtyk7ZN4UwGBA9tXZ7zVY=","/assets/Arena-ByuYIAzA.js":"sha256-wayzbn5UmYYVELogg/fla+vEYzIy1Xb/GCShP44ckMw=","/assets/Block-CoxH5fdR.js":"sha256-vGAKVRW1nIY2GZpy2yUAv0WjtQDCPW6DFwCL3zvhW4Q=","/assets/Bot-BgE2lE9r.js":"sha256-rGLxMa3Qt8KOKRHK894UrTHRMQFvFsEbotMIr1GVlcs=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-DOD7Rmap.js":"sha256-Ep2x/TjkxgzRoNm+dxzWh31pPemY16RzZ+hEXvilSfk=","/assets/Daily-CicVjzUZ.js":"sha256-AX05hD5A6mgYkg/qCBTbLYcEBZ2q30GnjvQKFMBKhis=","/assets/Developers-BQ0tc8EF.js":"sha256-O3R+9HNqg0aok66t7l0L0AynPcdfeZkvde8s9u1x4tE=","/assets/Duel-DWpn4b37.js":"sha256-+tv7adose3hat9PE3yvt1sHamKO4SgtrNjCtURF9bio=","/assets/Duels-BWGoaA8f.js":"sha256-wLvYUxbCo/+LJX0MpeyznTZp2Ect4DLoMciDtvwODW4=","/assets/Feed-kx9J6emS.js":"sha256-gUdrKYKpNzeUxsJw5wqz7AdmkkCLVfLA+OD2d/kcL50=","/assets/Leaderboard-C8KI6-Ce.js":"sha256-gT+j27d6XFUBnIS25VwbiPSXXh2lHUoFoCE1+3KudYo=","/assets/Link-B1wSwJ4b.js":"sha256-ySIIqnQxRflzryLXABAH1MeHPPtAHNikFhqAkn4W72Q=","/assets/Market-BcKB15JW.js":"sha256-iZQ3S3Ib4LAh9vtqGoN/clTHaRmzJLzh2Vvd75K2ZJM=","/assets/NotFound-DmZDmtFc.js":"sha256-eTmlyhg3ejqyMI9VNO7yQVEX5sekh07NEIolEfkZg+M=","/assets/Player-BKOOVwWL.js":"sha256-dFfsAH8U1XjdgEPtoImpm5pLxUcV+N9FIWfoN9loQt0=","/assets/Portfolio-BKiazOjp.js":"sha256-Z8F0OxBWdJfCFNbfGtApVcdvrw74LuvcECmMdu8iDvY=","/assets/Receipt-b2LPB_Hd.js":"sha256-29RqwIHh5h5kf0f5wMoScIKrMKnb20LmAd1axBDg748=","/assets/Record-CVZEw6Ge.js":"sha256-9js4m/mSf0+iWYCaYTQ+e720wrgF1aQJ8BRP26BSROo=","/assets/Reference-CHJCE44H.js":"sha256-bC0sXJ/S3Gm9ikR06hxYIJ49WoFURxpV7k7ps4Vzia8=","/assets/Season-DhEcQBTp.js":"sha256-YHClfn9lF4pI24TYNN8kYV0mC5mI0lgRH81v1SSJ5GU=","/assets/Stats-CjHgX1fL.js":"sha256-bKHFrXGDVHizTKiNqftMuRFGR6xRCdBK2zAX9Fv+dzM=","/assets/TV-DUGwsMnR.js":"sha256-DovziyAiglQPj/XluC/6uYY6Iou/qU7NGt94pq9H1KY=","/assets/Team-BkugEUkl.js":"sha256-eEhwGpExZ42CoXR9kxwEsOKSOKB7nHDDLMHP4mrY+0Y=","/assets/Token-BIXhlO4v.js":"sha256-tMFd93pxjJKDapMMhO6G+LzsSEgk05RRq6LMYmX6Su4=","/assets/Transaction-L_U91V4p.js":"sha256-RBRIH2B7YXlwbOLo+PJOpKPaXzSho0sulboGQu7Bb3Q=","/assets/Verify-ya00vhT8.js":"sha256-N4dxgiCasv1SAv7WBuXEFbY1yeoi45fYol3EEC+jRTk=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/index-DQrjz4f0.js":"sha256-VLqGVM79pIS4VR3ZuQlfQm51ygu70Eq7/vC4mE5ACLU=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-VLa0368v.js":"sha256-rgOmSnL8OgFFVyBt8KFc3WtKEGxenY3t6w9XnUXFC44=","/assets/shared-BpJt3w9O.js":"sha256-FTSpDk3BEH+KxZUBqsnh9p7GkdhQceIsH7O4yFDr01s=","/assets/sound-bm5iSBsy.js":"sha256-Frf0KawbxZZjI5xFuDzxvc0RCpQM9+mDgC4zsh9HK0w=","/assets/style-BUeEza4M.css":"sha256-rdK6eXqze+mqCR820bbTkbpM/UbjFu5Mo4z6PeecKgU=","/assets/verify-BWPJK54l.js":"sha256-bpeb7t5Wz8ezpnC9wbpjMsOmj2vh1tU9sSO2fz0sryI="}};
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
