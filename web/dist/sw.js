self.build = {"version":"B3LfWxGv6xy3Hd65","files":{"/offline.html":"sha256-c2hkgGiotilkFR0vRbIKVdJ9OK3BJgAjtL+jwvKsFX0=","/assets/Account--nEFSL4k.js":"sha256-hYen09y2Gb+RwdJUEfY3OI+O4NJ25gxBGTRyaJM0q7o=","/assets/Achievements-AZsjOZR4.js":"sha256-NcbjIoBSekoqZKCkVlS4xe+dtVf+iRTAKSTwDYrH1jQ=","/assets/Address-syotUuEA.js":"sha256-eBn+0ge2VFXbtpC/erKcWeE4PE50v7xdo2JS5mANT/8=","/assets/Alarm-DjZEkAsm.js":"sha256-7sUxjQz+XdT0FLPQJvrzO5f3CPHqyrkYL55kwRnXees=","/assets/Alive-Db8OQS3z.js":"sha256-H4rDlCEGXpxfslJtWaUtOtQe8VVep65zO2QLTXaDa7M=","/assets/Arena-B4iEkzGU.js":"sha256-5SU+C0sZHKpPIIWl5PoeUyiNkxhHrNOJXqX+8byTe2Y=","/assets/Block-BPX1bArr.js":"sha256-FdyR3xR/cwv6gCFWqAONXSOhENQTSPHtlKDd/wVXv6k=","/assets/Bot-o_k5NM-Y.js":"sha256-jOAYv9WD6IyS1zivwCUEFuAu2cNjO2giDHXKVRvbpvM=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-Brz7ihOp.js":"sha256-qQPDsv9joHDnJGstLk2zNKbZ/JWxvv9OHNtb81/Cahw=","/assets/Celebration-CaHd5mBT.js":"sha256-dCDGF3Wj5+pCIZw4+HfY1sf6nrPvVdSZYb6kSs4v6no=","/assets/Chain-D-hzkNcH.js":"sha256-BBTGAcVqzmPh7uJlL5xCkrzyeCO4MEZ2YDHNSqu6eCg=","/assets/Company-DSDFrItI.js":"sha256-a2WXWkfXidiMGx3zRGC7Oh63n1zh/0HmFLFC/Bl3WfI=","/assets/Cup-CHVBmSI_.js":"sha256-EmKPdr0qSz+qux0+mvPRl6uWiknrEA7V9FmDaXxYW5U=","/assets/CupLive-Bw_kdIyU.js":"sha256-eh8OPJBNLmYMHm9VU0RSDjt1HigQkghPaRzR4dQ8yS0=","/assets/Cups-CnTH37Zs.js":"sha256-mH1LCHqg8jJQ2XFPLVHbT/jQMwGDAtHQ6CKhI4/hjIA=","/assets/Daily-C7a5v7qe.js":"sha256-BPDRsna429cI//ExsSHzDqXPdG/kL47BpleqIvrFWyg=","/assets/Developers-CbeE2gdF.js":"sha256-Gt8tJUqje66qkm62dMX9GjYHaAOwufIXRM4zEViHwH4=","/assets/Duel-CAvf7Yrr.js":"sha256-6C3isDigB3U37ajWfeGy/UN6iY0cMiMGeM3fZwsY2fw=","/assets/Duels-Cj0ZQql-.js":"sha256-h0R/5xBeNSMOeqfRlLFYYV8ECEbw/Ckyug/cbVilwiQ=","/assets/Ending-5wtvuEgk.js":"sha256-UN3MVk5KoVhrOk0krQq4oHhQV56yGWpyB+aYRFK/tH0=","/assets/Feed-BmhXPIAc.js":"sha256-MHSjLwIfqXeqIUKYv0rQSmZhU5RXt/Trjnwj42YMYzg=","/assets/Help-Bno46-zL.js":"sha256-N8hZfhGHqbF3+wO0BQ7e7Fkj6K45QBxb83VGB7JbFRw=","/assets/Invitations-ApURQGCY.js":"sha256-epueTpEnW/8LS+V7O0F0qwd237xGhh84LJ0i4Pggssg=","/assets/Leaderboard-D1kzB8x0.js":"sha256-6tPNXi5Pa8/tE4/PCNdoqr94NIMHxsFyPB5VXSQO/Yk=","/assets/Link-CZ3cjJvo.js":"sha256-cWLgWuUFY0n0DNgWx4e7+RT60iaige61hJt1WI43YNQ=","/assets/Market-1O68ld9x.js":"sha256-uCrqNskr2GyBbZjfK5QLSPZdxZTV3MQySEOKWwzemeQ=","/assets/NotFound-DUwtfhze.js":"sha256-qep212Iec/+OPvMzZsHSA8KrUrRKBb4qfDrtA0FnXrA=","/assets/OutOfEntries-BCvueA4s.js":"sha256-OM4ACJKLtoUzJJxTXya0x9ZyO3WlUj0PZGS2P3/jwlc=","/assets/Player-B1LG7dDQ.js":"sha256-/16DEVtgThLighH95joNMb3uflCFUJtUzWvsirOG+Z8=","/assets/Portfolio-Co3xT8Vj.js":"sha256-8J0t0l5F+8PLKKS9Yg4HGUp5Jf8FxM/eFkPqbujXDxY=","/assets/Privacy-dGoYob4l.js":"sha256-wDgobphuTN8QxCmPnD3dyoInegCbVWH1rxwmsqc486U=","/assets/Receipt-BGXW4oIs.js":"sha256-mS36QJ4IZLuDW+b8M83vzYSaJczTutWJVAblebw8u0Q=","/assets/Record-DIJHk4bA.js":"sha256-cxo9UQaY8gugZk6Of999ex5RWGnjoC24EpCzT7k4nEg=","/assets/Reference-KmjUZfyd.js":"sha256-nNYNpARLDvkM0GETgpQ27bLWECqbd/921mVI6SdzOdU=","/assets/Rules-D66x0qh-.js":"sha256-pNITqYWxM4bF4DlNqKRiiDV3VgirCO/itCNMtd8f3Gs=","/assets/RunChoices-CFRldtMR.js":"sha256-69ep3q1A+2igFE2cRT190KnTQB8mmzrirl11nKejuBk=","/assets/Season-wB9XmhFF.js":"sha256-Y6EKNoWrqL1zkYwhUNeqWLoG1oXg3wuFENwDbYgRe8o=","/assets/Stats-Ck-iRJPB.js":"sha256-DjqZb93A1B/Xm/9stNsnSD+pqlaNRNujpy7UK+gOaT0=","/assets/TV-CqBYvQcs.js":"sha256-fDlZcnqyP5yE1+fEz9x88GxIr8WwrkX4RfNp2MLiBtc=","/assets/Team-2DFVYvI-.js":"sha256-eS6FiSofmfmPjutJcZXJcPh/zJ0+OtWcduvsg9FzIQM=","/assets/Terms-CDEXsIlp.js":"sha256-n9VdSNEDAcjekc4u5P7MTKaUg10yHg+XRVu2MBtu+jc=","/assets/Token-B47n7t3n.js":"sha256-5oOqQizxdlZsGBWq+HYFK9jQtLyt0AIKqaYpYwfINX8=","/assets/Transaction-I2bqYWHx.js":"sha256-3BU+SXA7iqYCxsEwvTNhaMrPa9QjoNhEw+RdPLC4STA=","/assets/Verify-Dik-GIRa.js":"sha256-l9y6CcHc6C7vKpEHJNa/eE8spy4wgSi2Zl8PqQ0UYMQ=","/assets/WhoPlays-CC-1YTLe.js":"sha256-s0PBkp98FXVStiYClEYe91bU0fX7/B0Wipkbq88C4rg=","/assets/alive-Yp3WHsmQ.js":"sha256-Q40r6R+CR5JrJQYjtSbl0pQEwyXJFHJrrA/uPVuYeEA=","/assets/arrival-BYnTWdbf.js":"sha256-ludrwYoIg1pXb7wZGsUphx1i+OVknI7EiU2O9/vfzNo=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-CqP8mR29.js":"sha256-VGjzNKBX3NFmzgNRTDl2RTYyVMQr1jW1d2Yfe8LIJ3Q=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DXwgmlgH.js":"sha256-tFoFPabtx3fLVmYV0zRxSF6/wai0HYyQw9OFKIb/9iY=","/assets/es-B9y-d20P.js":"sha256-HxPpYEUYf8pgg8bofslVydak7TW5w1th2k6VPvmZcKk=","/assets/first-DQ4abWT-.js":"sha256-AifJ/FlhHKJuuXVuuvtKrOB60BMEMOnZen4XERennZE=","/assets/fr-DTkdynBs.js":"sha256-tthlmT8vuhhH4kkKyNT7dR0ehEuoUEavmwTBZNA/+jY=","/assets/ja-D_-YHV8V.js":"sha256-QKqRNnTbVZJ6KqMUrYfd8bGi53QLMdnDXKffkZHmfMk=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/proof-DKmFWiKe.js":"sha256-gEtuYgNbA97cnJlvN3TpXE86SVFE1Ho8x6I60FwO9gA=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-DOu3KIXD.js":"sha256-H0FA6WifmglxF4R4zdlTqo5rSL1hrThZ48Ixiy7/Mb4=","/assets/sound-MpqPRMlp.js":"sha256-ShlN1ugB81Cp0qY4EeFTnUx9fU1IwNNh6yvCUmOSrDY=","/assets/style-LQndujwT.css":"sha256-3TULkFZVJPglD2jQdremuwdaF+RQ+DF7M3BHtq1BMVM=","/assets/trace-hwYeRjr5.js":"sha256-3Ld+7/kqnUr/17SLficqjY43e7TgXU9sVIdijBbsmu0=","/assets/worker-D85i6-Xd.js":"sha256-cKhszxvu9V0B6ZGFhAI7v53yv5DJ6YL+prd15nfkrhw="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - A document below /docs and its pictures are kept when they are read, and answer without a network.
// - Answers of the API, the log and pictures of previews (/og) are never kept: an old balance or an old block would be
//   a lie.

const { version, files } = self.build;
const kept = `roshambo ${version}`;
/** The documents below /docs that were read, and their pictures. */
const texts = 'roshambo-docs';
/** Paths that are not documents of the page. */
const others = ['/api', '/log', '/og', '/embed'];

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
  } else if (pathname.startsWith('/docs/') && event.request.destination === 'image') {
    event.respondWith(openText(event.request));
  }
});

/** A click on a notification (stores/notify.svelte.ts), whose data is the path of the page to show. */
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
