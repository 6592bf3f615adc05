self.build = {"version":"NV3Djbp1QYTaS5ym","files":{"/offline.html":"sha256-zyRPAHxSoNqKXprKL2StAnyjubtTflQqFz0AqPAjqWI=","/assets/Account-BGMa9P5h.js":"sha256-gSEH0Zc60eN46114VkRnzrTlSAoyhF/fSzMEdUM1GiI=","/assets/Achievements-Chp8s_LI.js":"sha256-jUgRMMTvM9mBNRnhV24xo/YaamLAgZyOZVuQh5hGu6c=","/assets/Address-CBI_q_Yj.js":"sha256-h41wq4lQe/pj2qgSPfKZ3tOIYNMhOh+sCrHn1IT2SUQ=","/assets/Alarm-n43NbgQW.js":"sha256-sD9yKbH8Mps6smvl3Tr2MJUQtGH6wryW9t7JwMTuT2M=","/assets/Alive-_anpn--S.js":"sha256-fryi9cPTkNZ8jzroI8WDkIVXRAtCEB4kL81CxqitjzU=","/assets/Arena-D5Uu-f2D.js":"sha256-qYuDDDvL1Gk1X0iln9EJXErVdR/ti3CjtUs5r5rj7O4=","/assets/Block-D82bgHqV.js":"sha256-UsrzY8k8agR9wivMmT+kvGZ0q+NeTLiuA7Nkwo4Ip+o=","/assets/Bot-Xwl-r5Io.js":"sha256-JYjrdkulRYCvfpbqKwiagM0ziAc4/JzdTRhHM9tsDe0=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-BQNoP5c7.js":"sha256-JOLs6hVMhfR/n91Vw6JcuwVPNfOfpQObA44Qusv9ssk=","/assets/Celebration-CTjBe1Xx.js":"sha256-QViapRcPjzvvP7zV5qhZIwY26RquM3ugLI2OelDdIu4=","/assets/Chain-BEvAz2UJ.js":"sha256-P43/uJPvGkRMCyMPS8dHj6FCPm1yAbxCV7xm8/tCfyY=","/assets/Company-DCIZkJj3.js":"sha256-D5CGLWf3xDMqzqVajV5tg9Z0QUCOWMvg3qm9rDiLvy0=","/assets/Cup-DV2hBOdI.js":"sha256-35wC6RXOoBZUqqRC9HukCiGzqY/9wqTcf9Jr9SpS508=","/assets/CupLive-BaTwQTvc.js":"sha256-kiZ+pCbIJp68UhGnAb31+FuSsDzs1UKFacJZ4vO4y8c=","/assets/Cups-C6gHJPc-.js":"sha256-PhT54BXyJbRG75wf0ZzFINub+c4kEdCfbkAtNhrAyX8=","/assets/Daily-BJXuwIIK.js":"sha256-LhTLZTw6wQawm/j8lzo8EQYyuIWi+TpxE00YdmtQgfU=","/assets/Developers-ChhNmD30.js":"sha256-4dn0Pmtn6STNufHXQjItVrcb6VwQzjr8dkyf3HamLZU=","/assets/Duel-Dg2bHeag.js":"sha256-xlSS0qSesHJcTjFE7NcRc4M25Qe+Ssdr7JP8sI8uyUo=","/assets/Duels-CLuig_gb.js":"sha256-ZxDDKolT8IxMJY7U+J7iGknigumYIptDLPZinEGBbCs=","/assets/Feed-ChcDHmSz.js":"sha256-A/YmFWIZ1MCy5I1CmcQuKHxEJGaKHrruVAWRb8pjEXg=","/assets/Help-qZEva1tK.js":"sha256-mV5FKDb+XqRFcXNqJm0Ppn2BiHLCZCD1nHmyfUiKU9U=","/assets/Leaderboard-BYOcFXIS.js":"sha256-5mwzIg98vZxg3z5gK5h+QrI0j7sDfbe87GUblDwyEaA=","/assets/Link-B9lyg8Nm.js":"sha256-Qx69g3yH2gPWpgV0JQNpJcNzQWW6eJ1PDoJcTxSVBoY=","/assets/Market-CjEPV6ue.js":"sha256-eY1hJgJ12aHDnUuiATK67ov6+jgsv74ZCyO85iKnV54=","/assets/NotFound-Sb2qd5-w.js":"sha256-X+d9JmuM4WIEhlQ5gG9XJ+5aC7f2D68VYpf7V3t+L8A=","/assets/Player-CRz1KV2d.js":"sha256-FYc/4q8lcUjUsDhXTKmghmgFUduCJCFPq2OvhYwlnhE=","/assets/Portfolio-Dh4hzetq.js":"sha256-CzsQnr7JNwNYZ6x/J6BSifEDVhSHJT/UPIUrsSm3u3w=","/assets/Privacy-BoOhbP7z.js":"sha256-CFz12Aogq/WErSxt6SJPMJ1hhw/zDcVa2ZAD2qGpF5s=","/assets/Receipt-DBUwuC4A.js":"sha256-SUf/fRW4vIQcCDSn+69gv0UBr4wlHPM4bSv7pbYB7QM=","/assets/Record-C8KwwaIG.js":"sha256-tkmXJP1jRU0nb7fEAFQKuo1eYKC+T5nimwPjjHdQZlU=","/assets/Reference-BAtKjjnY.js":"sha256-0dzm5wIiW3AWwaIDPyeTB/31RJcauNw7789mfNJuoU4=","/assets/Rules-BlHxAly1.js":"sha256-Bz9xlDy4ifqxRlg9VgDybqN6za5xBR6MH89x02nVocw=","/assets/Season-CzS8C0ez.js":"sha256-M4P3XkHfXyMInHSQNGP0hp2qCdYOrWeR9mGtr7RZ8ac=","/assets/Stats-CURh7hkU.js":"sha256-x1s3Jh10CXa0qmxaQXDXkWOB2tCXy8mAWPVRQCfHJDc=","/assets/TV-BaviukcN.js":"sha256-5ELJo+YZ+Ij5N3AiwYXnCnzSGwnUKdCdqHh2CP4cdjM=","/assets/Team-p_Ho61wz.js":"sha256-1vlHFdQ8/Z8yT6hTRC5zmxmUOyB6nSviH3oPkv0CR38=","/assets/Terms-XkuLigDn.js":"sha256-n1Xjrte3tcDrLKzBBFgJ5TL9uyFwld1Nh5ZzH+lE8ys=","/assets/Token-Jr67BelG.js":"sha256-U99GBkQge3jPuVnkHaJzIJl5d2Mt9pr+NziVn4mmnKY=","/assets/Transaction-6yHFsLdZ.js":"sha256-TMzhqJd1vIEclPITZluBldlQ16rraXpN2nluNnRYot8=","/assets/Verify-CNuNOT1v.js":"sha256-Vvw2wK6xOGzt1T52SePo6pGIsSlh9KzuyVRVohV/ZTs=","/assets/WhoPlays-CkDVf4mE.js":"sha256-vfA18d2aXoEVFuNdSHRZYlrg32KlUq1rxrHw0TfbVD0=","/assets/arrival-DPk0dyqb.js":"sha256-lffv91Y8kYxOHQB9RRkPRZcaQ0g1goqssvgMl8F0A0U=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-Z4PLWIBb.js":"sha256-/Ayb7tg/kRlSJRb0pRbpmKkxaA1OaYsVodQu/Qa5ivs=","/assets/client-D6hE_Ecr.js":"sha256-pvOeoCFWTwwtj/a0jbCeohTAhgGGs7S2UJVq5N+1Nuo=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D2F62h0_.js":"sha256-hP2pZDxKl9NdSR05RDwAMe0MuZ8XW5zg6RIRjE4xUqU=","/assets/es-CtturOIJ.js":"sha256-RAIZxEDuZgFKRGVcv2rWet1QnW7IyQUtd9Hr4Zp9Olo=","/assets/first-CJG9hvLd.js":"sha256-roYcfqFh61/Ta9PqKqTLaKQHMYKZmWOvTf8WjwyE5dM=","/assets/fr-B5CnLqZU.js":"sha256-Xh4WkCHIoFIa8yDdaPNH73gS5ovcWba8KNrS19U45+k=","/assets/ja-Bx8otYQt.js":"sha256-H1EOde7QNq0BRll5tUqE1zT+Jk25S/zQLXAnQIUxYGE=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-CEAaCexl.js":"sha256-SUbpTRtBNLjbuHdkabiZrWUFG0JD6As0Vtj3LSVU5F4=","/assets/sound-BHkhZEz6.js":"sha256-HmMw2cWKpKZOpOVWo+FMEIxBWxB5kR5J6bIqEmRGYLE=","/assets/style-B_dROeWH.css":"sha256-HQsBqPsW8NCb2eMrCHG83alY5FNhDDS5EXG6UQo5HzY=","/assets/trace--ZdcHxFA.js":"sha256-ckgRgh5Vgsmu2kJ8QDxGPmhLQdJkxTmUcdYXdoFiLHA=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
