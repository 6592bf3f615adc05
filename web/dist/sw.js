self.build = {"version":"qHaatuPBs1Q0d8A+","files":{"/offline.html":"sha256-dGzqkxCSP+e7X631IS8rDUqwDX18TgEVSQm7WUkRMlU=","/assets/Account-DpIJswOF.js":"sha256-JQp5Zqr+AuFdVJSpyzzcvypuorguJ5zbKDFALB1Tx7g=","/assets/Achievements-Dw-3lrNE.js":"sha256-OoxDwtb9yIDNXXJWpGG5Gi/zLgSucg4A3d8cDvu19gQ=","/assets/Address-DprmNIE-.js":"sha256-pDjc1U/yDnMyTlkuN2N6g36xXV/uswdaYuN8PEMVzf4=","/assets/Alarm-AjsX0Qk-.js":"sha256-E4+QL+nlLl+sTFSNnH9Jx8f1FaQdKSpQa9HwwD5rMJw=","/assets/Alive-B3FzH2Sb.js":"sha256-EZi7Ry/5qJfl6jIWwFTcvN4QsWjeUToYzJrm8i9EpOc=","/assets/Arena-B-zl-kZt.js":"sha256-afM7ggrYvLklUguqJ6GDlzBBD4WkgMvsXYWvzH9uPY0=","/assets/Block-BK78A18-.js":"sha256-ZsyWykDlwqEFmWt/zhM4SsXVndE5koWol7u8bLr0VZk=","/assets/Bot-BfKB5707.js":"sha256-8P1eQ5uMMEL7ukmfumXlEiuXtivHF3P82YiYrrSmy9w=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-CgbMfPgH.js":"sha256-V6ZX1APlHc7DW5T7EjXQ2UaTKpuMraLXuTob0ju3hBA=","/assets/Celebration-DyoWvUrI.js":"sha256-xsIY51FsdbO6Lqx4DPgpOB199cm6Z887ofBZyn9jmXU=","/assets/Chain-CF_5O3fi.js":"sha256-foIH59j98YrKd3RzqY2oys4Flrdqfp4BWvdUPsqJGlY=","/assets/Company-C3e1uhnF.js":"sha256-Y7e5BAgGqORJEU4Ji1sXl9b99YIw2aLptapBgk2elqA=","/assets/Cup-BsbuOJGQ.js":"sha256-jSt0acv/CiMgOueQlVOlVPx+yuUkz6DkIafD0JIfCeI=","/assets/CupLive-ChD8j8rN.js":"sha256-NVTHEypwBFOwtbVwFhkWtrfyfVaH7g/fKwP3HbwYums=","/assets/Cups-CJDMQPgS.js":"sha256-Vzg5qC3ChdJ9fRVuKgQ0a4E/R+nzGISjJ/iXySsaLvQ=","/assets/Daily-CamQmG-O.js":"sha256-k8ywW1U4c7iW8CJXcnOr96nKD1aqF0l+ftbcMq+wIHo=","/assets/Developers-DZDMGaq3.js":"sha256-fvLHJmtHypgovab2IIzpBjpMVn7SyiTSdJuT/jb0JFY=","/assets/Duel-XTg5sTX_.js":"sha256-12asLIxsn8kCWp8d8qJ/SV4SQD1W0/GcjCiJAZMOOGo=","/assets/Duels-iVXZ0rnv.js":"sha256-crI1PAfnapVZlzhIhxJPO9JMEyEtrEX5mMA372kRKKA=","/assets/Feed-A9d4w_JL.js":"sha256-RTIHOnz3KrT9zqtuYe+U3KCcMU0VVvXNpQgORcBEfdA=","/assets/Help-zonnijEP.js":"sha256-m4JaSGugL5MRprIcH7hBK+/X+a+NjZO601KpWtKMIgQ=","/assets/Invitations-Botk0HYu.js":"sha256-KvZmWI69qXt+3faO/HqtQbIiHvk12WO1E3QfKVLckMY=","/assets/Leaderboard-BZv8wNW4.js":"sha256-9HF9fvcsLPsz4iuuF8Zi4GeELsKImCjyaMoejrYWSiE=","/assets/Link-Bl8z9RND.js":"sha256-NZIg2TnnT1iN8LEQeA+3AP1J6pZC03KwaYNLq7UnPfM=","/assets/Market-zG6Uh4k5.js":"sha256-brouHueSnJpbQyoYxaU+KCc6fa41UsZsiwdqkTZRo24=","/assets/NotFound-CSdxdAmf.js":"sha256-W3dseCR8YOqrktnYI4S1UEK/yFvSN+/jr33hEFLAWUU=","/assets/Player-BU4PD-Hh.js":"sha256-wF6fir2fRyj7ochpzoFn1LAJwj61JiJxx75olbGj4oU=","/assets/Portfolio-BE_kHXoO.js":"sha256-s6E/aMBwKG13tNTtdMrAu+gyuKxQUHfCHB+KX6Z75KE=","/assets/Privacy-CP07dBwa.js":"sha256-d5F+a8DXSfz6w/cvyPnHAZlSt2hzq7Z/c2i5j6iKoaQ=","/assets/Receipt-WdChUDR2.js":"sha256-T9LSdGtivrdLneK4yLP/h6d0slRMkJxKi1kQWiEDrpI=","/assets/Record-LAtD6tXL.js":"sha256-lfNVlQ4cxG1Zija/ApahI7SDpQk5S/p5GyqDbqlp+CU=","/assets/Reference-C0D-CgXC.js":"sha256-0tpXoT5AOLxrHYTMvrnqFISUcKcOoQQbhLAqq+I9cYw=","/assets/Rules-BTCzz17v.js":"sha256-Bp1EHzyXgzvWKSEWgk5SoB2bs2juWZ9g/+pAgdx03QU=","/assets/Season-D7-vF6kw.js":"sha256-Js3MEomWrgAAiXwCls9sV0q5JTHi8JP9rCdC32vyusU=","/assets/Stats-CpsnG0Xu.js":"sha256-xP0fBOkNPo5pgdwzQ55tYzjnqbD4ltW/sRha4+SXM5I=","/assets/TV-BnpIzWcC.js":"sha256-T3dmbRT5a2uAL2J7oFCWIY2XGfUu8QmXFam2kQzRoYU=","/assets/Team-C24wYQxR.js":"sha256-p1Uon4BUD3ei9npdu7c4fG5feOgrK1vLd5A7G2PbuDY=","/assets/Terms-CJAobOaz.js":"sha256-z2fLJBq7MsQogdYLkQRzMqq6niolP7fb2DzevvyWECs=","/assets/Token-CYoKGoe0.js":"sha256-uzVHa7onDC5bA9Ys60GAh8F573egWkmTNGFL+qARAu8=","/assets/Transaction-R3XCsPlA.js":"sha256-W3z0vRblWzzhajTr4a/tjjFao1XYxPHCFDVsUW51D48=","/assets/Verify-OUrSiloj.js":"sha256-QiyfSbbACXKkKx0/SsAnaylFb+EYr+h1kajdyKZHpfs=","/assets/WhoPlays-B3ik4-mM.js":"sha256-TdRt0R7a/LQQwOwEFWcY//RP33CXcarLsTjOfCv4ENM=","/assets/arrival-BEXoThLO.js":"sha256-1TmC/dkfAgRnG+EnHA2zBJYH98eRgjYowzF6YPhgESU=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-Z4PLWIBb.js":"sha256-/Ayb7tg/kRlSJRb0pRbpmKkxaA1OaYsVodQu/Qa5ivs=","/assets/client-DJuj25_w.js":"sha256-MO90iVX4JxvhC2ZmpOtfcdSUc71O9AT1ie75kutcH7w=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D1LnVFHc.js":"sha256-1cEaMWwrkma3rNHpC148DaaazdDqAQobienqq19EzzU=","/assets/es-DIMIkiur.js":"sha256-N9IsY8MjdyMxCwJ8Dw5/kmSY72htk6TlR+AxwN++afg=","/assets/first-goPfLira.js":"sha256-o4wDFjG280dK8i4a3qGSGdGMSFxr+oi3ziOBSjxYFfs=","/assets/fr-BOfNO-EQ.js":"sha256-sVECr+dpCVbTSMhB3PoEp+2X6hadrOIIve86JfjG/U8=","/assets/ja-BMMSZn07.js":"sha256-h3xUrxESHvJHowlJtp1kStijr0TjLZ8hupvS/eSGk3Q=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-N7sbyVdJ.js":"sha256-LQQDXOfqCsomLdIxKJJWVjpdIl6u+LyvnqsbWaBIjFY=","/assets/sound-D2kO8Y-T.js":"sha256-fVgALY8f6TEY+wqNoj5bbANhw7diTYdRnpHd6tLlnwQ=","/assets/style-B1oBpWbB.css":"sha256-gVC0wqugeLTcZisQF6ZsO5uzN204SCW7enZtx/L8JpM=","/assets/trace-WC3NzLoA.js":"sha256-f70vfR/0CNHERDYnVOXkZFbm50uEZolgYSrsgSyy6Y0=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - A document below /docs is kept when it is read, and answers without a network.
// - Answers of the API, the log and pictures are never kept: an old balance or an old block would be a lie.

const { version, files } = self.build;
const kept = `roshambo ${version}`;
/** The documents below /docs that were read. */
const texts = 'roshambo-docs';
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
    if (pathname === '/docs' || pathname.startsWith('/docs/')) event.respondWith(openText(event.request));
    else if (!others.some((path) => pathname === path || pathname.startsWith(`${path}/`)))
      event.respondWith(openDocument(event.request));
  } else if (pathname.startsWith('/assets/') && pathname in files) {
    event.respondWith(asset(event.request));
  }
});

/** A click on a notification (stores/notify.ts), whose data is the path of the page to show. */
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

/** A search is not kept: its answer depends on what is asked. */
async function openText(request) {
  try {
    const response = await fetch(request);
    if (response.ok && !new URL(request.url).search)
      await (await caches.open(texts)).put(request.url, response.clone());
    if (response.status < 502 || response.status > 504) return response;
    return (await caches.match(request.url, { cacheName: texts })) ?? response;
  } catch (error) {
    const text = await caches.match(request.url, { cacheName: texts });
    if (text) return text;
    throw error;
  }
}

/** A file with a digest in its name never changes. The browser may have evicted it. */
async function asset(request) {
  return (await caches.match(request.url, { cacheName: kept })) ?? fetch(request);
}
