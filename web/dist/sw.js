self.build = {"version":"5JCiiiX6pZh+67Ab","files":{"/offline.html":"sha256-nWx5aFF65fdNLDcoO5GxFF5BvUIsXKN9DXSAW9z2TSI=","/assets/Account-BNYJvYwO.js":"sha256-0+0I+ruLkmTdX5eXx1Wzc/xD33WZ0Nuw04DumSPYRUE=","/assets/Achievements-BClSZdYI.js":"sha256-fAdL6i2Svx19HLsS8N4gEnzHaYXMbqklpfAUlzTjxg8=","/assets/Address-Dztknbd-.js":"sha256-UCGnJ/7/cD7m1sV0tLstaKgZFwZOkXXgAuWT98H8RIg=","/assets/Alarm-CbBRfDpj.js":"sha256-hTMUYkx+NirUB6QIiyPPAwLlpatRppJWbVOLqj373XI=","/assets/Alive-B73n3O6V.js":"sha256-5/EagaMxGTq7YnfixswDTFIsY666IONhi9ojBOQYhLs=","/assets/Arena-Chiv85g_.js":"sha256-z7aSRJ8z/e/0/6v311fYAz04rvxc4CdVhiFPio1i3ro=","/assets/Block-BnckqNBZ.js":"sha256-Bn41cfMrOOAGOZxr31GEJzS14sG5FS5sD08IbHzsKfg=","/assets/Bot-6TLVZhRU.js":"sha256-WU7oWp7v2PRgLkYDcRwRhUBumCFC3JB79BZ9B3dXarw=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-BW1pbwM2.js":"sha256-looPvCOPy9sQAEbCwWSFRxSpvWO+5EKX0FunXb6q31Q=","/assets/Celebration-C_EXyhkB.js":"sha256-Va0qtcd5uPnummX3RZedHWBaeXoENDjl3rbpH47gObk=","/assets/Chain-B2z0slLb.js":"sha256-WMHzVfjCKmf5MsqqmCGElqtlYEMAN0N393ptzTqFwfM=","/assets/Company-DUCVY0Ev.js":"sha256-+QB8m8pON5n+5hs2fCN8qWm57Tju/v8IFJLkvd9NSHY=","/assets/Cup-BbNII0Bq.js":"sha256-371Q7APtM/8BtjkU4N7Tw2FcInWeEybidewtRW8H1jc=","/assets/CupLive-DocHqvkd.js":"sha256-Vq1jKRppjZiDmH08qAXDcZ+gaowQmp6CxqaZJ4R7OOQ=","/assets/Cups-BPm13WAw.js":"sha256-oswc965mIfdyF0Az/XoJgjBeAeQx7D0Q+LTDSueunJ0=","/assets/Daily-D4Hl714b.js":"sha256-nNXau9Peeuy6skDcC2k0RMISuIKcKooG2OATKn0/a3g=","/assets/Developers-Ds656DNU.js":"sha256-5qCWe1hM5rgZMdQoqMuQIYKavtZHiHUmBQkI5lgfjNw=","/assets/Duel-D1hV63Kn.js":"sha256-vwXxg6kihOy2Lk6fgP4b4+cUUggxL8Eae0AjE6+Bu+8=","/assets/Duels-D6eiKoGq.js":"sha256-O3ynvQqlg+SZ9KTctn2lvmRBXIyKPQbxoSmRqsgZD+g=","/assets/Feed-x5TMuDXh.js":"sha256-od7vL3dwD5UlbFM8zqyleLgGLPIaYp4E6oXs55ucZpQ=","/assets/Help-p3OvYUly.js":"sha256-sBVwMMyOynP8SCsxjPUt+Oyy2uE8WuR2pzgaAo1yI6Y=","/assets/Leaderboard-2V3y8wFF.js":"sha256-D/0XKw33aB42CKUbfVT9FymnyDiFbt5oFK2Gx1VM3+A=","/assets/Link-DCL2Qg_8.js":"sha256-zPkR1AQtwm345IAD33mn6263d8TbLg0D5CYyD/5lGLc=","/assets/Market-bMZ4v0yK.js":"sha256-dlZ3w7VJ5RICPEgemPeTFB4l8CdZ8cvwz1fvV1xuzJU=","/assets/NotFound-eLuzqvrj.js":"sha256-vyzzhpX7URFPMXcSbF5erathBvn1VML5i8tTKKWix44=","/assets/Player-Dz5L4k8_.js":"sha256-HXCTzGdarB0xEyAqKP1JNIAlKGWtbm3dA+DTEKTKYpI=","/assets/Portfolio-vICQowbI.js":"sha256-tBNXVtXe3rQvv3o5CMhNwnXH+CaYXU4eNParWHDSmAs=","/assets/Privacy-DfM1nJfV.js":"sha256-HHQjeKXtLpohGkwSA1dhj/HMqBkiYXtO+qpHnpcfgTY=","/assets/Receipt-CjPh65k4.js":"sha256-HKlbEP6sRnnowar/hfHE65mDkiXTtXSVnMvw+9zDvUs=","/assets/Record-DlRYgIo9.js":"sha256-fKjAsuIdRe/e2XVWErexnFYKM36vmu5m7eAhbTNCpmg=","/assets/Reference-CO6BKAaC.js":"sha256-E/2HUPFX7JkT+QJicSsP/wZau++/iT5sJU/i4qBVuTU=","/assets/Rules-Bv3Ic5SJ.js":"sha256-zWlZTZd61mtHdTW6xMaGtCLI/QuoqxQeTWn9T8wzsdU=","/assets/Season-C7SLuwDd.js":"sha256-yGnm0ON4eE4TR0GCJm3tiM4KPsMJyNqAjuK73tzu9C4=","/assets/Stats-qll4oTnb.js":"sha256-oNuOqV/6dH3NeXoPgvY7tOVp0mucYsk4O24m0ZPPTXU=","/assets/TV-D1w1qWKI.js":"sha256-/XEyBoxpC0lz9SGz+kJY0HRyjtlxdl/hNxeVlhNQv7A=","/assets/Team-CiiTVDPQ.js":"sha256-iMmzZk1idsLZv7GYFZfuhfn5PVXL5ZX5EqaIeFIGjGY=","/assets/Terms-Cn3TqU6L.js":"sha256-d8TYbyV6+sKDNCg+hKg/XW7/NbS9VHy2hm4YQO+sPng=","/assets/Token-B2SRJUPA.js":"sha256-BRk5u5UnL8nZGhccqk1mlgDHswM2KIFDbh5Atb3T3Vw=","/assets/Transaction-CBJXSka9.js":"sha256-wYho0z/QvfizdCk62RcQ6pA1juoxRuYSwGwmAaLYByk=","/assets/Verify-CtwxQLrD.js":"sha256-SS0JKxUJvbLH+cMkimDVne3nKaoBDlO9fHt4quWhSVM=","/assets/WhoPlays-BFvBnXjd.js":"sha256-44P8QVCmv5qs2fJLvnNlDk5U2h9V/257DvHdime3zvA=","/assets/arrival-C1iASR-S.js":"sha256-+YgyJWCTdnAIqA55VSN8PxdPszo5bB9AtysYBW9I/hk=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-Z4PLWIBb.js":"sha256-/Ayb7tg/kRlSJRb0pRbpmKkxaA1OaYsVodQu/Qa5ivs=","/assets/client--Aak3SQ8.js":"sha256-MwVKd/19iTgKG82RstveiZ3nCauso5D2JZsHn1ST9Rc=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DDWXKS-0.js":"sha256-OCPcXP3JrMNzq0oa+V/TOg7wrhgmy6XjnwAgLxhrE4Y=","/assets/es-Blp7zQ-i.js":"sha256-7qfk27rjW8RmiWst3m1scF+7MKyh9MFnv10dX1rRLUI=","/assets/first-BOLEL7_T.js":"sha256-jEU0EtsyexCeAllDA9NtHtY+C3S7+DuF4eAb2UFo02g=","/assets/fr-DcTWrZMB.js":"sha256-m3avHnJQnmFegzxY0IF1bpdQNS4c9vdgRC0dps2nVbg=","/assets/ja-DFpsQRek.js":"sha256-Jej60YHlXHgrr64vZh/vVwxs6qRtdCcI/rLqOgh4z3M=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-BN5yrTrl.js":"sha256-r0aRA0ELjHODLE93YreWvsLagfIV7/O8w0BOS2ACHHQ=","/assets/sound-dJdCFfTr.js":"sha256-D62L9zBS+biVjhoJkKsBnInp/OAfpmj7XwDHF2/9ojY=","/assets/style-DolULQ8N.css":"sha256-5i2w3uDjimzAoQMH2K/yCno+Nzw4QEVApCD1WmTeknY=","/assets/trace-Bxe0glAy.js":"sha256-lWVb0WvPCxOX8jEMzvk06QhCuj0RzamcIi/Avp2VOUE=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
