self.build = {"version":"/11eVMZjUl1Zvkt7","files":{"/offline.html":"sha256-pwhDFC1ml+eeVIQvgRQ7U9EIsw9Oe8ZnTMKoF+6/qwI=","/assets/Account-R-Ae9Z_X.js":"sha256-C6Jx+F4ZPO/J0Ncs852GcXnLyz8wYeB3lcVn8D49e1c=","/assets/Achievements-C7daxxMY.js":"sha256-f26JhWJiCnJpayvmP4hOM69wLQl9nmgtsRcRfltAjyo=","/assets/Address-BxVGZMiT.js":"sha256-wrYljhBe75g2Fi/cI8G7IMFOAAsj2kO40zpWSlCLFVo=","/assets/Alarm-BlIJwouU.js":"sha256-pCDvClJVrFzc6/vQV4+ym0s07xcb5IaoDu/HnNgGwBU=","/assets/Alive-BxLU7vOp.js":"sha256-lfDkfohLBjyXe6w2MJ2DRNRCmVETYIRgBZOLk2WQ3e0=","/assets/Arena-ga6uHo1L.js":"sha256-VNEV/0NL4v26MY7+7POuMfYCwFAKJ3GtDBUHw1mGI8E=","/assets/Block-C_cZqE2y.js":"sha256-wlEi0xUyqmiKOI1uOtxIIISVdEvEtinCgV1cWVugzsQ=","/assets/Bot-B8YiWsXD.js":"sha256-lAcJsLIxFnFKZ3ImA8rylrthxg31dyNLzalQ7cbQ0kA=","/assets/Bot-DJIH2r08.js":"sha256-EDdSZ5Oyi5ifSEaSNSJrpYWwzb4wxes3g2AFkmezZ5Y=","/assets/Chain-Clun9wVS.js":"sha256-lmHHasP+jdqyZnL4ZJu0l+fhXZneEttXCdqUCDQF5+I=","/assets/Cup-B4mhACmL.js":"sha256-RGhtGu/G3WLRMBvehdlD+nQN5L83lHY6Qpx3jkbBqiU=","/assets/Cups-BhkU5cee.js":"sha256-edw10oQWuchxF3l3RYqZgGr2CTdXtdw7W7X8wagq/7k=","/assets/Daily-B0y3mUDv.js":"sha256-1JHYIQyKbjwzpgbOW9SjICGMDSPJoQZdNsBm6WsRcG0=","/assets/Developers-C8_Bd9py.js":"sha256-gMFalbNS7eFXMzXepsMHNOVPsEo+te+cNroyMFADClU=","/assets/Duel-D8BKN9IU.js":"sha256-jceM/ju3k1Eg1YA7GnJdsuDq0QCSWpx/G2lMCAnoHLw=","/assets/Duels-BN3iz-CK.js":"sha256-ocXTxO/cKAchjpK8nM/pdeaf49d9bY0dN7B+satiB+Q=","/assets/Feed-Da9bt66r.js":"sha256-4jg46eUC0kYK47LDOyeQDC8xKxBamCCfqh7SzK08Iyk=","/assets/Leaderboard-B-Ku-j3q.js":"sha256-ejFlUHvR5LzIyL+B6ujyNqlP9ds7wm35vQFJqoI8rf8=","/assets/Link-BJ3-PGcf.js":"sha256-JDhXjElXTQOgbqGCzYAkoyN9L8Fuz/x3wo/WTvQImMM=","/assets/Market-DSdVaeY6.js":"sha256-JdvZDdZt0fA0lEjLKNfYKQ2HUSrLeqPG6QyZ7gZARvA=","/assets/NotFound-DhEwQusz.js":"sha256-q2f75j3MDh5GALHptESzglberLWqXE/BfMzdw47R6SA=","/assets/Player-DvfJowpx.js":"sha256-K50SbZKWWjsLbde+ZqTrGDXqTR3+CCUwViVWL4Bbak4=","/assets/Portfolio-BzwVVDR9.js":"sha256-56KErN208vmT0BwJp/ciiMz6t+uHmQq0sTl11s/J4TQ=","/assets/Receipt-C92XmSnY.js":"sha256-CLwovDrM5Ncwg2fEtgUbn9Iln+UEuLBtSfJPX2B0jPE=","/assets/Record-5E1oQaY8.js":"sha256-H7NppXwQF8dG8wAYqBBmg8CDTu+ReLtC5row3x0BhlM=","/assets/Reference-Bapunwt5.js":"sha256-IiMP3kkPa+CUU8WSY8EnLfn+KI24blWnFiNLvI4oDHo=","/assets/Season-CBTsOOqr.js":"sha256-KC51Nsd7W6RaF4MsOguMKvCxiDII2sfAdbG/e2LDxHw=","/assets/Stats-DtaDyzRJ.js":"sha256-ZujFOsYFYfOtJ5sQ5RXWWXjb4iMZdPdx4Z3rJD3rmGU=","/assets/TV-8Sr_yQcf.js":"sha256-bfzQYEzpgJoOOEWCP9z8yEj90X3/FE9XYLyhPbo8T3c=","/assets/Team-DcfTfb1S.js":"sha256-6fIJ+/yM2Xo/HAoCl+SudIWF7AL3hL7nUfoEP20Z+vY=","/assets/Token-DdwZ3eke.js":"sha256-uZdPM7LB32d6khPcCBa7c46eWOIDO5HpCLhe7yd9tXU=","/assets/Transaction-CPiFqG8T.js":"sha256-3BVrREp23ICyYB5Q8wMEMgT7qdaBX5hevUSLE+Effok=","/assets/Verify-CoUWepZ9.js":"sha256-lvgyfhTiQfUXW6UWFmNb7az3RxIna4ZM7/kXyQx4O60=","/assets/arrival-DoL2pYzv.js":"sha256-Gt6fIuC/3PTTZz1ejLy/C59R5yAi0SRJJuvlQEh1J+0=","/assets/bot-Bo60CT3P.js":"sha256-rn3vD2ash1z9qqu/3ey4/IgmQgkVWv59X0xfiE3l/hA=","/assets/bot-OAGTOCrm.js":"sha256-3jHWOHiUnM4N/VODJE8HZmY2k+XX11dKbLh2w9dH3DQ=","/assets/bot-Se-MQY1i.js":"sha256-V7iNcg8dEyluYr1oH29GhtsWQCdfabqXGQ6CrosihEY=","/assets/bot-sYzajhAQ.js":"sha256-UEBnGu55fyCJNITcdwnaEcaH/CbWgR4DMMUdfJs8Cf4=","/assets/client-CjGd0Wvw.js":"sha256-pZHTtwCqpfLVbqEhZLHQmIdLKtT0qAZUA1A9SHJBl94=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Dj1wb3LO.js":"sha256-1TUGgNZKnnoSusTz47O1kRbYtPVGfoTUyiu3wXEnB2k=","/assets/es-iUjjqxC1.js":"sha256-2TGS42q3cDomfnTfOK9Yu5IJFVLuAXsRdkaxGblI1wQ=","/assets/first-COPlZb19.js":"sha256-bDvsNyygWHhRqWKj1w8fmTwSYgp43dJgCpBFSfirGjs=","/assets/fr-CHLGtUdw.js":"sha256-cf4B5QDZQZhHcxCYdi8iFILYGfgJl5zvr/UiuyRIhGI=","/assets/ja-H7OAf-DR.js":"sha256-2N3v/vuvWQnUJaVgATUJI2x9iBBFcj4IwmAhEOq9Mp0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-y_JIMy42.js":"sha256-dYjVYOL/XLzAOvfKsipltUuE5XDzoGl/lvb082fka+E=","/assets/sound-CaT0MIE2.js":"sha256-4/tKzQIeWtWryzvRjp2jiaN32Pq19AyFUVNm3xgA6Bg=","/assets/style-Svtk3GHE.css":"sha256-Exz/7nIhXgf1FyHCvFVadRxoNK1P8lZ5pKg/5NxrKnQ=","/assets/worker-D2l1H9tj.js":"sha256-qj4ZSsg3RIFf0m5uf5BQgE6+9tMkPC9MzpcZzQBgLro="}};
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
