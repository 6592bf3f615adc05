self.build = {"version":"DjHyt0xUsfCPr+W9","files":{"/offline.html":"sha256-zCKJIFAAE7rsre1PcggvzvblYmzESSthpqrTdS3EpHY=","/assets/Account-B8UxL3ui.js":"sha256-1+kHM/baTLkUURNe7Ws0WzWkwKGPNVRX45sZQL++9fQ=","/assets/Achievements-ClikFYtl.js":"sha256-MAZ+2rO3lE2xgAn2UlM+pYdJ0l8X17xGVDXYql2iqn8=","/assets/Address-B6zve7q2.js":"sha256-rWDzVpkYwDSPAhh+Nr/itJ9Ym1DHovd28wy3TNbMktk=","/assets/Alarm-CCU8AoKO.js":"sha256-hyrG/NzZsLUYEu6WeN2c3AdJM8UBFi995vYA7VKaUaA=","/assets/Alive-WofDhHsv.js":"sha256-62DlZ0nxzLWV8FVi8n1TtSchswCWgSIIwyK8njEfnkM=","/assets/Arena-gvyHhLxS.js":"sha256-O+YmrVGPVGXZQb85eTdAgmHlHeHWDAneTiqdkbS49IQ=","/assets/Block-VUsKnGxn.js":"sha256-GL/WA0nu7riP8Qw8kuvQiLp4ztT77I08dP9ka45BniA=","/assets/Bot-DSZhDnDx.js":"sha256-dV3f36a+9W+L4mjXTm131ophAyPa/doWbc5IfDRy1XY=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-M-R70dpt.js":"sha256-Ll72rWf2oQt8Fpvx60AHlZDCK4nhSQMAhnGM2SeA51M=","/assets/Celebration-Css_8t6j.js":"sha256-gPCuh26lQJIJ3yxe6JwrZW6QSy6UMP/BDPPFMREzBvg=","/assets/Chain-CuCs7wBI.js":"sha256-YCXEwMK3YgrsvTEDtJjOqi8Myj0hbBN1+xxgxmRXhqo=","/assets/Company-DQNKQhSr.js":"sha256-vyLrGDlju61N5EQCw1TS2UDNsOik4yAaeVn+hO+8adw=","/assets/Cup-Dqnt59vH.js":"sha256-NALhUmYaSorKBjfrFyxIdl/zCO/yFnembZafL6oN9wU=","/assets/CupLive-Bsen9nia.js":"sha256-2oPy18jvOGy39JmdNNnbTh/tnWOuIdcsmIZ/yc+fJkc=","/assets/Cups-D4MrqsZo.js":"sha256-RcRrw1y/o6yZHRetDjhuAX8bWvakRXgSu+cqo+bzwQk=","/assets/Daily-Bh4jK2UY.js":"sha256-b1sUyf6fnEMQMMqi61numBz1H02GroXp96D8jhf3/uY=","/assets/Developers-BNUFyuf6.js":"sha256-KadbvTpZJNCYCyeE/IOS7w10rTbxx9xuGhmf5eRPYMM=","/assets/Duel-ww3bA33t.js":"sha256-t7n2ZJTKeKPtz9Dkm1VHss45ydK3Eh5wfwc1AY+jv/k=","/assets/Duels-uXQwcCG0.js":"sha256-564IFs3DaVqbT0lH2jPf4Hykvk/bo9SgBajSGNzc++A=","/assets/Feed-WmcjVr6q.js":"sha256-k/85okKfld208RzV06tVE3H7TTndVEdWF/tCv7vRtmE=","/assets/Help-BXBPklhd.js":"sha256-KhO1268nQlqHkMF9WQgRe/P10Ohdfo32Urx8sla2ZXs=","/assets/Leaderboard-BSedzLfz.js":"sha256-s9SgfWlj6A42Fw9gL/lSeCHERVcDKwTcRyIqxBm+Rx4=","/assets/Link-SEItswRx.js":"sha256-Klqc7wZvLZsmGXqCyNcwZdpmzSBzs0S13EUZyo+OlLI=","/assets/Market-B63TGBt2.js":"sha256-SBxMnzMjdQo9wcJN1Noo3tnpq0n5Avtg0GHCqIFxgOo=","/assets/NotFound-Bl21vBTv.js":"sha256-2BPLZWN41ycp7qAOMNoJoIYlNES4ogl0UBSjFavZQWY=","/assets/Player-nkxKdMSs.js":"sha256-KKpLVLnMATfiOQ+nHFcJQFx4I09S9907m4QRXndJftI=","/assets/Portfolio-6DxWqjFw.js":"sha256-E4GEZOL/z1MaSPdfckGNM99/+cCsACFSsxO4tuKlxj0=","/assets/Privacy-BG5kWubJ.js":"sha256-T4eZX5724uYreEOg33QPDDvbfvUypOzpWbktfzsD1jU=","/assets/Receipt-B6J89pMZ.js":"sha256-43waq3PZWln9YWJna5cqt4Ood7uM6ic3Jm/aW6y3/YE=","/assets/Record-DEC2b-7j.js":"sha256-oK9YLlPQ2M+V1Fedx6n/8eGl1RCO60Ht59TrbtxpmDs=","/assets/Reference-DC2AmH80.js":"sha256-wtFV/vapt/0EJnob6D/pUl7sFrq5zq7bdqQXZLQGE1Y=","/assets/Rules-DOFx0djx.js":"sha256-YrvbUHi9mGb4kiLopVGwYI8y/T8VCkmpeur+XjMArJY=","/assets/Season-Baau6h2J.js":"sha256-ncA2xYhx2/8kkwRFnaGwKhW79nFKzvj7uUPIzGUOI1o=","/assets/Stats-CUs0kQtb.js":"sha256-37GHNLHLgbmVP+0QFDuuvBM1mNmISUfwmMMsbnR+sA8=","/assets/TV-Be2U-WVD.js":"sha256-xoMSnCT3QQYdH/WnkSvMpdExUYSRiUqQq66YMXMCeFc=","/assets/Team-CE7NRxki.js":"sha256-+awsCl8OvBlurs5MGEnh71zX/HsIbKZJWm6ah/XbLyE=","/assets/Terms-BrZDHUJN.js":"sha256-C/7J1Xtt8vSD91XyLohDbOqhJwQo3TbUWxJmesQ2KnM=","/assets/Token-DUgrWa0k.js":"sha256-g/xQ5BCBcEQsKPCWqO4lXjMC0dn0KIo6ujjWJcAIgH0=","/assets/Transaction-B2Nl4STp.js":"sha256-ARm5qElZkGEWZzzpfZdAjREfHy+CsdxGg4uCf/jaVbU=","/assets/Verify-BIPz_C3n.js":"sha256-m/kwKQEyV8qciR1Tv/tJxPsw427KuR6LhBpvVbjNCh8=","/assets/WhoPlays-n-SYN-sH.js":"sha256-ShjPFK5IeCnhTSP4uKu/91yLtLT8O0XYxvl3n5IEj3A=","/assets/arrival-Dsfada1Z.js":"sha256-22UjC/akpMQ7JU1WrTAhBn6oU4RMtlUZPGEMsWJtexU=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-Z4PLWIBb.js":"sha256-/Ayb7tg/kRlSJRb0pRbpmKkxaA1OaYsVodQu/Qa5ivs=","/assets/client-DapxE5-l.js":"sha256-BUNlpVXZk/GUsR+ZeMkGujK0+wzWaBSTmpvYcc+OrlQ=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D2F62h0_.js":"sha256-hP2pZDxKl9NdSR05RDwAMe0MuZ8XW5zg6RIRjE4xUqU=","/assets/es-CtturOIJ.js":"sha256-RAIZxEDuZgFKRGVcv2rWet1QnW7IyQUtd9Hr4Zp9Olo=","/assets/first-B-Ocv_nG.js":"sha256-VeYtenA4HIFQwUGhN3HKhAA4FcNEk8uzS4I85iw5Ukw=","/assets/fr-B5CnLqZU.js":"sha256-Xh4WkCHIoFIa8yDdaPNH73gS5ovcWba8KNrS19U45+k=","/assets/ja-Bx8otYQt.js":"sha256-H1EOde7QNq0BRll5tUqE1zT+Jk25S/zQLXAnQIUxYGE=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-SfIuwT8s.js":"sha256-gCZrZrw/jSnZh1dTD964Yx06/HWzgu2xoXVkHy0bmdE=","/assets/sound-C6yMxMhy.js":"sha256-Nr2ef84dTRs4f5W+XO6FEMFI29M+g0lNgk0vDq1ISyU=","/assets/style-B_dROeWH.css":"sha256-HQsBqPsW8NCb2eMrCHG83alY5FNhDDS5EXG6UQo5HzY=","/assets/trace-KpjFQvAz.js":"sha256-8OJ9WjbERD/Xi2zB4ki86CUARhuIFGzRZpBz7fs/Vxg=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
