self.build = {"version":"YBAcJNfRwxbwpRxI","files":{"/offline.html":"sha256-x/kLIiWoIBAKh+0Bd0d9rjAq0cAXI/b7gcSXAIIt6Jg=","/assets/Account-DJPjen30.js":"sha256-gTuNUAM0Bvu/ih5qe/gMeQdD+lESYZ1kLXFAZyEXhlo=","/assets/Achievements-B_GVLBfG.js":"sha256-3pvpk4HHSi7Vryu1/OB3avhpd8z1Sk1+3K5mimNp7zM=","/assets/Address-j0nMHITM.js":"sha256-V1bmkHmZG9UMbXEgdxAMOnz5+trOS8Jq1zR+I8zXkZY=","/assets/Alarm-COJwcILl.js":"sha256-293+zfETzoOdkXi40vbF1/oKYenbIUSIYh//rHei0Hg=","/assets/Alive-BEo3qqni.js":"sha256-M0crd9Qr7oi9GNmKbrf+9+UDlkh9xegaZScaEK08ZyA=","/assets/Arena--XZ-jnbX.js":"sha256-5YzBfgb7CJ+OMhd8NUR4mT1ga2at0/c1n/3W3atTeRs=","/assets/Block-nxtPtsF0.js":"sha256-EtjmC/3iULWYYDYdNTX8769IVe6Pu2Zw9coCAqKpGEg=","/assets/Bot-BUt7H5hn.js":"sha256-yAmoUzt3Nhzf1Ju/SD9XqMk4GyiCTfOirmJSuK4WvXI=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-xRVjwibR.js":"sha256-RqTSJ9W+O7b5vAuUkczHhpnaZCPJGpoaKgIXB/X8r9k=","/assets/Celebration-0B-q6GEG.js":"sha256-YL5/D+bL3bFGqQKcZGMogBgb1PQNoYPCJoo1QnMJ7gI=","/assets/Chain-C2AQtpvq.js":"sha256-FbqcSx3H3CFR1wsLgcp/ZobxVdrhirPT4f6fEAUtZlU=","/assets/Company-C0rm_Dmi.js":"sha256-NBdPvu/KniHhEVpZGBoGUAK/H/bx4W5eP70v3xfSHkk=","/assets/Cup-r5-f79eF.js":"sha256-LFGqCEJ7WaULz6nJueWBAmu2FaU0M9DLGMGFmravlBc=","/assets/CupLive-BgkBoRLz.js":"sha256-qUHI4HEFaFr6PRRha/wiOS/ZP336gYOt/vcxw4DZV3M=","/assets/Cups-HJZuAhrE.js":"sha256-brEYQSJ8lXSceLu4qCNXlKJXlMrdOdQRQZEewxVF+qY=","/assets/Daily-BICVcM96.js":"sha256-rJwL1Yz2gGT1ivKHMwt1fGKRTQa/id46TEE4uIe98HQ=","/assets/Developers-CyoAZ9vK.js":"sha256-KnjpXEmNxAA7znsHskpztCjhLM6DQp4Fog5iJLiO1Sw=","/assets/Duel-CkH2pRYn.js":"sha256-91xB8BvQzcr7ET1jR7lUVGiEE1YU1wcKGLjTMEIMaEw=","/assets/Duels-BhJM6520.js":"sha256-L0gceWMsEQqmuyyW2kH3XchHrMMkmiGX95t0p9mbbr0=","/assets/Feed-DDG3FaTg.js":"sha256-XVVCfyyQSo/5baXk1SE32yoE0r9HtCRd4SvF2fSbvyU=","/assets/Help-CtI2eK1Y.js":"sha256-gFJpcp9s9zlYLSTsMMTrlS+9Bu7lfHI/VczzYSwZ9HY=","/assets/Invitations-k9vl-Gh3.js":"sha256-kWOJgz4bDhqA5mh5gvo+DP7n90ZLGNvbYI46C6u2j+Y=","/assets/Leaderboard-D4IaiOm6.js":"sha256-ceAnX66jQ5iiSwGO9vOOgcfrAJGBfZp0IS7xJY7Hkas=","/assets/Link-mZMKjabh.js":"sha256-UOknyxmmy186qowrQ1GKbwqzvJryiM7ZwokJYpSgoYo=","/assets/Market-CW3n9155.js":"sha256-C8r+DzYxexlfT9DjJu/mPHluBmSspR3a10WJWm+UwO8=","/assets/NotFound-If-63DDa.js":"sha256-mQafbI0DGhb5BNe2n8cNB7ehs/tTzWHNPGbBuMkZFTk=","/assets/Player-C7X3D37h.js":"sha256-Osecwi8dpzdQ9lG2T9D8g0ciXK+MtcIojFlRxNCSIu8=","/assets/Portfolio-DrA2emuQ.js":"sha256-BgvtNh/ad4cIypEWOiYgDhiKTK0oPXBYVzfz7visSUA=","/assets/Privacy-CU8o-wsh.js":"sha256-XC6GiO8YiiSIRUm2klhUVQkiCe49mhSTlFW4+fbFcH0=","/assets/Receipt-CDdFzoT8.js":"sha256-0erpo5Yy5jYbDlAmbCWAPk/mEPlgC6R8gIqWBSbNW0g=","/assets/Record-BbhEemln.js":"sha256-tCoF/px7WUaet2Ex/uFzeyOPr7d1pdG/q3EoFvNYZsM=","/assets/Reference-QPLusVZw.js":"sha256-NOKv6eOsX4uW7J7Lkagc19lbQaY/moh7aZg7jmUAG9Y=","/assets/Rules-BwAHVVut.js":"sha256-aYB70HhyJJUjtEjGSemL4OlPnt3LlCduOlSJYX32KZA=","/assets/Season-N_qDr3w-.js":"sha256-OBFbbG41eS6cAgqDfA5cIzuBzTQxCxVNCFNcKmJ/j1s=","/assets/Stats-CBV1Xmwe.js":"sha256-rU0ZwuKN604LeM+zT5kmiaSjcRQdz99KlykEnBeJL5Q=","/assets/TV-BCKTe7SH.js":"sha256-mmqgj/ir3VTW2vy2JXHRXj3tBc+68bx/4wUcFvglxpw=","/assets/Team-AL9FPMkS.js":"sha256-0Hd0AkFB/CscJWiDdOpWu9ODbF6/ZxyS+L0y7t+BL8w=","/assets/Terms-D40V9LDD.js":"sha256-QEeq7YG1lFDLbs0eWU2//sbJjG9hwtJ4ZPYOUqqIJHM=","/assets/Token-MCFci6Cp.js":"sha256-/WrP1E7PgQQKvTTEXIccshcVFYMEAQ4aEPi6Z/aQpdc=","/assets/Transaction-YqFcPmep.js":"sha256-enGTh9xYK+npHcpKllaec86BER1jZMWUhQIk484tJkc=","/assets/Verify-vbbf0eQg.js":"sha256-Y807lWwbfTeepLJfARN5d662tAEZ1+SJdA8yyDQSXbQ=","/assets/WhoPlays-CKp4RXvs.js":"sha256-yPIHEpVDIo05xt/EQ/HIxx6eisfViErRr9p0PATsAlc=","/assets/alive-BzDtiiUF.js":"sha256-rpfDQzxw/xbABw/QqWGQE8ZebGlaTA9UmQ4kQH5ZoHo=","/assets/arrival-Bg9aBrQ6.js":"sha256-gCmwwQbuef/kRT+mDUWsUieVC9FIAf9rDp4j3Vv0qaM=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/client-DWqIhccL.js":"sha256-keSLltHgr9DA3AtSm6QmBybVy3+Wt0wCSNQ4M45IMSw=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D1LnVFHc.js":"sha256-1cEaMWwrkma3rNHpC148DaaazdDqAQobienqq19EzzU=","/assets/es-DIMIkiur.js":"sha256-N9IsY8MjdyMxCwJ8Dw5/kmSY72htk6TlR+AxwN++afg=","/assets/first-BEERVsxc.js":"sha256-UpHQvN6GBsWQIBTCvAGqe1hJjmSfO1ee0Z5V3+VTmD8=","/assets/fr-BOfNO-EQ.js":"sha256-sVECr+dpCVbTSMhB3PoEp+2X6hadrOIIve86JfjG/U8=","/assets/ja-BMMSZn07.js":"sha256-h3xUrxESHvJHowlJtp1kStijr0TjLZ8hupvS/eSGk3Q=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-BHtSR_jT.js":"sha256-TVsM4IyzWkqtRasCJ3l7QqC+HnY1E1AcqtDHoibR5Ec=","/assets/sound-BIHL4dZF.js":"sha256-+0DcOZr5P8BcyXVYa4L5LP2MiiVKf0v4p/1pabIc1tE=","/assets/style-D5-BGgmc.css":"sha256-8v/pwTlOAHy7SZ7AtonmWOJh0spzT0xEa45sA1rqzjg=","/assets/trace-ByACiguK.js":"sha256-1tRKIaR/TCdmXz+Rziv+q3jiVZpat4s31Rffc1XTazg=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
