self.build = {"version":"yWRPpeWa8FaQANI9","files":{"/offline.html":"sha256-G4NGUFPTQCU1YBVGBbLyqxAWqRAYyjh/LdHbZZqkJ3s=","/assets/Account-DV_J-IFu.js":"sha256-nsVyiVJho+MNMFRIDe4vZpEG1PlKXPaZ0A4G+HHbrik=","/assets/Achievements-BJiyr7L0.js":"sha256-cp74L6vt4Vm3c8pzUJoK1neq+bJo6RGEDoAL6onjxhg=","/assets/Address-BNxBSz8o.js":"sha256-+WS03YxqoZwuyLf2DwHp9aLOcq/oyx5tAJ2Lw1tVsqk=","/assets/Alarm-DCip4i_B.js":"sha256-hJcBMro1z+Jhk9e/0dEkz27HklvaNn7o4XLjyGBlGh8=","/assets/Alive-BHJzKngH.js":"sha256-EyLHnrFiB+WWlmuQ2H9F5mfvPsAd59Kr+hsGoAwa+lg=","/assets/Arena-QDxMVKnw.js":"sha256-uOSvRw1105yZP+d64W8/yNnCh7LQOVT0NBDScxTHvfk=","/assets/Block-8D11mIpw.js":"sha256-VaZZ2/fl3wkj/jIFlRf070V6Owa55fO8ls/bPMP1vfY=","/assets/Bot-BwX59oPZ.js":"sha256-NJHjlsLqg0zxx49++djB0E6dx9eDfqNZJVtikux1PlY=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-CHxegHBa.js":"sha256-b5ICc3rNLVHDhi9hmBwdtZw/hNqN9fSBHF/UjsL0V1Y=","/assets/Celebration-BwlczISd.js":"sha256-1gpAZLY1i4V9s9fMu03PGLvfgPwu38EN+r7BG1XIBHc=","/assets/Chain-CROBV2vU.js":"sha256-63YnD4h6/82L72iHPnjQQVTT/9/3ocxOKUogtI6Unts=","/assets/Company-BYZzaEki.js":"sha256-nsA/d1KGc2xoSFU2Bm2CxqLW05mpva0hhWsAeIHXgQM=","/assets/Cup-G4Pzppq3.js":"sha256-zAn79I4YVfUbeihZsATSo0+kTM9VB4qnpku2KrPaBew=","/assets/CupLive-DbifeFzZ.js":"sha256-Abx+R8WpwswsCtvXYGtnGagyDvOknPKdJNlFSvvCUkk=","/assets/Cups-bK2Dp0Ax.js":"sha256-ELg/9DmEzDnr0TUJr+QwwV5zApLNd62bSw5JvSK92Tw=","/assets/Daily-BYM0Ggnl.js":"sha256-vaVnJ5bkp5GGJSzWVPFYO14IEf8WrW/4FqX7Fc+BxzQ=","/assets/Developers-CDt538rv.js":"sha256-+tOyW900DUI0U7H6jXzS1O3DrozfA2oqyDVEMDSLuLM=","/assets/Duel-DURouLcf.js":"sha256-YPNi2BuQn/9GPkUSQOoA/EryIrE2BixpUDB+hi8n3Rw=","/assets/Duels-CKu6qk6W.js":"sha256-Y+d7rjJlPZILGLA+YkKkOuFySYmmWW66j15gVD1FFeY=","/assets/Feed-BPwQxrs3.js":"sha256-7hmhofXoD477QZfsZSovYxm1kSNoJRLjoQDS8CXiqc8=","/assets/Help-p3qcCjIo.js":"sha256-sgvewkpCP0bbzxhD8Cl0QXvJtgBcrJNdBMODrGMIq5k=","/assets/Invitations-DqqeI8N-.js":"sha256-Mo+bAO4KZwDkqk98H6RwEp9VW21IjY6+Yc+yizrdf9c=","/assets/Leaderboard-F1gNGnWM.js":"sha256-fPXTZuB2LfeWYHLdTDa9TSygEhGvCiDploG/iQt3cMU=","/assets/Link-Dj-84jto.js":"sha256-vlpYHjGLq16AfsdLf3L9aREKgHnPfNGJDSqWkE0Swm4=","/assets/Market-Cg13-TKs.js":"sha256-3ySK0CuhJxrX5WT+BckpNBU9AA7Z4vo2z9SKo8EmL3c=","/assets/NotFound-B7ppxCeG.js":"sha256-YfKuS5GokcDsh63/agQyqVMCyvWfVyR57s5MR2QBRgU=","/assets/Player-Bw8egufs.js":"sha256-1OU8De27TCIlTMlDuPjKz2ml/eKpYy5aOpaJvd5wtmQ=","/assets/Portfolio-r5NjSbM6.js":"sha256-beY9OyY5FiYYr302VE5+mi07JPl0gZdS7cV2MUl9Vjk=","/assets/Privacy-CK2Y6a2L.js":"sha256-GB8PwePPZmth8Xc3PcLO5Q3fpwwZ0jBkRzjg7+uwSc8=","/assets/Receipt-BgUbclRR.js":"sha256-ylJ3FlWjDuO6qHUoSm6FvazXt2XAqBsmJstRjxokqGg=","/assets/Record-CMe_29ng.js":"sha256-7UG8XPMCpNLV0z+Eash/xBf+YggUSAxZj4yL/hoHB0M=","/assets/Reference-fgp8r-in.js":"sha256-8raGTqE3OhLbULJHTgyc2VvzWLLmydtWC/EQq5OR7XQ=","/assets/Rules-C7BFlqWS.js":"sha256-cdyrDdv/jRgL8YA8ka9wzfmJkDKPeGjEoqL1vi9Ee3c=","/assets/Season-BKiWECu1.js":"sha256-dXG6ngpmeY14QfayoNEsCSQ807A2zK8iqqdbc5vOi2k=","/assets/Stats-DInhNpeO.js":"sha256-AHj8fI7AXkiK++3UJmErXpSsgmWNLC4nlxm8fjCiqAs=","/assets/TV-OIolNcr9.js":"sha256-qHwz2kUeZ22TvYrOzSh9raxbVKdZcZHXawW8ViIi0cw=","/assets/Team-DzF6gjG7.js":"sha256-DpFsMLC/slICXHA70xc8QBsNOz6E0p6fuJ0ZnZktChQ=","/assets/Terms-CsSr06Vr.js":"sha256-5+rCy/nShIg3xOGsSh6H49T5jDTYRxXxMT58flW8bhk=","/assets/Token-CkdvTopK.js":"sha256-QBsdiLCje8h6aZ75HrcjS71jjTeRXv6FgZvQejAgLB8=","/assets/Transaction-BQhgLk6C.js":"sha256-465bv+mJuxHbIzo45ASa+XT6lqVNLduO4tmZlpUCejk=","/assets/Verify-DOn8poxN.js":"sha256-/FYnzeyLFj7zQlJtOGB/n2QOsG9Sn+bOlg1ij2GNCEc=","/assets/WhoPlays-D2L3dP_G.js":"sha256-ugcbYDwCba4kXKrbrL3VrF8IlwQul3vWOA+nys3iBdM=","/assets/alive-BOux4aeh.js":"sha256-4yKkfghS4/5q61mN48iEErzXRe99cPZc81Ex+dQ/rY0=","/assets/arrival-BgHID0lD.js":"sha256-bFG3iUBkWx9DZDGid0jRjQipF2LADwh2vJeEpKKKYo0=","/assets/bot-4Fn1brfH.js":"sha256-+Fr06JlteL51gguFu8sFXlWCnO58SGJ+L/RrQhbbowg=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-1zzF8mEx.js":"sha256-lJ4JaJMG+FpH1LuF2vwyuZLFcwFsfNVZzNVU0MSChZ8=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DejnaaP6.js":"sha256-Z8Lz7uGxmcJz5M00TAvP61yeVWL4Hw6Gx0ux9WvOESM=","/assets/es-bFTUdEqY.js":"sha256-Xo/yD27zUlZi+vr83GmvTOl12tEtL+EP8j9CSX4ZPB4=","/assets/first-BPbR_fC0.js":"sha256-QUWHdswvD8KswVjc3JEMVSdgtHxU4ln2TQMfG6oN03w=","/assets/fr-Bywje-Sv.js":"sha256-/KhwW1ys6X4PlidMkx2HwWDB0tIhCzivCzWhRZfRXKk=","/assets/ja-DaAeCcTV.js":"sha256-hw6uGKMd39Xr2J0pwEGZ/PKO+lWilKXPjgjS3p+U0QY=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-Dh4p8-DZ.js":"sha256-E6ZeLk4RgbT0nItD0nySZMd3h3TYjUhloDeGw/uvLXU=","/assets/sound-D0-CR_Go.js":"sha256-aaBhOtmyoRTXmg1NFJBHkMFgRRTLNC5zcv+gJoS5hsQ=","/assets/style-BCGG7Kiy.css":"sha256-UbHAy1Pt/8IwTJYlUTf8gKUnAC4n03vgOmZU7HTKf/0=","/assets/trace-DxtfVqwx.js":"sha256-MVjvtvkSS9B7xadNnKEapq7ARc+6YFShbVLcHDQkrow=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
