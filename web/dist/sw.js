self.build = {"version":"3Y1rwBp0TE9+jPdN","files":{"/offline.html":"sha256-FVAltD/k3KTwv3E1UpSpskK0leYauyJ+pWkuMjs4fDM=","/assets/Account-sxRzs4mo.js":"sha256-Zxx/NgfUHhYLGsMJvSGrqdFwpAli1Lg5zIdOvtKeI4c=","/assets/Achievements-BuI810ZR.js":"sha256-aT0LnPJX/4Df617CKagXwnfWidtEraLwyvcHXOqdz3A=","/assets/Address-ry_HaZW3.js":"sha256-+gsDwJAfKclKNmDgeHCBy3bZUvyRHGQaLqgbPY0Wzig=","/assets/Alarm-eAporsE2.js":"sha256-zswKZ6S2WRGPocw6pxU/GVMZTP8t3pXQlno3xA6dT+I=","/assets/Alive-u-vhpS2Y.js":"sha256-ltbGmJR8Qg7waQpmenTbsrSpMz44dbEE84Cvs2O9pqw=","/assets/Arena-D_UUhHH8.js":"sha256-esE/alCm+hPZChqIjkMuygil5I4dxEDuICRZEhKI8Lg=","/assets/Block-_i2vwNee.js":"sha256-63FOtyS9jaJYydClxo4fIWnzZDKsW7TXXQmhpHkcUFg=","/assets/Bot-Bdlq3NB4.js":"sha256-WRtVttR1Ipwtzelpa2jCBvVqyEv3kC863l4ZlxhHqhU=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-CFI6V8BO.js":"sha256-69xAPIw3iV7uVuwB0pot8M/fsuNHrok0Qvm8ROZ83zE=","/assets/Celebration-DFb4iFuw.js":"sha256-GMsAiA+o9OSlY8MsYBFtdHrpwms1vEts64ECopAcebM=","/assets/Chain-DocAdc_z.js":"sha256-qpST0ueo2bYgdhKmQIb4YBVBt886kWcy9xi3b7rmnhU=","/assets/Company-zuaYthnC.js":"sha256-sbccnLfaDEHTkOPLdzLMRtg9GjytPzJ/4ABKX9eNMJU=","/assets/Cup-BHrB_-bN.js":"sha256-ZcqGkK538LWHG8NMptsgCBK14vI2quVVFBRRgFKoe5Q=","/assets/CupLive-DIlfMe9-.js":"sha256-+xXjMVoEpAr/NY6nUnzPo3DYslERjBI83sea2Vrs+YE=","/assets/Cups-BWswRbca.js":"sha256-fo9Y1AsW6eE5kpfFxFUMwPdMlN7zc3vUmJuACbU2rx8=","/assets/Daily-DdLVf7Xn.js":"sha256-3EDUGmqDNMQDNQahAHV2RxnAtKh9P6RQHc8YhRiNw+E=","/assets/Developers-Cv3ZtAC8.js":"sha256-bSI6uYZf0qGykjLjgoFj083FBDQF8qLY/8tZE0/WRiM=","/assets/Duel-B8Kc_yGk.js":"sha256-6o5iYx3zaaBDGdp/D4voxAZ5EEruKkxY+X39/MLCCU8=","/assets/Duels-vTPlTotO.js":"sha256-gMDSTNu6ON074W11JcsK+jCNJJQLHLe4IIA/94Vp31w=","/assets/Feed-BVZcqT87.js":"sha256-uQvJh1sZlKh4hyZVe3kYrx7Iys3nToytV1/6/pQR8Vo=","/assets/Help-DUIskB_l.js":"sha256-C8xeWUfbgRwbrkNAK2OHckfsyWyjhMczVctk8cPPCAg=","/assets/Invitations-CZ7pyY_d.js":"sha256-qmd7Tk/aAowuJUpCriT1rLjUJTyBjJvgYlHiygIAlVk=","/assets/Leaderboard-Bo71vecl.js":"sha256-WBsfWj5kSjVKFLH4aRyly71VuTOcJ5qW3Co3kfUszjg=","/assets/Link-B4zOoJf2.js":"sha256-engKVbMVqDJWQVA7W9Mx/2RaoNEwuz4hAmFNzR2ngYo=","/assets/Market-DVyfN14o.js":"sha256-yfoNpGa9FkMfjNOBj8DW6Jj1mBOx1Bh3CbxikUnUfW4=","/assets/NotFound-D6koiTdP.js":"sha256-hadkt2JEDAA7vSJb4WVwUqOEG31/xXaAK8fHsD6jOC4=","/assets/Player-BMucuq7v.js":"sha256-holC/n1visJsM/iKiUe7RDeCinphhNfFvfTh65yPMa4=","/assets/Portfolio-2GsOHA6u.js":"sha256-GGuCsY2ivSB24PeWdzBvUmWm/x382Pz5cDnQcSw1zOw=","/assets/Privacy-BHYSarzW.js":"sha256-7ptY98+cO40r+BBZQs5xz99Gxg0hVWisfu0BZb1mYCw=","/assets/Receipt-P6oxp7Az.js":"sha256-1AvAGXASt6qHLQOaC5IDzkhbGrYwuPEMWZbkHF9R3zM=","/assets/Record-DscR-tbS.js":"sha256-xGhO+IHOghkh/4ohLZVUL3rLaF5r9OB4oy4ZdpqugyM=","/assets/Reference-CG4IVc_t.js":"sha256-n60oP05+Hz3pl9DYBYqa+1cvfNptuzxbXSLJ7YcYLc4=","/assets/Rules-pBaGkcSJ.js":"sha256-IkzHBnooccExsGHyIa21hYp5JeJcctySj2BJypZmu/8=","/assets/Season-C5yx5YEn.js":"sha256-N1aSQ6CzqFAD+mSfuc62FUbryS+wDG14MZMPukoLhQ8=","/assets/Stats-Bpaperuc.js":"sha256-vnQhCPDJ8wcmEAccdKVo5AbikPxcv/9LnBm9r5OTL5M=","/assets/TV-o2pUiqm5.js":"sha256-fK5lUUkkImCrYNMMjDQHyXGEWI80BwxFtiEPP9cvpYM=","/assets/Team-C3bZjeH5.js":"sha256-tu3xDXXzNB7TpC2/02YfOqJASfR3t4ZPcIz26FxKMik=","/assets/Terms-Bw-01Xn9.js":"sha256-9h0usCmBVIaT16HFN5CGTcdhFrEZwzsxaUQH2yD3qZ8=","/assets/Token-DLxquCU9.js":"sha256-k9S8YfmJMcZE9GFZP9CVLNn3AyUctBdJWUB3x7LLpxM=","/assets/Transaction-CEYfQurr.js":"sha256-VXdxku7J1PjrJ6pLTKU/VFBhuU/v7GL87i7FqBorDh8=","/assets/Verify-DsMbXrm8.js":"sha256-3LD0Ckkd9Sz9TG8QDwYdxzo49X5ow3C8hqEMWEY01M8=","/assets/WhoPlays-BxOjCScN.js":"sha256-R0jcY994C5FEjl6uoESTrY3BQBEVr9FR0SEFmEpr8PU=","/assets/alive-n0wim_yO.js":"sha256-hEUAQPiEEOgJeQ0K+4a0JtAnJRUd+mY2ZXTdXdDTgmg=","/assets/arrival-BT7P7Og7.js":"sha256-gcoSJ7VlZFalv48NL7WNrTRBt9qvnRBPxGZm+Jt6Q+c=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-BBTGFPFN.js":"sha256-JnwsFVZAPBogl69CSiVrHdzgkgTBGPjUGyR/1vJLH+k=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-CAKP4Ysw.js":"sha256-NuzCIx7mu7AiiqOIDPvQMXf7UtmblpUFVZbyrwIvtgM=","/assets/es-D0wTk5IR.js":"sha256-VZ6BCuN50lGZ5iEqe18s9oOTXwhZoXJwPdkKlyfrGNk=","/assets/first-AaN5DaNH.js":"sha256-CgGaur5InVMehaFK6BDp1RA0QSmsn5aLCHMDv6Sp0Ds=","/assets/fr-D1Ii_e_2.js":"sha256-ZP2LUZTWC2x60ShXoUApiCJYp6oucHtfU7HHZ4VxAvY=","/assets/ja-D9e6PfNi.js":"sha256-Vd9v0siV2L2oziW8hOcS9DJOTsi9SZKCu8s49Xm9o/M=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-BK1KH9LA.js":"sha256-rpc2jlBmkiHQ7zdgivdfDtD61d1Mn65kZ9VOt4xa9jM=","/assets/sound-CYtIsFd4.js":"sha256-mZVHfzx+sy9BEKrovkD0XBZDMEVKnt+Azx0C+6/UgYA=","/assets/style-C7wYITPv.css":"sha256-Q5bm76Hc89WyGntyHhrTXwiYMkuIZFxbGZzJp1dcsik=","/assets/trace-NjAWo6yw.js":"sha256-5wyMo8ve0cEgvHFDivcw6aLgDeF2KK9vTVI3KTue+6Q=","/assets/worker-B7f82OnW.js":"sha256-IKdZCkgkDs8KQt43djoew0u0RW/AX2u+vFRz3sIxIB4="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - A document below /docs and its pictures are kept when they are read, and answer without a network.
// - Answers of the API, the log and pictures are never kept: an old balance or an old block would be a lie.

const { version, files } = self.build;
const kept = `roshambo ${version}`;
/** The documents below /docs that were read, and their pictures. */
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
  } else if (pathname.startsWith('/docs/') && event.request.destination === 'image') {
    event.respondWith(openText(event.request));
  }
});

/** A click on a notification (stores/notify.svelte.ts), whose data is the path of the page to show. */
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
