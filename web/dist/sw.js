self.build = {"version":"LbFkC5DMhiKm3hyj","files":{"/offline.html":"sha256-/c79yXBLoVfCb+HIiP+D0Cl2Y5giN5XmASd0gL6UFgU=","/assets/Account-Gwn5kTXA.js":"sha256-ka7Z+vkrsyl6KYN4dqTYmYU0wbbLKlgdhBw9fwkRFY0=","/assets/Achievements-CPRnQqt8.js":"sha256-3hU1H0t3hcpCAyH5Qr5jY93A5MHgIzSoDIHO34GuzK0=","/assets/Address-Cbl0BCxL.js":"sha256-0X1w5SI4OvrVJeqtXBCNoiM+YOaFwZYVsaLITMWqOzM=","/assets/Alarm-klK9Xf62.js":"sha256-uArGtVJ7Erj2wzycGDoAOL4Euyr2OJquWYWyGM84uB4=","/assets/Alive-BQIFHVDz.js":"sha256-AB2j9a9hYFlNJkrSUee0O1eRcrEu7/UcftbNTw1t9nY=","/assets/Arena-qsp1ZI_F.js":"sha256-7SgQuIGZgfWy858gnwGC0Fd1/6CnS03uJhJhxilESFo=","/assets/Block-BbfmCv5A.js":"sha256-PT20RxojOPHnbrMHI2+kGUg2xaTpCcA6vFXevvpOkwc=","/assets/Bot-BSUg5IER.js":"sha256-8Jua1RgJyc0NNpwkRRWqQnmD1TCP0lAfja2u63rqKLU=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-2B7A7t0D.js":"sha256-UoUTrFd78cWLCEYlAVT/ZgrMqGaztFBjwO+Jat5062Y=","/assets/Celebration-BubgKbhb.js":"sha256-c/XO1K6fj9Lq8Nzw6qTQqWMifwQVPGyk5Yz2A+qKcmQ=","/assets/Chain-CLUeJ9ey.js":"sha256-BTlXk1paSUhMP83GM+YOBueW+55AQErKJ/i34B/kTo4=","/assets/Company-DY_gePSh.js":"sha256-K2UYexxxXVkPyw20sesTpFVVBXLherMNlBZbqfoJK6c=","/assets/Cup-BoY_b9Vf.js":"sha256-s8XuTdeQz8UnkB9eaVvcUQ2YM73N8K/osroDqmKvXsM=","/assets/CupLive-Cmsi-9_D.js":"sha256-S+vnLwbZDrc3MTONoSnBID7tA73X4R+Q6kWZThwVfl4=","/assets/Cups-DS8Ft6gj.js":"sha256-u+bKatMRS/eoMdt3CdBnPwUgrFVA32rfhhT5JXjvkuo=","/assets/Daily-Dip2FvhZ.js":"sha256-1x89Nn3dCs1AiBQNVne4c3ZbGyZgxhByfEU4Cu4I4Wc=","/assets/Developers-DgQiL0dU.js":"sha256-1I5C6lwQZGQk0KfjoQFYvqWI0BUO3QppIJix5wvT9/g=","/assets/Duel-CDfpQ1g4.js":"sha256-qYCiEs1oZG6cosOXyJHiiu9xpnsVH5fLg59CuzDKikA=","/assets/Duels-Com0KVbA.js":"sha256-cKrLzF04dPoGJQszAuTdFEA9c8+BChCOW5pJPTEuBog=","/assets/Feed-BSX-DpM9.js":"sha256-ortgSkUkFESSVUk/vRu5s03E9YSfvKjC7nhfeOKzAag=","/assets/Help-85B5kbDH.js":"sha256-uLxLhMjGZJat7h4VBK1m2bbCm9W/V5FXy4FKyqKSLgM=","/assets/Invitations-Bri6ukgn.js":"sha256-fTJ4RG0hdcZJFU5eqlS1khxIAafeWY6d2MGfDLbE1mY=","/assets/Leaderboard-BKJ92Bdz.js":"sha256-Podf8Fe9CExYw7eYFaDxkAecRcfmmFwYkkZvsS4fMEI=","/assets/Link-BMkrOwg1.js":"sha256-WoMBoENuPM793boxyyLG+q2atZZILD9tOlQ+Og30TwU=","/assets/Market-WdsqMZou.js":"sha256-baOlJp8jeI4tE/k57gBO+r16X8FSkLk4MqrtWtK/zLc=","/assets/NotFound-DCMEaKb6.js":"sha256-5vLFUVhI5xfN6b7URowqjttDs8dbnc7cg3Z/2MkrzTg=","/assets/Player-C5vWxu2s.js":"sha256-39gS0WKeNnGdbQDltTHO21JnNNLtB/Z5QLyPer4sVnk=","/assets/Portfolio-BNOu6Zch.js":"sha256-Xt9kUtjG0KcA7g6RttqcCdb2kzz4z83A0386sl6PP3s=","/assets/Privacy-vKu4GA30.js":"sha256-jEuyQxrvbL8BGzLcJ90D6rSKCHgawTZjuBgjJx0uTu8=","/assets/Receipt-BxyEs9tR.js":"sha256-wyzCgqwbGh7JjQHQ3xVO6lIuB/8SPtf8ZRAlA/pX+g8=","/assets/Record-tRZvEBsX.js":"sha256-z8vkI+PPhif+8vqxSPp3NfnnYQCp/Wzx39nsh8J8ld4=","/assets/Reference-F0qJMnHV.js":"sha256-PoFWuBLk6p9ecaHvBYAk1w+AjqP0lbEdK/fSEA7qNo0=","/assets/Rules-aAKplx5T.js":"sha256-UNhHuA/KRq2/udUjky2FlSKT5pvSnwr7NnV8W3P4q20=","/assets/Season-D1y2KwDY.js":"sha256-MKVFUxFAfZIAztP50O/SPcuuDxvcmYZ9DgQwMNTha8o=","/assets/Stats-Cb8n4Ekn.js":"sha256-G9+gXvpLCL4WCNkJrYvq8QRuA9cMkAwuAGP3bZUHarU=","/assets/TV-AA8sM1qN.js":"sha256-uOg8xa3pZLM6khWwVToWXIS+SeHFE/n9AB5RaN8fi2A=","/assets/Team-DKSqgIpy.js":"sha256-nU4M2WHdTcT2paNHkuAy7Q724HVHu+rPv/G+zkgi35I=","/assets/Terms-DJTmpFLQ.js":"sha256-cNept6FdekTl8SKi67YpUgi1hWaQauV0o9EQMwIxVO4=","/assets/Token-B2cQSg3u.js":"sha256-Z22/e8Kws0Dxa5mDvS1sOx8ALE1PjlEmpNMrypM9JY4=","/assets/Transaction-DeS62tKO.js":"sha256-gEqd9SDZ9fjhEMZZ5qrrlbf6VYABQji9Co4xMd1Ffw8=","/assets/Verify-Bj-0Exag.js":"sha256-07bajbJ/Jm2TcGz9n3cNDmDOdibIMrwcARVQzFVHjsU=","/assets/WhoPlays-BTkDdbd1.js":"sha256-kCBbIJobGTigo7MyOTU9h8iiJAGa9tvd+0OrivZ42mU=","/assets/alive-BPgCW0J1.js":"sha256-ITinOtjNbc/QBFDUYkCN1gn4SVPSn+7p+nREzOv4rpQ=","/assets/arrival-CwFuvSrX.js":"sha256-+Waec0nim2Ql+zWnojlaUgiw5A8se/qXcXFmXMF/Hik=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-Z4PLWIBb.js":"sha256-/Ayb7tg/kRlSJRb0pRbpmKkxaA1OaYsVodQu/Qa5ivs=","/assets/client-Cl6sOBIu.js":"sha256-RvaFb7xDaSmywDRrapGKzdmytY76f1rUS+l8JPFQ8YI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D1LnVFHc.js":"sha256-1cEaMWwrkma3rNHpC148DaaazdDqAQobienqq19EzzU=","/assets/es-DIMIkiur.js":"sha256-N9IsY8MjdyMxCwJ8Dw5/kmSY72htk6TlR+AxwN++afg=","/assets/first-Ch5l_sMr.js":"sha256-zBGnbu+k2YQEMLKIYliysxb6bxxx1maXBVZYKEYD0aU=","/assets/fr-BOfNO-EQ.js":"sha256-sVECr+dpCVbTSMhB3PoEp+2X6hadrOIIve86JfjG/U8=","/assets/ja-BMMSZn07.js":"sha256-h3xUrxESHvJHowlJtp1kStijr0TjLZ8hupvS/eSGk3Q=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-n1ZrjmYO.js":"sha256-Vwo2pAf8fOElNVSRFW/DvXjCA2n3RSM6rN96hgt/P7Q=","/assets/sound-DOaMYmZ1.js":"sha256-kjSxxnF5ZTmazfmHY84DiIAd3PjuWRqhQoaE/IUxAKg=","/assets/style-D5-BGgmc.css":"sha256-8v/pwTlOAHy7SZ7AtonmWOJh0spzT0xEa45sA1rqzjg=","/assets/trace-CLPJ_p_v.js":"sha256-bQLCK3HrORss6ZLQas7coDKwCiR/yU4ql99ee+Yk6Zg=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
