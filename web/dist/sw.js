self.build = {"version":"f4eujtRsw1nbopjD","files":{"/offline.html":"sha256-EvEvjvNxhDNH6eAsbdSYlnAJP4u0AghHCnBcU2Kx0qM=","/assets/Account-DosyeYeS.js":"sha256-BE1i3GgJX3oF+xTWpGOUjqmOJNn+41P2IQ67yFxAgSI=","/assets/Achievements-fR3JIRbv.js":"sha256-DgyYfkIHws3uxbVQXXN+WfmPpGuV3bi3PuGHUhwyfJE=","/assets/Address-BVMGzftc.js":"sha256-TzTZ6g0sPHhT5SBLcNhY2YZcAOkoq3wg05UxAjZEtrg=","/assets/Alarm-C3i64h9R.js":"sha256-ZS6QJzQUFu9pAVNzJvVGHChmiYaucYgQTB1y/q1WMAc=","/assets/Alive-DkvtenNd.js":"sha256-iZCTooNA7sFJVULKd7Wi2d11Sn1TP5zJ+GkVWc3Facs=","/assets/Arena-BIQ1u2gD.js":"sha256-6xzQsitzeWw2tz2W3huJ/A7ETlDEA89efQhuJ+mq2+U=","/assets/Block-Bk8GTHWV.js":"sha256-o4XOpNcU1PlfKGrMKCDvgANj1kG2ZVJzDG2m5Ll+FuE=","/assets/Bot-BEOwzeyq.js":"sha256-Qp2GMoLGZWMHtJRugTiIbDwNRiv8qa0g00x1ocQs+w4=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-CiTLzUHe.js":"sha256-TyW2BOdMn7e0NLQ3NqMX7l9OvSdnA84+He6pQ0X/pws=","/assets/Cup-CpJTHeAL.js":"sha256-sFIg2Qah0IuKPd8tNg9ZtKXolAWWtdOzinmS1AQ7dcA=","/assets/Cups-Dw8etdZB.js":"sha256-UF8Pnkpu+188mEYiqhCdL4nalFmmcNjKk5AIdMN0Jt4=","/assets/Daily-Cwg0FGDK.js":"sha256-Snj2JxOCY9JtEp1QZXomrWee3aY1e3lVT8jktsrw6X8=","/assets/Developers-Dpj6r6DB.js":"sha256-xdPKAwBYBE4r16Ve4is4ub+y0cloXoiK22u/nG4SrJo=","/assets/Duel-C1qA_jJm.js":"sha256-7ZPxf8GkAdV8ZOdpSUTkREVeBVcCoejWLcwU9q3FmPA=","/assets/Duels-CVb2D8Yg.js":"sha256-Dgtbj5GG4ft/oIg6QjT+uLDVn4B4L79tiZYMAN+XaSE=","/assets/Feed-snie_XDl.js":"sha256-KtV+nJ6y1MUqXNYEryhm0Akzf4oVhpMK+eu+GabOICY=","/assets/Leaderboard-lmXmXeaz.js":"sha256-WuKABdRyF/MBxUqqOr8sVCCnN6Y692rqrHwzUug4Yfg=","/assets/Link-D-Qq_1ji.js":"sha256-zr9neEUnVRf/5QuSPxY20+j3or3LuqICP/pdpJoFvn8=","/assets/Market-D7JEbkLu.js":"sha256-DsmsUyPEO5WNP+Psxofh51F25sN9w16hdv5xeZ6xiBM=","/assets/NotFound-BacYxm3P.js":"sha256-ONjU7Ii4LPrLA3E7BBAjYROwokzjCYvg9+5YNNfVcNg=","/assets/Player-CnyUnGI7.js":"sha256-MQlZJvo1Vw96zrVI2LXUUsoho+hWq88kmNIHLQm/Hes=","/assets/Portfolio-DTRWhS00.js":"sha256-GRWNv0fcQ9BPv19W2+1pC10Jm2119p3W9mPAdC+4GBI=","/assets/Receipt-D69p2XEl.js":"sha256-QAD0IQ5/mJqCXYpYzW77x3CJaA+BeL0F/k3zjt/alKQ=","/assets/Record-GcT0m7NE.js":"sha256-8LO5gtjyHkKWa9HqL/W7X79p+sjgEZTcDiAkzaxqJAQ=","/assets/Reference-BIMmpy7j.js":"sha256-K4l06Z2RoRgDZr96YHBRu1RPhmV7GHyOrT71vNz7tSg=","/assets/Season-B3FRMk08.js":"sha256-3IS0sp5GRGTcO+mGW1X40k49Jo0zngfl7Zbz4HFmD2s=","/assets/Stats-D5xSRwKu.js":"sha256-AM2PFzr2Js1h1xmcoAswWmWa49JCwXV8vgzreelf0D8=","/assets/TV-BdYJJ1-C.js":"sha256-jevxVGqMVZixkJEZ8X5LPhVUgjMyVOW+1KkR7PZ3wL4=","/assets/Team-B0HyWz4a.js":"sha256-0ZDZ9vCTAPod6qFe/0YsaKJWg924zPHLYEWp608gK4Y=","/assets/Token-DIaytxcw.js":"sha256-5YeCXb9hZd2+YtI4+hfXnUUgHSg0TU6OngN/97SQhlU=","/assets/Transaction-C-YlVUm0.js":"sha256-FBHEYaXV154L3jlkfJPsDW70XpZVFBt9eNE+KcdSZak=","/assets/Verify-D07GzCnM.js":"sha256-ta/5PGvuOiv9BsDCY5lHGZd4cJ33wNJjYZb7FISmtJ4=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Cbqm0DEy.js":"sha256-fPQpOWhXOofTQnlqSgrCve1NJf5ZxyPz5gPywWzpXto=","/assets/es-F19BSIpj.js":"sha256-MrYlN7aW0q+LJ6Sm3wa2q1D1inj1+9aZ4jfTlmTnmlk=","/assets/first-BvDQ5iEE.js":"sha256-Jqt6rb2zJptkW5vOsTPZzSiOvrQvhaaGIH9oon+Rx4g=","/assets/fr-BeNmsQgV.js":"sha256-aRsuWMrZyBJmems4ebtt5z/OTU9eEKFYECq0DwtjHJw=","/assets/ja-D014_CEi.js":"sha256-a8ebrL+q1Uj72lJV1eCD42DJerwQHnN/mCUVlrkhB+U=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-B9nPXBeC.js":"sha256-VR2w/YD96RsPStOcK2Je9Eum1vu+Ci1NJ3G6d2+LSEE=","/assets/shared-B5SAKluh.js":"sha256-nC7EjYMd8vYQKVUBcDQCxTOh7AOcolotq5Qe+/AwSxE=","/assets/sound-N0l2sq-Z.js":"sha256-Nfe4N3iNu1JHmrhqCBzo6Fy1iLuC7CYqXEnm7lpaldY=","/assets/style-BfmZzJXy.css":"sha256-7nCCu48EDboJisBqO2Bojwak/eQIxk7j1UuyLsmE/nE=","/assets/verify-CYymOoHp.js":"sha256-yd5GxCOEBPeCj8hfWGh5z8xnJ2IYelQ0FLXsffTgvLA=","/assets/verify-Dis6H3xu.js":"sha256-iPJfWaBhENg2yUa6lpLamyCnC5S7nlEUQkL50OaHFg0="}};
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
