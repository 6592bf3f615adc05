self.build = {"version":"LwCvcmIH+4Csxx+6","files":{"/offline.html":"sha256-rPgKGLHG937VC9A/a6P+DB+Md2NFizrwBLP/zNIVDg0=","/assets/Account-BK8hkP-r.js":"sha256-9HJV8qZTBE7OfajAoTcFVHurTMze6LC6paJ5eypZ72Y=","/assets/Achievements-CXtXbe7i.js":"sha256-5OHO7hVAyeTTPq7gdy7AecP0bbgUVEPnbewEKnyrs+w=","/assets/Address-BOqyBa2j.js":"sha256-HbIXAOG3uxiGEfkg59pcaxGnCsJMA+oEJivCJKKWXmE=","/assets/Alarm-CmPjBFVp.js":"sha256-QUPt1mUKC7yZfD1q0plNmPY1y4JstHoLrnkSiGWQZKo=","/assets/Alive-CqD4gOlK.js":"sha256-KX44j8v0pjYi5mOclc2lCsZf6qB1YDs+F2YN0JwtpEI=","/assets/Arena-CUqiZI6_.js":"sha256-yUtTAqm8/S3d/r71FBNdNZJ5jAwUfu6oxXaypz6GOg0=","/assets/Block-DuB6VuIF.js":"sha256-4a+uGHixf+rd31v0/hjXm4H90rGj181zyRTRxOndSEI=","/assets/Bot-eLACYxS4.js":"sha256-5qDlFaWrakFjX3Srg3qw+YsaL3+sFvkgQJ4+gzuny20=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-DcKbt7CA.js":"sha256-KLdsCxHoWmFwNCK6FIwm1TqOV3VL2TXFT7/ytPoLVXA=","/assets/Celebration-B5okotCR.js":"sha256-1/3Vhyz8PXsSBpBGNS1CRir7mLwaUodTMIve/QMxGog=","/assets/Chain-CdPykYxF.js":"sha256-WQ2fz0H029l3bXGA6lJSH9U6Eud9Du3/RPaBLQeblCI=","/assets/Company-Df2ihGWp.js":"sha256-/+KK4CfJVrqFmjjUd40cxGw1DqYTuo4trYiiNkMmvoM=","/assets/Cup-gz8--VXl.js":"sha256-t4aI1JhTyBW0bYf/Y8ZBtAPmXKO0xf+SgWxOp4DEn4Q=","/assets/CupLive-BJaNq_HL.js":"sha256-02nwTBArWDiKAxNWm/HCOPF7gyf7MXtknygktJNzXgk=","/assets/Cups-DIGC16PP.js":"sha256-6+dnZfDTtDC80tx6tiKeFQIuCaQcHE6QRnABu2uAedc=","/assets/Daily-uDJUE-x-.js":"sha256-u2ug7DPjvvp/HklXeO/QPJJ6YY4tBQb9VNpdE1mGdhA=","/assets/Developers-icLnsbpy.js":"sha256-xaUdE4pLNR7a6zgVv9EUSCAiK5iEe/aTTkFiYYOqFMo=","/assets/Duel-CQ3bh6uR.js":"sha256-DlbKZEFEN1xpSfaNJqkL1ZR9oNtHuwkk8PF5HqVnN5k=","/assets/Duels-9rB2bB0S.js":"sha256-zDww0ZbWnXr5qRVymMTcKMtb1TxEv8hQsXhtY1C7haA=","/assets/Feed-3_ahn0Qg.js":"sha256-cL1QK15zY+cVg1yMaJUdMLv3qTxwUsRb4RrPT2MJPbw=","/assets/Help-D5fXCm1W.js":"sha256-dhNvyfyP0pICg0Ua09XxgW6DoC1a4UmxNbLfDqwyjok=","/assets/Invitations-t_ZTiXc1.js":"sha256-3mUKjwtfJ8+wGv+baZ128ZRCbC8VRYdEyWgZdAgLtbU=","/assets/Leaderboard-gcNSBww1.js":"sha256-szgpNfuRgLRJ8dVT7b+/PmjKpGdePjE8+VdSER8MC4g=","/assets/Link-DnQdgadm.js":"sha256-O7Vs3oHyUNXEhptyVAaVy8reqczpo86ES7OpkL9mbCM=","/assets/Market-DdmXya3s.js":"sha256-NoaR65JHFL2ParhIilgMTajl9Rc5aBNI6XkzYZdmDJI=","/assets/NotFound-DkJa0jgU.js":"sha256-8apy27O6U66chkBn7NfndAiEAeMaHyop1in7IMQpL/8=","/assets/Player-a2ZUl0tI.js":"sha256-f1BZFvTFK3OtlhDDsseKhWVXfVm+GNmPWgyvENjcjG0=","/assets/Portfolio-DmqZz2Yl.js":"sha256-5RSusvhAqltSfVv+KndLIE17tpqT6o170vTb0psDq2w=","/assets/Privacy-CxkLkFNn.js":"sha256-y3X4IXOd6zuU+QD2RDZ0pYdzW7aQQd6DzV/bi7CmShQ=","/assets/Receipt-B7Ez4rCZ.js":"sha256-uBMSanlEWimqasTMZmXzhzE4xRWkQmXhDNwlZm1dvoA=","/assets/Record-CY0m-HeO.js":"sha256-juI+o9MGP6jtrYMP2FFt2VNDerlxdQvom6AD3yl+poA=","/assets/Reference-CxsCzJgu.js":"sha256-aGJ1lZmWF0EEvJwumOiV1nBfeiNlZz3LwX6+4eMvdoQ=","/assets/Rules-DW_whyo8.js":"sha256-9fHksf7Xu03OaqAdXUVIwea2SaETx8uwE21h/c2tw7A=","/assets/Season-SYABymed.js":"sha256-krTOwpRYG5pkbW3Hh+KVPdgSZKa0kwOEybIfIQ6aBfU=","/assets/Stats-N-Uewo0-.js":"sha256-ilYV0LGD2pqW4pCL6VqodTlLy7OJ7JisaDbuOIF7ors=","/assets/TV-umI0dx5y.js":"sha256-BUEdBVtrLdtVS2Dd4LxGEGl15/te5kUeOjNv+olQxkM=","/assets/Team-u0pfQP6t.js":"sha256-KkotuN8GosOPvYtq+CBRXl8ON42UrhSpDrnuQszl3SI=","/assets/Terms-l2YCROHn.js":"sha256-X900fzrQaOt2/kyZIbYutAAmE8S10TPYtldHaLyyAxA=","/assets/Token-C5Ossc6C.js":"sha256-jDi4jSQQZ7hKSklhtqwTOVia2lt47juFDDzuzH6HzZE=","/assets/Transaction-Cfh-nz2l.js":"sha256-Y/H4mh9rl4un0Q4iH2e55dC+Ji6dKUUSFuO1exbOl+A=","/assets/Verify-BZhUEUlG.js":"sha256-f7JdUZi1HUEY8etTV3M9+VLX6OCATicb40tlSRU8jXI=","/assets/WhoPlays-Ca-noQbe.js":"sha256-mfBpnpv3TgUQ1vyfUyQy3l0Eg7TL/uKCaLAETHmesyU=","/assets/arrival-B0yN053A.js":"sha256-/1DQfcfnm5fOp8d7danTVXFtmmTAE7oqoawbFj/UwGI=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-Z4PLWIBb.js":"sha256-/Ayb7tg/kRlSJRb0pRbpmKkxaA1OaYsVodQu/Qa5ivs=","/assets/client-DgLgYaH4.js":"sha256-GtIsgedo1eMUhtSHJ9WykAzUCybwn1rTb3LhWhX8+HA=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D1LnVFHc.js":"sha256-1cEaMWwrkma3rNHpC148DaaazdDqAQobienqq19EzzU=","/assets/es-DIMIkiur.js":"sha256-N9IsY8MjdyMxCwJ8Dw5/kmSY72htk6TlR+AxwN++afg=","/assets/first-QroupRPU.js":"sha256-agTYrQ9vzHTHlSD4LR3VQ8o47rAcqt1Eihy64rU6hz8=","/assets/fr-BOfNO-EQ.js":"sha256-sVECr+dpCVbTSMhB3PoEp+2X6hadrOIIve86JfjG/U8=","/assets/ja-BMMSZn07.js":"sha256-h3xUrxESHvJHowlJtp1kStijr0TjLZ8hupvS/eSGk3Q=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-DtG6VOd6.js":"sha256-hHe1Sl+2ngFvsOZD5JJxOp1F8NOFYgD4TwaElnAB+Rc=","/assets/sound-D_ZDtqP9.js":"sha256-mgy1Ygo4/BneoNQCH9Z1wJ3TmBkeg9s4lnzPdEb5YMw=","/assets/style-B1oBpWbB.css":"sha256-gVC0wqugeLTcZisQF6ZsO5uzN204SCW7enZtx/L8JpM=","/assets/trace-DFhhp--m.js":"sha256-dMKzpJErt3CTKbb4abw14i/+s9NZXeM6kK0pETrUcQ8=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
