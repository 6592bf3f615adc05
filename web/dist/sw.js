self.build = {"version":"PwHRQo6o8rc/0Vt/","files":{"/offline.html":"sha256-nOeVdLu/5zj9VTQ9oJ8g7KWjTzl35L0uC5y7ZClq2zA=","/assets/Account-OAJwuuJ-.js":"sha256-+YQnC/E84UpSDP4U2CidMT6+Heut4Ux3yX/bHtFhzv8=","/assets/Achievements-BjJPzi4t.js":"sha256-fIG1ka/NFIDsgUPs/j0BY4xzGMlrdbLYW/EZeiB5J6c=","/assets/Address-DS9EdvdV.js":"sha256-hxMMo3+KPClhaTPQJ/OeLcRA4WqD5MM7zmg60wBvzWs=","/assets/Alarm-CyzwCbmH.js":"sha256-XHeOmHki8JuFzJkcx7xv9HhNPLTHPItvNEAFXTDlk/o=","/assets/Alive-D7_5zKl5.js":"sha256-oWoMiibEyjEHdJIu6OWIzjk9ZeqFIRMK0DywDIr9/tU=","/assets/Arena-DkxwBGjY.js":"sha256-yr9IA1EsayJpgqDCloLI549l28yfK9JdOibpmU6ehqQ=","/assets/Block-D9aIKLz2.js":"sha256-s9G/KmLS8KGU/RhhrhQyh2K51sf+ugI/q9lAuZ/nE7E=","/assets/Bot-C5GoJwhv.js":"sha256-pX6CCtpP5syl9D5R7wFWe3y7fg6zaoGT7Evu6E5AQUA=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-qyDNA1J4.js":"sha256-6QE6hrO59GWbZ9UCgslNTD4qi6c1OWug9eJITEPM0rQ=","/assets/Celebration-D619Sb4N.js":"sha256-hVyymf9Ihsq1TAFbAIGiHnHktM1L98ZVyqLPhKT+y+w=","/assets/Chain-endjTL-H.js":"sha256-JuuKDNO/ofRgv2pGp4ubEKcq93DTd0cYhxsOMIQfmhk=","/assets/Company-BF7i-xxv.js":"sha256-UPjce7C3sTE1NNvF3np5N9rHmcjiWnkuBoolTxCVNTc=","/assets/Cup-BUhcP5sq.js":"sha256-AjehqHLTvqHjH+keVBr6bA6KlZjD2YKMYc2uJVrKaLM=","/assets/CupLive-BoPnsA-y.js":"sha256-EL2lboLPJPfEpnpt+y3q62hgFQs2YnftmI7tiKJobEE=","/assets/Cups-DQb0EaTv.js":"sha256-5Y5N0a3U71c9eRmcsI/3ffCrFNSSLswT+Wm2ps8Hn9I=","/assets/Daily-B9CtkdwU.js":"sha256-mNTuQSSTChUPTZeHNKMrJQ+Ug1q0rN9hJT1YQsATFRE=","/assets/Developers-T60xlUV6.js":"sha256-eCYMgOKJ2jmLiz+3TTWtKEZ3AxDFVrrpZKJctsg8c1E=","/assets/Duel-BlNdJDCG.js":"sha256-kq1hTWMqOrepDyObGL7cs/jPesl8wPgzA4KM1eQPZDI=","/assets/Duels-B1suUhXn.js":"sha256-TC7Lq7Rkpxxrm4wvZpiAVZSZPo1GJoN7Ifh69Gvb4OQ=","/assets/Feed-DofWvzS6.js":"sha256-wm91fcuMF/nlfsyrB0QfvK/M+VhgkXLHC5j/9DK38NA=","/assets/Help-DnjLFLSo.js":"sha256-T0KVk4uKLVJQxL/M90CA9sSaCWcEUXBXQEa9u2RelMc=","/assets/Leaderboard-BEPVnbS6.js":"sha256-tlwSgBHKjyprOa4MvZbKHc+3PZcbCPg1m6sE0XbAyr0=","/assets/Link-CSMeQZU4.js":"sha256-RGiJM0l+W/rtwgOkBqmXysgcn3v/HiO9434afRUocjw=","/assets/Market-ClLpjmmi.js":"sha256-Uii62DmG2GHlhivW7uwy8pq6RM0iavqIIcqYjK5q49I=","/assets/NotFound-CfyaksY-.js":"sha256-js9BIllbqbo/8ZGm09UsCJmr2clMIQVhU568D864JJg=","/assets/Player-Bj_gYN5S.js":"sha256-b/RdXSsP+OfFT4lZu8yPW57GpJQVWUDxjCAKFe3Siec=","/assets/Portfolio-BIFgmsji.js":"sha256-q9H7cchcbuYfssetMxQw5BcbkJyvhRYY1sy3/ObjPLk=","/assets/Privacy-DFx0KEev.js":"sha256-vhE2dPHxlg8bZWepg93taODSVdQYphD1GwTz7wRiYi4=","/assets/Receipt-Bhah6pwP.js":"sha256-AMm6gQLk026nrp1XyjLPYnY7mZU4h5U0qGILCEo+0Vc=","/assets/Record-DlVS6YI9.js":"sha256-yUZOALGd1s7teRm5ehDiy3ZECs3CcDjjsTx/+rGykjc=","/assets/Reference-hAQbraov.js":"sha256-7qB4JF670wPhxqX9mTdFtf/UqxA1FbxDlvfNxt+aOg8=","/assets/Rules-DEspkW01.js":"sha256-6+RZPsYOdVuF5LD0Hs93y1M/h50Dbl2ih5NhKN0PrcA=","/assets/Season-7ad6aFQz.js":"sha256-KSeG+CRJsxH8gvQJL/NI6qBSiCqTSAotTJw616C55rc=","/assets/Stats-BkTnuDW1.js":"sha256-yAKjuEpvNbO+mlGfpxZ4f7Z3ejjFiA4Cz0mLJXgU6zo=","/assets/TV-CKtfPbLL.js":"sha256-sAvPq9Z1j5E8mq55kQjKLN+ODfxuPEd/5ftWh9N4mI4=","/assets/Team-SJJq7ONv.js":"sha256-w/kEP9puEIscffWLjnCB3sqWzLKuS4Z3SIjcIb94QsI=","/assets/Terms-DklkvmuW.js":"sha256-Y2gidIZXgdH2rP7YRHgrP2OZ4w0JplpbGFiFHhwtEto=","/assets/Token-ChaLvdp2.js":"sha256-7AeFzIAko0NdipaCPlVh2uasffikBKSaI2mAjq4ttkI=","/assets/Transaction-C9Auh6IU.js":"sha256-F+8R7jWh6U8pnXG6bsMFh5u8D90xESjxzMLz2pPfJf0=","/assets/Verify-jjKuchaH.js":"sha256-z0mufPsQTFqF1lrkGyPyBiK57DkYNL4RQTbc48fmrOw=","/assets/WhoPlays-Bne4U1AX.js":"sha256-WEYujsh8lxKa2tjv78UvxRs3HrBX/bdRkS9bK/I25uc=","/assets/arrival-Br9zy_GH.js":"sha256-7f/jcLt6V/ffroGa6zxcmDRkfOFxb60iRu+3jdfVucQ=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-CWPGa2CL.js":"sha256-6au/Ik3cg7i2LrL52VGfHyWo4AwN5uudu7XLwVgNIbM=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-Z4PLWIBb.js":"sha256-/Ayb7tg/kRlSJRb0pRbpmKkxaA1OaYsVodQu/Qa5ivs=","/assets/client-DthD5r1o.js":"sha256-uHClxlxFyl3gnZaHGE5YzfeXS5wdsBa90bMOd1QAG5c=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D2F62h0_.js":"sha256-hP2pZDxKl9NdSR05RDwAMe0MuZ8XW5zg6RIRjE4xUqU=","/assets/es-CtturOIJ.js":"sha256-RAIZxEDuZgFKRGVcv2rWet1QnW7IyQUtd9Hr4Zp9Olo=","/assets/first-BzdP9a02.js":"sha256-Nc6Wsg5UwAFb4FV/wmIHzoj/CwprhMAGz0QKkrMrZ3k=","/assets/fr-B5CnLqZU.js":"sha256-Xh4WkCHIoFIa8yDdaPNH73gS5ovcWba8KNrS19U45+k=","/assets/ja-Bx8otYQt.js":"sha256-H1EOde7QNq0BRll5tUqE1zT+Jk25S/zQLXAnQIUxYGE=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-B-hCNroW.js":"sha256-ZCul9gYmTLcw7Anun4lo9BJ863El+7ci5nt8j0HFj6o=","/assets/sound-C_M5YX-d.js":"sha256-aGpCoS9i/fS9RXX7DGx5BSnK9p4MOMic2VTgPxjbqIc=","/assets/style-B_dROeWH.css":"sha256-HQsBqPsW8NCb2eMrCHG83alY5FNhDDS5EXG6UQo5HzY=","/assets/trace-DCAyEZBB.js":"sha256-WrqnLAx6HDH3BYAd3nA71UqFot+EkInJvCkZjVYZprI=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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

/** A file with a digest in its name never changes. The browser may have evicted it. */
async function asset(request) {
  return (await caches.match(request.url, { cacheName: kept })) ?? fetch(request);
}
