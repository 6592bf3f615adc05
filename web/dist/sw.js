self.build = {"version":"iwjioE4Dnl+DTzg2","files":{"/offline.html":"sha256-WPa/8kF91rQxxAXv6QIeHa+vyUQYqo2ZKqzefMc50f4=","/assets/Account-B1R7KNBP.js":"sha256-nw//D1Ez/XgAAyZXep/VXjrCn06AdTjM++R5foOp2R4=","/assets/Achievements-tfCOpge-.js":"sha256-Cu6rAFbWiGcZISbEeD19uvfvnSAJAWAZghgPSrY3ai0=","/assets/Address-BAt0GnEK.js":"sha256-zmGx4l1NB18YE9TAAtkWxGJBqRLpb5uU/tCNeLwofSY=","/assets/Alarm-BAyujQFt.js":"sha256-w08JsUGVcEHE2G8Cs9sLacKAVQY54h/yEgPLe5WI16U=","/assets/Alive-qLy-fpan.js":"sha256-fIMq7r0r6HYja8qxx6jSNZB2/lJ0i+cn4gsE/huk16U=","/assets/Arena-CbmbUoI_.js":"sha256-NTjyVoTcyMxM6zdpg8iCk9BPzLZNwfrc4QcmTxRCopo=","/assets/Block-7Nb2YMpB.js":"sha256-jOlX/PVEpBFQogWH8zkUVrenDdRxqHk+UJonmT8N1sw=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DfNdYI6z.js":"sha256-+J5CN87FBWlTQO406O20/hUg7EuxQXslTwki3ow4x88=","/assets/Chain-B_tZyZCg.js":"sha256-WrCVzLdC8NrPKd/a/d4w9cpasl3+EDGzaK/FxH7zd60=","/assets/Cup-BdEbIMq7.js":"sha256-/X8OMJMJCGlCul0+xul9GQPw5RdF8lte4HiyoVBQBQQ=","/assets/Cups-CalByU-J.js":"sha256-zpNyfkSfg1qXiJN2tPIWR+wcXkYNXGfjzPu8X19SyGI=","/assets/Daily-C4PTPns0.js":"sha256-BTfR6be7KS4q1CxNM3JvNo9/jfvnBOLD7gPq+wJTN2s=","/assets/Developers-CDVfAX9u.js":"sha256-4T2w2EW48zm8rEsEXYENuAuadLqIz9SKyARU9cjC7Co=","/assets/Duel-DP6SDp7o.js":"sha256-Ws+v65zNV/UjSs0CDeWaD/Rd27hbWthUoTJOTg6k89Q=","/assets/Duels-BalzG3-3.js":"sha256-a6yvCIoMKfha3fVgMMWyde0SMw0T2FrXiDMCTR607dM=","/assets/Feed-Cw2K6T5H.js":"sha256-dpX0Iv1DryqKg2EjFjrbyPfm1dwYtOo2todmrnVWIR8=","/assets/Leaderboard-B2HwBZx3.js":"sha256-7d+7nVxwfIUb+UomheFK3VqOI/RficTrjDFmfsVrYK0=","/assets/Link-gPkSR0N-.js":"sha256-Id11FgsiIaVmou9MKroICAA4UDKno2A+aP3Kighqua0=","/assets/Market-vhliATym.js":"sha256-xUa9MxFl2CTMrhRLktwSmLqCeBbbiGQJvY0qsjUDZ5I=","/assets/NotFound-LXN84SRo.js":"sha256-8zhyZzcgl7/C+lCcZ5/ubl+IRnmPMK2QaZQj7zZ86Mc=","/assets/Player-B5JHQWoP.js":"sha256-Bo0xrOP7i0MYcfKqMHfG3rDU2TiM6Ggs1U+zKE0kCK4=","/assets/Portfolio-Bpj42Qwm.js":"sha256-IkdXAV2g450xp/iBqb2ofo4BJJALShhvoBrAe+WnLPQ=","/assets/Receipt-CIGt75gG.js":"sha256-DhDyd+K9qZE6RfviETsjL9UBmk6T0lCLlZdSchlEksc=","/assets/Record-HnrxO6J9.js":"sha256-2YEv7vuH234+PBQt0WdNkaOD44ybbkyxFkv9H12T7W0=","/assets/Reference-BY-Dd8TU.js":"sha256-s5t2PnAjItVywOuD4QTCLPiFRNhNJ8baCoPwBo+mw6s=","/assets/Season-NIlFh3Rt.js":"sha256-mwJAt1/ewFd/PCnQYzoUH4UlYPQrsuYNfRkH5gghuQY=","/assets/Stats-B0shIzwJ.js":"sha256-0F1R5D/n4jhfkEs7+pktZT/dmfAai/fi69v6uZX1Hwo=","/assets/TV-CPvUAkWP.js":"sha256-rx3HgsOdWQ4Fn2vsHbhLMyFBj8G5gK88vbR+06mf0lM=","/assets/Team-DqvacfcE.js":"sha256-tismIRZEX3PdX30AXGpobfgk6+SWM9E+UtyiyXKk2GY=","/assets/Token-DyEjqYX-.js":"sha256-q91QtcPnCydsQvsl9Ly768yZwoNp75h6KJLgh8sE/MI=","/assets/Transaction-CGZMucT1.js":"sha256-6KGvoOt0V5FwsnLLuGh17gLcaBLYuMO7pYaC2uyzAaE=","/assets/Verify-MPF3TB6k.js":"sha256-gFtdZaaLbHywU6w4+lVefQJeu4hr51dp0kGwOEyMCm8=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Mrw0gCXD.js":"sha256-sLwXUr9NsxYZHPmZjWYy4XTyefst+m8mJE5k1U2Ib7w=","/assets/es-BN8E_8kY.js":"sha256-0NQm0eCaQNDmz3M63AJvDXqENmdJ04cov8qITaZeGGA=","/assets/first-C8USRZ4M.js":"sha256-Xv1FkWHYfHLUHvq3B8skV8dPCiYY5Av23yYv+nZO0ys=","/assets/fr-DU1ryip8.js":"sha256-FX/HH4IWy5V2kkdWzZ6qLPTbsNjn0wWCQqzxIjl207k=","/assets/ja-9xvJ3yih.js":"sha256-M/ZmgIABSWYCNIZXT+c2D74oe/kn3stfuLV7V6L6nFA=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-DRZegu7t.js":"sha256-HUXU5G+H1oe+rIkvkS4ZDoqG/qvCUPFqenoncoX55g8=","/assets/shared-Bnl_zz-M.js":"sha256-Alhuwte4McXK42jSpywb2DsXw9Um3E0I85fiQ2xjoWk=","/assets/sound-oTG0j4q8.js":"sha256-LfoPn1FIdrKUuo09xjgv4sYcJFGgai+L0+N650aTfVc=","/assets/style-DPeWStuP.css":"sha256-2OJ2EccnLVUVo1Z+LRKNiQzxGgHmqcouA9QIC6kj7sc=","/assets/verify-BKl1w8SH.js":"sha256-mWreQwLdCSvZ7OG8prx/6MUUmYUP/hrfKXOJlBWtfSM=","/assets/verify-C_s_Uuhk.js":"sha256-0faDo6fMv1r8zgwn/i1l/lcvA4XtpE/7L1bKz8LPaNY="}};
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
