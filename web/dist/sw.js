self.build = {"version":"Cy8Hue9m100HYywZ","files":{"/offline.html":"sha256-DOEHzWt+xPkO3KrNjZOrH853LV+Fz7yxc7lTzs56WEE=","/assets/Account-BF25l8vZ.js":"sha256-rb0q1G6tevsSaeh+MMcX29cVEGc4POnIISDzbX5GMLg=","/assets/Achievements-pgqgVjvL.js":"sha256-ygivLFWBkUCmNfb27NbeeoLEVzqLRtgQs4vG7+u6hEU=","/assets/Address-CZRrra9J.js":"sha256-+AzJnl8r0lObyEvlqYyPOqpCLNnIp01r7lNsRhz2QFI=","/assets/Alarm-BHSDOgDE.js":"sha256-J8LAlIMVWhxSzRqcnwHs5v4Jm/AYqVzUFf3SJI8D1no=","/assets/Alive-CPdgSwwf.js":"sha256-WNZWgG3HFQavIF2qY8xUAzrpm6WDDooy73HALtC3M/w=","/assets/Arena-DhcYr1oR.js":"sha256-5R13xqBmtZ/Mn/yFu7uCJ/O2m9AOoHaDzT4YEfUDFkU=","/assets/Block-Cn0qyMA-.js":"sha256-LVtfdO1Q4YdepO4VauspH6B4iaKmxTBr1AzY5lzr19I=","/assets/Bot-BQy8sLDm.js":"sha256-uLuxf/da4HXVMd9gqI/OgauGSIv1/aWLKGea1AAw5nc=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-DVCSe_TZ.js":"sha256-caYX2O3vWslaZQYqKhzwupZ+9QpsUMkBcW/zhEhLQEY=","/assets/Chain-b-pb3pp6.js":"sha256-Cm2yt63txp3QQc67usFfvLtmo76aRqZMTNIW4QLJhY0=","/assets/Company-B68DZec6.js":"sha256-W6y1dCha5PZt3rgRn4XDJ3UE/b6uldX9nnKriumXiNQ=","/assets/Cup-Cs-mOgb3.js":"sha256-FaCpmOrZqBriEWZrjRrItA6Zj1u4TDuiNpK60dcQmiI=","/assets/Cups-CLLHmUUx.js":"sha256-QoBUCqhCL+XiFWwYr9AEPa4skSprzNDMcgtQmBrNk3Y=","/assets/Daily-0Hv72ZwZ.js":"sha256-ow3Qfs0UzQKVgf27vFnc2eWe724l76Lfo2uDIA1oHtg=","/assets/Developers-CEZvHl80.js":"sha256-PVoB/IvcQwTboh2P7a7YHQqiIZahLue/0wztInE2OxA=","/assets/Duel-DE6YULJ2.js":"sha256-3eAzIukPCP/PUYxZsOvh6jKS8F1/LXEcRct2L+qaiwU=","/assets/Duels-DcBMTH8R.js":"sha256-JVU4Zeh3C3AroEJ0IyD9E7kDnkabc1rhIQ6Spl0x21g=","/assets/Feed-Gywy8MKL.js":"sha256-G0bzHlnkPqc5b86hm0RSAWubmzfnoQ5xiUgz2KXfA44=","/assets/Help-KX4tgvXq.js":"sha256-mvZ+PxH2O3h612VhiRsUUvmQtBVzppyQJ6Rr71cJwjE=","/assets/Leaderboard-DctuG9si.js":"sha256-v0Ut8XrrIf/Kxe8elcMqh2efAavTobgtyCPZ99BfN44=","/assets/Link-CCEKvXHW.js":"sha256-aVuG+jkd2A1N9unJVCK5nqF0O/BEMsc7C5b77UKCmNY=","/assets/Market-N5K7sjTz.js":"sha256-abW8gMGtungEHOdIBctJJjOld1YFlrEtfHzvbEMHO74=","/assets/NotFound-91u4qnsB.js":"sha256-eX/2GTBWrky3AFiUvhT7Ya8+W1VVcHC5XveEWnU+kIw=","/assets/Player-LtS6TkmM.js":"sha256-hEpPPmsTIGB2DY1kg1BTfc0XtkKg7QeS41Q007OAiyk=","/assets/Portfolio-B3NivojP.js":"sha256-hHEcqxZub7FqSK1cUdSOR8rXtFUxb0vUxhbll6jujTs=","/assets/Privacy-DhwSLGhE.js":"sha256-hEIk29jaBXScJqf6NV2voK/eHK25HcyXHDsgJkusgWY=","/assets/Receipt-Cnis6Xcv.js":"sha256-wLBPSZ/qot0FBT09RWfJKDn+kK8uWCAFehjyF86yODY=","/assets/Record-BTqYZ-jZ.js":"sha256-/+JtUMwCJvM0EAbkxp/qNLiNimsWPzDQiHqK5iR/y6s=","/assets/Reference-C8X1qM_5.js":"sha256-6KRwMmsL5AbhjbnDQaPUFLVzpzQTQILRjHa3lf5+8XM=","/assets/Rules-KIfG5XVN.js":"sha256-2c86xxvni+eqAdNnKbMZvuHKHmZxBU+6D02+iI9bQP0=","/assets/Season-BUbz0OR0.js":"sha256-o+YviMS9NXz34/e3rDy5nq9+JtLse7y+N1ERthSAbf8=","/assets/Stats-DGXQsAgH.js":"sha256-LmZIT0pA8u3EjPRN1kUoFvCvoxjOO/vJJroF60FSAl8=","/assets/TV-BjiaFRaY.js":"sha256-WeK24M8lWVZLVkiZl3PFWyHiL+tVGRqCJAZb0LCFhkE=","/assets/Team-Cppo97ys.js":"sha256-PXrsbx3LHbkhbi6S93tpXXXVjetwUvGElVdMGsuHufc=","/assets/Terms-BO_-pspW.js":"sha256-wL+HkGvuY0vjr4duNfoKuqhoX0R9rZC0/I/63s3m8Zs=","/assets/Token-CJEe43q3.js":"sha256-Ph8ObemJzpNRao1mpIxzrYvUM8/V/c+LK0GWpKKdEnw=","/assets/Transaction-DsQN3Rtq.js":"sha256-uuhSMsaN1HSGRAoHWOIwPJrzzsxoogfaq7+vuMQLMvg=","/assets/Verify-C-AavF_K.js":"sha256-ATGgLwYQ3d83+nCWb6jKM9zlxyiNCucVMpT9MHF5lIM=","/assets/WhoPlays-7jk8_TnR.js":"sha256-SzAnXwoaCAfRWBSjrYMDnOOgeaqqYuf5ZlA/Bp7mIWM=","/assets/arrival-B7n-axZ_.js":"sha256-hwmC0G9BqPLnImx1OlQfOSpmbVBjm4ZL+WwCZ1JEVdk=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-DTmOYvf9.js":"sha256-6XHxCs9X19zvTCx7D8MJxyVBWLUt2xdX3j/3Fsz8gSc=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BaGa5LF9.js":"sha256-7/fE9xVj2So70iCgQgiBx53BBJHRKdYZOwfCy8NGhdg=","/assets/es-DxCHJySl.js":"sha256-D6L3lC4k+xGaS5/GFW9A2RXWxVYZoJtDMWmt9D0Qhsg=","/assets/first-D8PYAS5U.js":"sha256-dy/GSVl1hIoJBABuqtYoW/mnLNoqChETy8+D1w0Giws=","/assets/fr-yYaQPa6k.js":"sha256-FwWQtIiosG03cxeFRQRVTFXgVH6agdj6P6y7SBQJodI=","/assets/ja-cpJVnZWT.js":"sha256-S+FpOiwRjx4Ibp0/uYGr5KA7LxMRRQCl0T7xupeF8j0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-D9xu_C5X.js":"sha256-N1uUKcNe0YrrRJawAvF4LDLEc+DiJFy/vCQNp+niRMc=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-sYyF1yGO.js":"sha256-p3BsvEe6twQvLxQqdUSYCJjCJWw8hhJCsQR40pKVYfI=","/assets/reasons.fr-CoN_-Jn_.js":"sha256-kwk6tHgeLNJPXIXnd6G1O0Iv2u7pTPqjbyKNX73X2EU=","/assets/reasons.ja-BBaegZOE.js":"sha256-6ImA6Cp0jd48QxPgf8V9iEh7Tq6F10Q5gUIGNPRcnZs=","/assets/shared-Def9RDmb.js":"sha256-pTTY3tl0j4FcmAF4bBD/0bYLnqB9UjHnPXurUMBF9L8=","/assets/sound-IfLThX3o.js":"sha256-XM7OzcjHlAUsk5pdAD+1O8QYfg8CUn67mwOL6q7XM7s=","/assets/style-ClS66KPo.css":"sha256-8gOVia/EO32ibcko3R7mlwtS6Mf0WPGxj4YIxlvN3H8=","/assets/worker-CW8nbI0u.js":"sha256-TWu18QZ7CMPoU3HhghAsV2ni6GCL2RQSABDCd1boK0c="}};
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

/** A click on a notification (turns.svelte.ts), whose data is the path of the page to show. */
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
