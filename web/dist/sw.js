self.build = {"version":"5oZol+7FNcY2DelU","files":{"/offline.html":"sha256-bHbasfxsvWDTPNW1yLJHdvkMuJ/jefVdJHHOPZGrGaM=","/assets/Account-CX_lYerr.js":"sha256-5MWzOiteJovOrie88YDOm/N4H64kW6G3EPkTlzITCdg=","/assets/Achievements-Dm5cHE1x.js":"sha256-9RwrXyIaN/F8+eInHZWrGajrO/hXsx0djGMspyA7YQM=","/assets/Address-C6s86vLW.js":"sha256-5yfvQenwQabyNj+IalOtX+OTmsKPeI1WdU0ca9TvuoE=","/assets/Alarm-DJ-JwKqZ.js":"sha256-ViiRoF/v0HTMCjzP7cR35oajf3xSJG/cM3LCKpS4354=","/assets/Alive-BQukFsXt.js":"sha256-4/rixMyTMq1120pOJU00sw8xZVMXNXeYjr7a/amcug0=","/assets/Arena-BRefHVW3.js":"sha256-Q2VNvilDWUtrPizYmeP7sVWJyGOiDJnsGCrSznFhJJA=","/assets/Block-BTW6FVZ5.js":"sha256-fy6Go+8GaqKTpaHLyndRijyLLxw8+krES8U1JpwGefc=","/assets/Bot-Dn_ioHGe.js":"sha256-z5/5UOb2IbVX95IXg5YQAci0BUDVM/w9AWn46IKrGaE=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-bpNEMBYk.js":"sha256-wznUSDaL/c0iXK/WBlc40xGJrSdekjwJ1h1j47IYG0A=","/assets/Celebration-q8gVmPKM.js":"sha256-tIsWz+KT8TkNVb4bvL2qY2OwbcOVcKGnzK1u81LBSmM=","/assets/Chain-GVumY249.js":"sha256-Ij7TLnLJS10tcuzFZD1D4A9cYWHRH8v6uNRanv2Sp3s=","/assets/Company-BXtI7S0Z.js":"sha256-2lo0Mf2T9UBF6WLn3LKTFHEJIur86qcaK0fwVMPQmqg=","/assets/Cup-D7UvWn4c.js":"sha256-VDgvPAfDtXMURrK0xofebJT9dvNa1W19IhZ6Oz5iOYo=","/assets/CupLive-CLQoF0v0.js":"sha256-Gn1zpMTtt1YKymr6RvHQzph0CGWvH3+0l5GGejspgec=","/assets/Cups-vG2cd1fN.js":"sha256-3R8xaz+4Yt5bJpeT4jj8xwkN1wlgwd8NpaE6yaI2/8U=","/assets/Daily-DT9Hmfg9.js":"sha256-cXmkdxYeaflY2NRa0uWj2baNQH4GsSM57prMoPXcnL0=","/assets/Developers-V36NGxBs.js":"sha256-zOiVL2g9kNnG5L4OqsE+i6d/W8QE2pxlNKLUReevrB4=","/assets/Duel-CESLV6qI.js":"sha256-rzTsnub5prDduB8bAtd7AnMumwR9DTG19hz+4LyJju4=","/assets/Duels-Bh1bVVgl.js":"sha256-wbFQ39WApnfznod/s+3KpX7QXhy7xf1AWAbOt+840rk=","/assets/Feed-CgggPU6H.js":"sha256-MBbiJz2A2YEZhuU66Pms9VduIWjjp0C+bXc+aP+q4C4=","/assets/Help-BpudtF4l.js":"sha256-1vqXY9Hn6HCh41KwUcG3W76sFKUZj8DKg8LmaZXhvvc=","/assets/Invitations-Cs6KxPln.js":"sha256-Z5SfKD5jdDWxi+4qjacqViML9XujM7w5nofqc1+a6h0=","/assets/Leaderboard-D8yZ6T1Y.js":"sha256-DNhqVl7IZ/2pjmE8mpYGL+KLG4hOc47Q54zprgp8VnM=","/assets/Link-DuNJz5vk.js":"sha256-hT1gZQ07PwfopUNxxTKZMygTIp9eJMWwFG6I1zA+/aE=","/assets/Market-Bhcz2SbN.js":"sha256-59XJULmOYtsiYAuMGnfjcvo/I9KzfmiBFWXHuAwvzEU=","/assets/NotFound-Mql_MgyG.js":"sha256-FxsYOfz9HTt+Y+qG4dyiL0+f62BnhBO4odoZSZsNIds=","/assets/Player-DoAYDeTA.js":"sha256-M9/xL3lG+PAhBcpZCx4Y5Fht5uO15bnLCXJppbD2dlA=","/assets/Portfolio-BMoEZ_ZO.js":"sha256-dF6nyUaTx+E506e1Rd4CbC4YhEDo0gs29hWjR4fAqZk=","/assets/Privacy-DfGHN1lt.js":"sha256-HyP7wdp2yXEGemUnXDVipxieeRfKAmiLeXj6NNBgLVI=","/assets/Receipt-DHwcWkaY.js":"sha256-lwt0ehibdyCHF4pKeFR7VElmvmmOjFwGI5nthdBEWWQ=","/assets/Record-CeEXVpXY.js":"sha256-7hYIy0fXcGM3BjWNgRv8GtMybQ3cjaYYvTdGOONs/4Y=","/assets/Reference-C66clNb8.js":"sha256-oJkNWF+otlEXPKBR49jhipeY7VRkGXCqpZlGhLxfkC8=","/assets/Rules-BczjxPkf.js":"sha256-ykEFpt6HT2SbPWp1+qiNQF3rJyQ/UbRe3Y7TlR9IX2g=","/assets/Season-CbQE9PNV.js":"sha256-yb8nnjk/+l3GQA/hRkMMVpIapxnrh8HlguUIHGKQ2Jk=","/assets/Stats-B4jr8V7w.js":"sha256-k53GiH1tgz+B9H63fF/sW6IrQCHIQpOXG4zihWfX3TQ=","/assets/TV-Bxm8QYQl.js":"sha256-fPth99PDN1UL1nRf7YTEPX+bRA4ESil3LhA/xh0QHMA=","/assets/Team-dysybJdz.js":"sha256-n1bJ560TF2mH+DX0Oz0Piv3RStxk6rFkJUfBxjQmbNk=","/assets/Terms-163wtmNV.js":"sha256-J2MpBANuBRqCiROPNyeS669eTYsZg5OWsFu8Guq0x1I=","/assets/Token-BUIqbQAj.js":"sha256-4jNKHGokjOBlG143zp+BA00se4OvWSx+ixwYbWeb3es=","/assets/Transaction-DDViugAD.js":"sha256-lRn8dTjsnUGnHLxqDQQRGKx+ZKS2vY2hY/qpHF/asjY=","/assets/Verify-D3-AVQMk.js":"sha256-k2OHCBU/OxJc5v4KkuhQIlsWEW2aflugzbd8D1Hyh2k=","/assets/WhoPlays-Cae_1ZiG.js":"sha256-LP0tBkbuniu/YF1KrCH2ZGn+nfDtZde6t4H7osFloSk=","/assets/alive-C6UA4l3_.js":"sha256-ufHnS95toxvlbKgklfULVcjNJMWabMimcESu9iEvb54=","/assets/arrival-B6kNV6Zd.js":"sha256-ITXGyXF6JSFmJbvCHodl2Dducyxg8jusy3hqzh4PXos=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-BxoWpf-I.js":"sha256-mNHSICviAAJJbtBdJaYB1AZIj9z81cXbTMVa1FvFn/M=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-CAKP4Ysw.js":"sha256-NuzCIx7mu7AiiqOIDPvQMXf7UtmblpUFVZbyrwIvtgM=","/assets/es-D0wTk5IR.js":"sha256-VZ6BCuN50lGZ5iEqe18s9oOTXwhZoXJwPdkKlyfrGNk=","/assets/first-BGI45FHQ.js":"sha256-krW1sAqP3HfUzwwbpF3n5Y5+l72rGwzu5IRqov57DG4=","/assets/fr-D1Ii_e_2.js":"sha256-ZP2LUZTWC2x60ShXoUApiCJYp6oucHtfU7HHZ4VxAvY=","/assets/ja-D9e6PfNi.js":"sha256-Vd9v0siV2L2oziW8hOcS9DJOTsi9SZKCu8s49Xm9o/M=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-Cs-ijDob.js":"sha256-XyMMFZn1smRrNP46/lN7XT7lSRBAdF7EgEoC91InK3s=","/assets/sound-CBYUNh1U.js":"sha256-p75N6chSHpvVde7v1Y4GjmqOWKRXERUwfLG3SbTUbN8=","/assets/style-C7wYITPv.css":"sha256-Q5bm76Hc89WyGntyHhrTXwiYMkuIZFxbGZzJp1dcsik=","/assets/trace-DrtAK4u5.js":"sha256-pIBQdWOCydveAGvZOqUrWT1G2jCYOhHttpxcK9pz1Ks=","/assets/worker-B7f82OnW.js":"sha256-IKdZCkgkDs8KQt43djoew0u0RW/AX2u+vFRz3sIxIB4="}};
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
