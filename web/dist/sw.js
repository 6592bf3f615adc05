self.build = {"version":"58GCP+LKZGTA4j7L","files":{"/offline.html":"sha256-NG9zcR/SURcQzOImudLtJxKirr7aMpT6ZYEQ23sN+AY=","/assets/Account-cNV3suIX.js":"sha256-A+C/eO1Re2gwGMFkAh6i3IYDvUpa/fIbNGFgH6Sb/0U=","/assets/Achievements-DRN0T67C.js":"sha256-F045+Ft0hh08eioItfurCR/RMWpDYNh73lOtrDuoxL8=","/assets/Address-zyQf--9T.js":"sha256-DWCfHP2PFecqzsdMg+Z5JwHqHI4uJQ5ZwO6K16m+Djw=","/assets/Alarm-xNoANtHg.js":"sha256-9rrzHkkg5OpaY8Rzrmi7tGxE6t2jHc22lKJy0UvaGpM=","/assets/Alive-Bmgy2FcE.js":"sha256-z9NZAQ1KSkpaqOXOFU+jPZGMrCKW8Y9wwuENduRrCdc=","/assets/Arena-Q1i3FeZA.js":"sha256-EPG52uQU8gAafBsqQRjIIOZ+kybsN+/KruebN+CtLow=","/assets/Block-Dh_vuJOG.js":"sha256-O5e/Ln7GiCRCmgKvwFe0fhSMGr7rgD3gd0Aq51NWx1c=","/assets/Bot-BSiirFaY.js":"sha256-br+2n+sOELmFiuEhM12Ry4KXDjrvjChemE8jBUBkrSE=","/assets/Bot-CPIsV03f.js":"sha256-49s8bhoKQ8l1aKnuH05VEWuKTTJfcxdTJIgRO0KPCnA=","/assets/Chain-9ucCYBtm.js":"sha256-FaBXcBQjYhbLKz7hlazFI3xTH3Q/2EM2fdSA15WczBk=","/assets/Cup-0mAxQy-U.js":"sha256-G2ZbHhTsgP6K2z/h6Gc5/09T2/sDW7B9TVuLVKxu6UM=","/assets/Cups-Cwfn2Bfz.js":"sha256-9ioEaOcJjNjaCbhugMGwoVdnx772/g5eWEXx4yvD9cw=","/assets/Daily-B2oKyHik.js":"sha256-T5Q8QrQYJCxr/XPKjgHxk68ScbV7duCD3cVAp/+Nr1s=","/assets/Developers-DIbIpjAF.js":"sha256-tcFrL3MfhlVDNGwQ3mn5YEGiX9QVAm+Vl2IDcP2PeRk=","/assets/Duel-7wiHncV5.js":"sha256-/+FPjna6E78atcgwtqpGBnLAfHZ9IWHeb0Qw+113NA4=","/assets/Duels-CecwFeAz.js":"sha256-7PKYMwAQ669sw4N7Z4bIv50lJ1vh2nXXwIdDyF5BTWU=","/assets/Feed-j1-o2u-2.js":"sha256-G7P/rMx+KyHJSWctfOd9bp6LfMbH6flAsSuAShZe+zw=","/assets/Leaderboard-CieVlBuG.js":"sha256-xbc11rWs3SMeS3eapqDOPUDWHVHeGvXQNWKHO83kQVU=","/assets/Link-Dmdrn6L7.js":"sha256-qdFwMbF1suwHyAFWXM8zv/S7P8PiRx1faMrUl8zXAcY=","/assets/Market-B355rswD.js":"sha256-Od1a4uqoHmUJaVRYfRVP68NM/nyS0ocZVgaE1pclPXs=","/assets/NotFound-DB00G2WI.js":"sha256-haQlM4vN+GsvwoSAOUWejIIitbDht24YPXOCXXQkp+E=","/assets/Player-CyT34wSf.js":"sha256-bNjWHuxr1098fAvShZ8O7M6zWZd14HLHqKgL5s1W97Q=","/assets/Portfolio-CdHu_PDI.js":"sha256-O5UthQ8C6s6bR/hujnpvmlTVDVX3q+E6gqtejbmSIHM=","/assets/Receipt-BRhgqhpD.js":"sha256-Fqxp1oYGoTAx67tT/ldrsH77qKcvSJNTRM8zNAzdKow=","/assets/Record-C35N5ZLa.js":"sha256-hWpxCBpvJpumCXQ8EpPQX1mN8gbejdGi924mYPAgV/w=","/assets/Reference-B8rDnoZm.js":"sha256-dQlzcA0XXoA8kQoKy30Bgy8AyGBgt0Go/Yh7T9SbEzc=","/assets/Season-DvoDauNo.js":"sha256-SvAsLQd6ZZWJtb1SpFxkcykeNbryok2yuJ5OyMi/il4=","/assets/Stats-CHOmj5ZC.js":"sha256-7vv9bK5jT6XWE7d5hvEpBB+a5/Ig6Q/famCLJssxxd8=","/assets/TV-B26Bd0Zo.js":"sha256-EjfiqsHKq6CKKBIFWPSfKBbkgb/bWEYnJrMqiqjMigk=","/assets/Team-CrKEW3PT.js":"sha256-Zl3PumS3Q5fU5safoXtC6BI0FGZ2K+37QOYw6jA2Hvo=","/assets/Token-Brz13ehN.js":"sha256-o9rBvR6A2yYrv/HWqO1qlOaKYMTNx2pk5Yl2IzN4U98=","/assets/Transaction-CQBgzADX.js":"sha256-P6uPcYyvSHJd2AXcyZNxWC+HLKl8KAQiS9ysFPpDdGU=","/assets/Verify-C1qy4jnu.js":"sha256-YuOydXirCAzzZdUACuDB7sQPjfVVfA3jV6cll5B1viY=","/assets/arrival-D49EaboM.js":"sha256-qZetj5oVYMbfO9y0DuuoGNgbcIE/ZvhjHCodf6uxQJU=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-Bg8wcHfq.js":"sha256-bCiXfBeGfO/vb0PHG2RPar2ZfGAeB+25E57/ftTBL5A=","/assets/bot-Bj_4Tk_Y.js":"sha256-UBXyY9jiTFfxybQXFQ+mf8pyyiC1oWYhNXF1qC20BG8=","/assets/bot-C7YApcha.js":"sha256-++vUMPYSZc0yT5et5tTb7eRdl3Wc0Wm+FYSQ8S25Yow=","/assets/client-BTIKmGMr.js":"sha256-DweFopmqokL/Ju/jQcM/r96oQto8narCiPKM1eg1Cgc=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Dj1wb3LO.js":"sha256-1TUGgNZKnnoSusTz47O1kRbYtPVGfoTUyiu3wXEnB2k=","/assets/es-iUjjqxC1.js":"sha256-2TGS42q3cDomfnTfOK9Yu5IJFVLuAXsRdkaxGblI1wQ=","/assets/first-C3-atYY3.js":"sha256-CoZxawk0JJDlaUdGUm2ZSwDvV2lsukhewmTRaDLyCIg=","/assets/fr-CHLGtUdw.js":"sha256-cf4B5QDZQZhHcxCYdi8iFILYGfgJl5zvr/UiuyRIhGI=","/assets/ja-H7OAf-DR.js":"sha256-2N3v/vuvWQnUJaVgATUJI2x9iBBFcj4IwmAhEOq9Mp0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-BX3Io72p.js":"sha256-eMxvRG3u+jpDJcCnt8mUMK+eDbyd89EX6wlBvtxGLa4=","/assets/sound-M80OTCTD.js":"sha256-NODqeQv/zGdWZtB2wihzTYcSm5kSKfVIU5E1Ci86eZQ=","/assets/style-Svtk3GHE.css":"sha256-Exz/7nIhXgf1FyHCvFVadRxoNK1P8lZ5pKg/5NxrKnQ=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
