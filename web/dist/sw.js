self.build = {"version":"64oWfhu+jqeRRRAP","files":{"/offline.html":"sha256-6xwwfccFf+cJeOn4/BMJytpYsAT3B7r1kuk6AKBMEog=","/assets/Account-CMd4O4e1.js":"sha256-Be6mSq2zNubKKMx0UJBTM1qOeLR0ScX5slaIPSbPVI0=","/assets/Achievements-CijtTyrL.js":"sha256-eH3H8KdnbRxuqrDBnHw0O5oCgxzdFwzLDXi45Bh4qcY=","/assets/Address-CdaH74yF.js":"sha256-qkezFp9zCIwcpZOurNMPi8wnbLz75L2PUGrs5xXMkow=","/assets/Alarm-LhLGh6O_.js":"sha256-o+4rOeiiVtjR25LAwOgQ0xaSIIf4DpJ3ns/goc5eHSQ=","/assets/Alive-BO_IePgb.js":"sha256-vSq5X1WE4vfOia0xLiOp6il58PQG9guGjt4pHI9ayEc=","/assets/Arena-DivFxMHz.js":"sha256-5j/lT2BwiOsiL9gTsdvF9Af89tfE5EvNMeFe2ND2Ebg=","/assets/Block-CZdzmOWn.js":"sha256-zbenSoNfSIlVc1ose+UvpwACX5k1ZTHToWA4lCqM154=","/assets/Bot-BIQ_GwQP.js":"sha256-kVK17VPmkDGeKiO7mUEd00OfDzqWcB0K7VCNTUh468E=","/assets/Bot-Br6kR4DC.js":"sha256-sVc5oZ0ojfn0Hfdf/D+xLOTHP9In02Co4JhzwavLR8k=","/assets/Chain-gZYQKzM-.js":"sha256-ZNJxyle+dKtRPnKbl1p5jgMiC5wzHh18tdbpfETQ+F4=","/assets/Cup-7zwWSieD.js":"sha256-IEbrlgHznG+AmvsHuVdYvi3frgjM1Q90aJ78oZJvzY4=","/assets/Cups-CnMKFQaJ.js":"sha256-6xFfmkQIDc6Bh/BBSlY+gzSP2tQIUDt3E7rny/mEEeo=","/assets/Daily-BfqmsLZL.js":"sha256-0uIDwH+5N9y6OSr6utYya6uGsXSivxTROLcDym907zM=","/assets/Developers-B5Q4kguy.js":"sha256-82fiCzDgFVpencGO2qiHkNcBjfZbSfCGiaxRLMMbI/k=","/assets/Duel-CfEZzQLA.js":"sha256-3B/VHTFaAFqG4MeOZV3/6i6ZA8g6z9oZI3+yopaNAzM=","/assets/Duels-DyP6GCZx.js":"sha256-gdwMKcGlxddBJB8jt7pvlJ0kD73arLmvMbm1cSmtTb4=","/assets/Feed-eG2IDovZ.js":"sha256-vu75pLdbRLi9t/HjqzfuJ2CEwtsbr+5X2JK8qgI3NsM=","/assets/Leaderboard-B3hkIra3.js":"sha256-hSamJWYGrz5XXBmd5n1ZQWfhOV6+3BEMW3bMRUXk1qo=","/assets/Link-BvqVSNEV.js":"sha256-JAs6V4VnF2gaMEl3lwez4bL2P0kH2fPoxLYxLA/RXco=","/assets/Market-BHwjJeaQ.js":"sha256-Uu34cIoP4RHYYgcUO5FcjfiDOjm1yLvqJ0KmoGzTPns=","/assets/NotFound-y6Zso5Cs.js":"sha256-Oy+dAGPn0OyS0Acz+43Z/4WWs/FMJKlkkoCR7fBE7MI=","/assets/Player-BAIzzUl3.js":"sha256-gB4/LJT4uDm/cfJtK6a58gYnGKwOg8sE71irpaekKuA=","/assets/Portfolio-Cs2t5Z7X.js":"sha256-X35bt5VQFH28sz+6vQjN8XeNTumFizBEFw+WlXDLzUA=","/assets/Receipt-CUVAo80e.js":"sha256-3rDwDmiUdOi5enMLtfXAOFYTFyj+FeHcP6mJqm1wOI0=","/assets/Record-Copa_-N6.js":"sha256-DPN3cWCcrRHdzTPa8UIgYEIAB3HDEHqya74zbyjdOuA=","/assets/Reference-Dk2sI3xS.js":"sha256-u9vv9X2AUBufHw2QhZSz2a5bcam5PiWkvxE0Z/WXLAc=","/assets/Season-Ce-t13VI.js":"sha256-oVddxJKkW/GUQUwFX8FEzdWdKb2i4p+uT5WnUXihdMc=","/assets/Stats-xKuHoiTP.js":"sha256-aSENLWS2wab40ePfrXvpkSO7QsfbJ3mWa3QGqiQs5Oc=","/assets/TV-CO6FnKNM.js":"sha256-wRvjAb6Z9Er5BtqRYAZmp7KRA7shE9aNs4jt/Wb+cxw=","/assets/Team-CctElcQL.js":"sha256-D8/qsZpR4KZ3AxpZUNYQlfxeRH7wDKYPSltjl9jAd/M=","/assets/Token-Ci5WvoOX.js":"sha256-5w1PI4sHGHfXh2UHnuPp/yA8myXBbYZSHq6v0PYaO0Q=","/assets/Transaction-DuoKkAFN.js":"sha256-FtniNo+b0hYFiWwW+yi3gVq0lvTXdPt1Kp9v2nQlOIw=","/assets/Verify-bm8dzKbX.js":"sha256-VZLq/mb9uTXg+51WZpwNR0d8HuhHM8b/HHSnHK0sL9U=","/assets/arrival-xgJJEvsk.js":"sha256-8tAVp0onqSLkGQB31/CdnFx3OFzsN0+gUlES/EHC5To=","/assets/bot-CCom4MYS.js":"sha256-FkGHc3+22FO0b0xp3/zKzugOl8EKC6d9g2pOpiuJSPM=","/assets/bot-DPNUwH2m.js":"sha256-B1LNqf0LzxmhfySBpcx9pcybuqqx255PLm5G7cKqijg=","/assets/bot-Mm2heoDH.js":"sha256-/shhYgScipYPjkCv14bBjVvhJxHUXxsaB92uKPyrQ9k=","/assets/bot-qp5T-cKB.js":"sha256-xOuC6YCBb4fi1/AlhIdDxYOSFzTd5J1HMOR5j6Qx03A=","/assets/client-0Ce3gSIk.js":"sha256-8BQMjGApprjC6ZOvj8PfB8uiHoDZWxK6cQQ435d+sy0=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Dj1wb3LO.js":"sha256-1TUGgNZKnnoSusTz47O1kRbYtPVGfoTUyiu3wXEnB2k=","/assets/es-iUjjqxC1.js":"sha256-2TGS42q3cDomfnTfOK9Yu5IJFVLuAXsRdkaxGblI1wQ=","/assets/first-B8i6faL2.js":"sha256-3Tg2mnyo9oKy2nHJ9T9R81+8frTvqBTNVEVV4x9VCwg=","/assets/fr-CHLGtUdw.js":"sha256-cf4B5QDZQZhHcxCYdi8iFILYGfgJl5zvr/UiuyRIhGI=","/assets/ja-H7OAf-DR.js":"sha256-2N3v/vuvWQnUJaVgATUJI2x9iBBFcj4IwmAhEOq9Mp0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-Ce1ZCGZW.js":"sha256-Y9P/3woORi6XJUfQVrZ/q5dhYUdyt3vLeUPU1CcpSQo=","/assets/sound-D4cu7XN8.js":"sha256-d2XaAYGSLk5rWpDM17Yy8UzqZQvUwTHaUFuEGpkQ7pw=","/assets/style-Svtk3GHE.css":"sha256-Exz/7nIhXgf1FyHCvFVadRxoNK1P8lZ5pKg/5NxrKnQ=","/assets/worker-D2l1H9tj.js":"sha256-qj4ZSsg3RIFf0m5uf5BQgE6+9tMkPC9MzpcZzQBgLro="}};
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
