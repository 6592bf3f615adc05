self.build = {"version":"xc2H/C9nl0f4nNYt","files":{"/offline.html":"sha256-UPWjbHx+1s8ZpHCV0V8dS38uQjYp7nEmGENV7oMJRnQ=","/assets/Account-BuHNYNcs.js":"sha256-wsd39CgrowjPKs20ir1IzTARNz3opvzAi1mURXYrjU0=","/assets/Achievements-CpMOAeNw.js":"sha256-3FA2jnSw/NWutbvIXQmghklPDI+icV3+CiynShh6dcY=","/assets/Address-CLPnOCsd.js":"sha256-uVOmBkyY4jWIGVa+qrySnJLObC8fRFpMRZSLUbuqnug=","/assets/Alarm-BoxRmRdp.js":"sha256-0sgCNqg8jWJ3ISsTcNuqkC7Aho2juAEVQvDYe3+5YIE=","/assets/Alive-Fu-MmqaU.js":"sha256-GxFeeq9hppSdsfDNke6vEd0Bv5C4E9mBMUpgPstHmtg=","/assets/Arena-CRKo0f4o.js":"sha256-Yr150lYW5dwtt1C7rFhyxqKRSLW/3auoHO5yAx7dtDI=","/assets/Block-uzs2BI9v.js":"sha256-R++rai1VEjWig5ywx18Ty5mpFdNJNHBHHQzLAjDdQb8=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-CmyJxSe3.js":"sha256-uJmnoqM1Etm/8PwqRDnJD1cpUhSirJRIxs8/J84DB+A=","/assets/Chain-CSB9-wsH.js":"sha256-kJnU8K4HWC+saIEJlRVcg5+3QRaVjOegeA6JsdRau0Y=","/assets/Cup-BIqUs-LT.js":"sha256-5XaynzqzoLJ11IDFdHUJNiAE5MLcAc0LtotmOm0fXBg=","/assets/Cups-B0iVr4j1.js":"sha256-FWjjKm615JoEgDYP4l7UYxez/Zzp1bc+jLaN6wBc6mk=","/assets/Daily-BJaX8GoM.js":"sha256-wOg2jUs7BcQxXg/MVSbCRit3vE8sk617VNaEA49UHhA=","/assets/Developers-_RNE-ARP.js":"sha256-q/VeEW4g2hSOC7bd2usns8cEtH5vHfUR2v3sl6U6c60=","/assets/Duel-DK1Y1A-S.js":"sha256-bL5mBaWBM7rVNYpAwo8I28ie9HGHWWaK5xsQPe+rNkM=","/assets/Duels-BVV49zjO.js":"sha256-MHC2PdYOxgHImsaDnPBWnXQFTRKEzWIcjn1aArmtuOA=","/assets/Feed-BVTxUCJO.js":"sha256-O9JE/xloOtQnNQj1zc7Wd4tsiRSEw76G5RyAC5xdu+k=","/assets/Leaderboard-le2-zZkd.js":"sha256-e6n9QbTIKIs/6AjNXns1bof+bdxH50S5FTt2MPtQrPs=","/assets/Link-dKMZ4cQE.js":"sha256-b4KK4XmoFHRwK3JNphmw1bK/shBQYRsbWQiiAlhxe+k=","/assets/Market-s-iTc2RD.js":"sha256-XVgjiRCHfgVhfnwMKz0SzDB49BCcwp7ovBEabEanMvk=","/assets/NotFound-BKy3h_Vi.js":"sha256-e7LBdbQ9FgZaaIITngmSW8Lvy/spLtrxWr4NXU8qHcw=","/assets/Player-BcZIUSB6.js":"sha256-i6gC7MOMmMS352b6mRAcKo2FBpVggjmH0zfuwT8xPsI=","/assets/Portfolio-XrWjWfiV.js":"sha256-GdbnNwVZLcKJlmpEliGOwr7N9Yf144zDsO5ZMul70TA=","/assets/Receipt-ig2o8-G-.js":"sha256-ZcHijKDKy2Nj3Y5RiIJAzne/8szck96EdHNI9lYe1/4=","/assets/Record-Mnwyi9fv.js":"sha256-vTeRNnuLV/5IQjjQ0l+lm7Nu6l8cHwCrhrpFzfDHMvw=","/assets/Reference-CpS1Qr3N.js":"sha256-b1mdItJslXItvqI0aDpoY/vLX5jkRmeAgYNPOL7eATo=","/assets/Season-9y91nLIb.js":"sha256-GTqPlyhqpkenmi0ll3pLTjJ6ACKWPGPi5V+VMPzqkDU=","/assets/Stats-Dx6nriLL.js":"sha256-zNmKRclp3gbrxmF+kyC83lfrrd407oIbn/zafds2AVE=","/assets/TV-DbrPdf_V.js":"sha256-iE0cmjpGwm656dJG7aKgDZ+TSi8yRksncmhbWlzscUo=","/assets/Team-CELIJmCP.js":"sha256-MRtyGHTZ+pX56Q6iOMhFO9nH1UoiB3i5AOpM65ZMxH0=","/assets/Token-DiJYoErg.js":"sha256-6dQzFCX1HFi+BzWmi2Ffjzj5o90ZufRM7RAFUAqrCHQ=","/assets/Transaction-Cf-BkXJF.js":"sha256-I9xtvAw+X/ZM0jxjCGv4aUrFhdv0SGXhL5EANNNAC+o=","/assets/Verify-D3DAoZ2y.js":"sha256-BlAAxLBksPTjX5rKgT29u7cV+nlkd6URFLVScoe3nv0=","/assets/arrival-Dq5-tvsz.js":"sha256-wcggZ9y3+Iy88vB13m2JsPsWtv3MGxDdqqDp+inIvJQ=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-lDhCYvJr.js":"sha256-DTqbX3b9fXHf+DnHFlJ+0QmVvyHs48widpTaM72XQ/I=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BAuJzg3Z.js":"sha256-wTALOceSnX7hO7Fq4v+o/hQDFxfx8jTf2pgaBpZeh/Q=","/assets/es-BRu6FPb8.js":"sha256-i5huaiFDBfjwn8ly6TCT8V+8fCqIKeuDYxqbM6/Pj14=","/assets/first-B2bC6eQt.js":"sha256-ckktbsLZxydEsXOvuZA6sHSvz552m2tN0b+ERuSuibo=","/assets/fr-wrejL-63.js":"sha256-jvS5ZY3CIHb+/81CAQuf5iULbCoywmaZCnJH8wpzJDw=","/assets/ja-DGfTbo8m.js":"sha256-1hLy0KmrsQVlEd7hbIdSNp/eO3A9sBgsqVRKrZkRuU4=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-Cda8UtIe.js":"sha256-G2tk1DtVEjJBzU/9HoOkXZlX956naRpJEh891WXhnfc=","/assets/sound-CbsLOVlI.js":"sha256-e2J/hguId5nVVLPwVdsiPiG7vfRPPcB8H9xd0ZFLyk8=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-Crdkk8F5.js":"sha256-p8ApXg3Pwtu19CkAUPb6Pu+gUsYx8qGoeJ3tWqWqLDc="}};
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
