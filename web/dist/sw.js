self.build = {"version":"eVEX5E73yyBI1Glu","files":{"/offline.html":"sha256-sej5Plf879aPivceOeP2XnbFQrQWhbheX36iOZmjMCI=","/assets/Account-DKcui8iH.js":"sha256-xbyiuT1E3uvKpKeJPhZLCcXRCKEEi4nL49d9O+YFaT8=","/assets/Achievements-DG5JbUGk.js":"sha256-X5vEff2U+ak/qyNeLVpS6mlq/xO3RW296OpjJT/QEZQ=","/assets/Address-CYBsXnpz.js":"sha256-Q2JmxIkYACNuQobVI/mcUUfnJFFqtTPjWoGozlLv0Nw=","/assets/Alarm-BO5fGp6i.js":"sha256-iHF9tLS3IQiIOXRTUY6wlIlyfvB/0rHU3PDtGGApqMI=","/assets/Alive-DoxzNQXf.js":"sha256-W9tvFKvFirIl91MQK5Ri2xJ6zLAHXZTUU3pjlZho0bw=","/assets/Arena-B0sHaQ5g.js":"sha256-ppSDHctGx6vPx+URKUk82a3nCvIg5hKiDfaMHhWEao8=","/assets/Block-Ce0gEWON.js":"sha256-fKEMgXam7IyrU5v1IoDNOfBVzxJCyRswXDm5dGd+4J8=","/assets/Bot-BJrxk71p.js":"sha256-NIZ+fV7QOQBoEEc4dnjAWb8/n/Bx0p7IoMgUF4k0j9g=","/assets/Bot-CWnOOMKS.js":"sha256-6R3Fiw1MZg13wJPq85pXM02Qm8wki22Gj3OqBqr+YFA=","/assets/Chain-CdVlHhpe.js":"sha256-JaBS92qiKYx/K1zIuV4ayb1YUSljXCSp2fGMPaJPcW0=","/assets/Cup-BlULr2kb.js":"sha256-gOTrwr1M/67p8LRxbLUdBtwjIaTSIGmx+NnN+uTP1uc=","/assets/Cups-CKtiuq3a.js":"sha256-F6eRDof7TV2tCCd+hDGQoZ8w/IosXTsLSbaVaJ2ajk4=","/assets/Daily-Dg1tWJh4.js":"sha256-PqcjEm2iGJbgt8COazZQ1vZ5nDdeXaeh/CtT8VoaSFc=","/assets/Developers-g6Iwl9MV.js":"sha256-rlakb+MRu/hQknFbVb3WjTff2FxISPhdUkxcfebzsGE=","/assets/Duel-Di0WxefO.js":"sha256-DETkvQdxLrF1HUCVpUFPaoWfQcj4qDRzxA8eD8iNJjY=","/assets/Duels-DttK49X5.js":"sha256-LJmyJA+DXNbO6tCPgbwyhjTACz7EJBCT2QKrjgHD/Fs=","/assets/Feed-D3h2XOvq.js":"sha256-Nt6qnQdpzJd9AkvV3Uz0lp8M4VS9ts5OCGxF8cEqDLw=","/assets/Leaderboard-Dus5om-T.js":"sha256-0odS7Jg/KBnbE5nuj0yUxzLVFARzIbpMyRhqCGeMEEs=","/assets/Link-CYxmKJvH.js":"sha256-Kr39XIoJ1Lu2fw6F950eWsilkNbs++V8lz0vRtngqgM=","/assets/Market-Dw6THiGs.js":"sha256-O6RjJruO/+6QjKLYw4Q4XrAhN0Xje7EQprwJ5qw5B2w=","/assets/NotFound-kWxT1jBP.js":"sha256-i3ZN2+rNY620/CQN35qonQzu2c7S0ygvJjUAJoZIhu4=","/assets/Player-CrPbKroF.js":"sha256-zjkZJB4ma5ypohALFKZNq+DbpvGHblIXX5Qmeku5B3w=","/assets/Portfolio-BEONkFEi.js":"sha256-TJFGl6dx+rJE0NL5SKlxejpQXearQFTsNI1pDW97jQs=","/assets/Receipt-DFL1wjCX.js":"sha256-odJaqrp1Sw23FGkaKckPAAeG9Z775WBKQB4/Jp2k14k=","/assets/Record-CsOr2hHx.js":"sha256-MgxdnW6YQSf4N1uJTXy6oPqT48/vTxtwT3i+jVvbe3M=","/assets/Reference-CsiupU4-.js":"sha256-8Jm9Pz7TEI2FgySFewhovyr22iq9msPhFIdz7kG3gXs=","/assets/Season-DoYfgjuG.js":"sha256-eWDTy1B19LDEJ8yxFz7zfUmgo+w6w3GCaJaxGzxwa1g=","/assets/Stats-DHt1PKKU.js":"sha256-n2Bnia/xhrK+AFr1BMVoEA57HSIN4OWaM4lwbSGGuPY=","/assets/TV-CuKsRRX6.js":"sha256-mSnIva9ApmVMaUW/3o5cgBm6+V3GgTsN6IEOVVtU/fw=","/assets/Team-BY5qGMV7.js":"sha256-ccna+sWebi9EDd7ADQ3JshuM8Ucq6w0vEoIkuoBgtMs=","/assets/Token-DhA9wMav.js":"sha256-Owo73+UGCwNgJ9VOCp2qCHVK/nwC/B0akzS7fPsqlbo=","/assets/Transaction-DHEnYh_c.js":"sha256-FIxnEA+rIVf1uuH9Ew1WjVFSZG21OeCxKYVqWC1GOmU=","/assets/Verify-DHb9WlkE.js":"sha256-bhtZ0HmVOhVMkfrdOVJ9PpoXFN+wo8yLdRpgeNurVsg=","/assets/arrival-B4vgp2FH.js":"sha256-rRaZh/v/D4LdKcr8qAEtHumKOaviq40Ct1b5k7D7LeY=","/assets/bot-7QbgYxmR.js":"sha256-bHV6+josrcswjLtNAwiwEqbMYOhOur5KAjsjGJR3c4U=","/assets/bot-BU_rYCeL.js":"sha256-7kqU4mzIxUhPcSyRoaQoeKts84zuKDCPM7mrUbNbxF4=","/assets/bot-BuU5-oUy.js":"sha256-eeG924xh87LxB2S/Qn9t7xLLEmSM90g+RtgBV44pyds=","/assets/bot-DI6Vj9Hd.js":"sha256-E3yRxheQ8MVOBcoYE6xYg3mll5Dov8jbJ7tLX75o0dI=","/assets/client-tQhQLJuh.js":"sha256-/tNk7SslnaMmGehLKNgMzODc/YtUGrB3K3TAO/XQaTk=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Dj1wb3LO.js":"sha256-1TUGgNZKnnoSusTz47O1kRbYtPVGfoTUyiu3wXEnB2k=","/assets/es-iUjjqxC1.js":"sha256-2TGS42q3cDomfnTfOK9Yu5IJFVLuAXsRdkaxGblI1wQ=","/assets/first-B8gBscC-.js":"sha256-lNBjHvAnjl7aJIem3kxyZ4aMriPV1gPyW7gsuqJ8Yh8=","/assets/fr-CHLGtUdw.js":"sha256-cf4B5QDZQZhHcxCYdi8iFILYGfgJl5zvr/UiuyRIhGI=","/assets/ja-H7OAf-DR.js":"sha256-2N3v/vuvWQnUJaVgATUJI2x9iBBFcj4IwmAhEOq9Mp0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-FMqJTJTJ.js":"sha256-gf4q+osL9yv7tGxHLBcoRKoHU/iSbQAjhoV6pOKMsow=","/assets/sound-C8moiBnd.js":"sha256-tsOQaw/Fic6cmC4dtc+Bape8jTUGxK84XgY1nubxMns=","/assets/style-Svtk3GHE.css":"sha256-Exz/7nIhXgf1FyHCvFVadRxoNK1P8lZ5pKg/5NxrKnQ=","/assets/worker-CC4oJU1j.js":"sha256-hi4yO2V+T2WGW1Kyu+cVY/94RMgwvfhCvIdU5mVEyEc="}};
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
