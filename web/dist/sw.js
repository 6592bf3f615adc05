self.build = {"version":"KB9rg9KUShRfpfL1","files":{"/offline.html":"sha256-rr9Nu9CYGs4NqKLYNUb6mrkzEgbUlOrAjiSPRfAuK1M=","/assets/Account-Bf9MdHk4.js":"sha256-zX4p2lzGP5176G01LRRLalXx+gyvvEq60Y1dfeSXM9c=","/assets/Achievements-2UUS9xRF.js":"sha256-TkcNg7sqqiDE41YJZG6Q2mOabY9lnLimuLRUG/IEywQ=","/assets/Address-BFXJHCTz.js":"sha256-PyzJIeWzh7doqXKCELv7g7N6MmguqWZ7X5KiLrXNPFE=","/assets/Alarm-ivDBGJ_f.js":"sha256-p22ldIynHSLbMEGg+EYrLrkjvy1ErnQumFs7HUEdQK0=","/assets/Alive-BBb7bup-.js":"sha256-tArqIGeObPZrHyqWvgNLXqZ47e+eYK59KVhR6Lt0qo8=","/assets/Arena-GdQREm0u.js":"sha256-14Qqm3sHmACGTLFbQfVTyWXsWj+Z7S82kqHfhI3+eOk=","/assets/Block-BIkKdwDb.js":"sha256-cK+KM7MF7LfEpB/IXTPSE8uQUQDnCiG+sht6ZlZGrHc=","/assets/Bot-CWnOOMKS.js":"sha256-6R3Fiw1MZg13wJPq85pXM02Qm8wki22Gj3OqBqr+YFA=","/assets/Bot-ChJFmOf5.js":"sha256-vZIgBAF71LcADafysLP0ykwNGUaBlByT7fw4s+CZAbo=","/assets/Chain-CAjrj3rP.js":"sha256-SxX3KKQ2SOkch6hatIvOThnt9j60P+JsvobHZaDFLTk=","/assets/Cup-CO0dgTKD.js":"sha256-B6o+7+lSj74jpyanuHbUyMEg/hP2UOLAKQoSkncUZ5U=","/assets/Cups-CkF2UH0D.js":"sha256-9IQnC/mlE5c3NeGfLLfdOLvF2astmeOdvZr57TMG7L8=","/assets/Daily-BceH2VHL.js":"sha256-0QszAUCy6W+sfqJ/V0Aq0gFnM5fjAMz4Plsnq7s89vY=","/assets/Developers-IoUrTJl3.js":"sha256-jMHNUKIOdKwqGvYN/O0JpIl9k1SQx/S5+sNa96lqoqA=","/assets/Duel-ChZRxGe_.js":"sha256-aZAmBQxZSgRC1RjcjVjRyApXSUzfnviUzzvGfOtvMFo=","/assets/Duels-rVGAIWvM.js":"sha256-IQ1UQOwkGTDqB6TWESc5PFptjYbX8w/joY8Q8xqCLas=","/assets/Feed-oDdKFuKD.js":"sha256-T3Zqt7ONmH5t4XWlLqnsqyyjhvcGj2XBpHBWxPCKVzI=","/assets/Leaderboard-D95jN5GW.js":"sha256-d/vfW1hMaIegWhlMwK1etiyGT4cl9SWbNWs5ZQu/T2w=","/assets/Link-D2wsOB2c.js":"sha256-mKjynBRSkdRQDcWUk04wBzQM+3HCgCSdFwgWPWMMMyM=","/assets/Market-loUNNJxG.js":"sha256-zOvgZlQQ/KlpoXz5PzzTZ9FHnPVRxgKy8/WL9T+KZ4I=","/assets/NotFound-CCLK-zoH.js":"sha256-nv2/kwtQBbuuOp6+C1QHBtQOWoEHFkYj7kEVK5W9w6w=","/assets/Player-Bbak-89c.js":"sha256-R0esnzJaTZSruivIxPYMGQPGW9NiWwSiE5LuATlE0M4=","/assets/Portfolio-CnB2k9Ud.js":"sha256-A0nH4JryXwQObH752GoAAgd3haticn8NTjDtdW38gOA=","/assets/Receipt-NbVsLlxF.js":"sha256-hF6b12E/hayyOzsyi8/F2NAFpqrxJpfe8cMt+rXoS+8=","/assets/Record-Cl4OZp-q.js":"sha256-o8tt39nyAwe42E0Tpz3uI23eUrx58mkBB7RSqdGxwKU=","/assets/Reference-oiPxf0ZD.js":"sha256-3Q7O/etBLWprZ7pZJNfEu0itOKmi5MCw48sT+cGC+IE=","/assets/Season-BaBQrvCJ.js":"sha256-iFSBTWopIhik15It1keC/2oqHSabgAdIgEQOv7UXAio=","/assets/Stats-DQMc_S_B.js":"sha256-ZopdLkm0P716wCkwM6P6KpauNGfRnMKoCLzv4v1getc=","/assets/TV-BfD7V-xy.js":"sha256-p3cHAZAMygaxl+Z3HRPFWdHZjB+7EgPz45bHGAKNsbw=","/assets/Team-B-z_RNe-.js":"sha256-7mbE4CxNR07fSWZYZq1g1do9qC9+Lh2pAXYP32if8SI=","/assets/Token-DgxdsFRm.js":"sha256-v1l5BAZLB1mrrkZA06B27ffVikWtCBdAcmt/leAE+2c=","/assets/Transaction-C2iFLxDS.js":"sha256-xSzRFNTo5qV5z2VmqGEAM42sgPaerxUBYSbm0Yt2iNA=","/assets/Verify-BV9G0rYh.js":"sha256-EBSj5png3TWmV/pjJKmuTIpCZ0Z0okJHHifdYWtXAOI=","/assets/arrival-D8saP62C.js":"sha256-KRR80qfYphDEHmk5ZyjqrpcW0njroa86CF019VELcYY=","/assets/bot-7QbgYxmR.js":"sha256-bHV6+josrcswjLtNAwiwEqbMYOhOur5KAjsjGJR3c4U=","/assets/bot-BU_rYCeL.js":"sha256-7kqU4mzIxUhPcSyRoaQoeKts84zuKDCPM7mrUbNbxF4=","/assets/bot-BuU5-oUy.js":"sha256-eeG924xh87LxB2S/Qn9t7xLLEmSM90g+RtgBV44pyds=","/assets/bot-DI6Vj9Hd.js":"sha256-E3yRxheQ8MVOBcoYE6xYg3mll5Dov8jbJ7tLX75o0dI=","/assets/client-DwZptTtn.js":"sha256-rdSYFUgaPgn7mfJIXOMs4XTptB9wElXjtl81dqhUiuk=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Dj1wb3LO.js":"sha256-1TUGgNZKnnoSusTz47O1kRbYtPVGfoTUyiu3wXEnB2k=","/assets/es-iUjjqxC1.js":"sha256-2TGS42q3cDomfnTfOK9Yu5IJFVLuAXsRdkaxGblI1wQ=","/assets/first-wmv8Gt0r.js":"sha256-nGKBDOdIJrC2hmdgdL8lNNCCXKBicUdTIZmBM+GSyFA=","/assets/fr-CHLGtUdw.js":"sha256-cf4B5QDZQZhHcxCYdi8iFILYGfgJl5zvr/UiuyRIhGI=","/assets/ja-H7OAf-DR.js":"sha256-2N3v/vuvWQnUJaVgATUJI2x9iBBFcj4IwmAhEOq9Mp0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-DK_xX5OW.js":"sha256-LC3YvJ04akadSbkPJUFcVPCYQRvy/y+jqcXbL8n31CY=","/assets/sound-DAiDD_5p.js":"sha256-2ZdquOjE4q93BVT/s4RsevEpaPXVsCtaWBfvuVlHcwc=","/assets/style-Svtk3GHE.css":"sha256-Exz/7nIhXgf1FyHCvFVadRxoNK1P8lZ5pKg/5NxrKnQ=","/assets/worker-D2l1H9tj.js":"sha256-qj4ZSsg3RIFf0m5uf5BQgE6+9tMkPC9MzpcZzQBgLro="}};
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
