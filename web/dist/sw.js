self.build = {"version":"VPC6Fmzx4Ts4X3NC","files":{"/offline.html":"sha256-p2S3IX/8LZAlFLzFCIfDYLZtbBt9tA6LNPM1UA3FkWE=","/assets/Account-Dj63hnER.js":"sha256-0p1lVsxqzgm8w3w7KO6I2dlg2TYjQrONAus+9rvQs3I=","/assets/Achievements-706UuUEb.js":"sha256-Pp1puwcCxs2b6q5h2cvP0Mdw36dYfRcl0rw8MGtPBKs=","/assets/Address-CAjFmuTy.js":"sha256-c8UbvaXDSn0n2/KOYwP0JPLEGYLrudKvsgtX5QQqGXo=","/assets/Alarm-BJI_qYmu.js":"sha256-nZILL+jqbDCXPmeTqXPlCFL/CL923rjBBZreVmDlAGM=","/assets/Alive-maUfseTt.js":"sha256-Xd/dP8MTAPB+QaicTRltCGKxM64XELjFOewbPkqynu8=","/assets/Arena-DrvPw8mt.js":"sha256-wq1ws158XKz3Lcs/5v1m1HYz45FALFnLV3pHuWsoDZg=","/assets/Block-Z19tE4C1.js":"sha256-yqVgIhtwXkfojEPfzND+1RlxvNl5QWFihKAPFVWCF+k=","/assets/Bot-DRIMk91g.js":"sha256-wPB/4sfnCiufFe0GTU8tXmk/2XyFhMzoU8EtH2IBvsU=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-oqWE9p8H.js":"sha256-pyFvyNAcI+RBLpuLDw9BbMzmjO1uaN1auDcG/areOu8=","/assets/Celebration-CjBJXyA8.js":"sha256-2RMA0QXV5mxN5TDBZnvLpS/ivrNei4Qkfnt/HnymMUI=","/assets/Chain-kHIRgTJj.js":"sha256-AC6/xXi9nOYKNBNpL5rUOlScsNTns3EsvpnHhK1NVns=","/assets/Company-B8C9Xvaq.js":"sha256-6g1Lmr+eGo9qiD9rOtLxQXBkBnt/YwLjqWN8RaO7Dqs=","/assets/Cup-Di0hSQ64.js":"sha256-uZs+u16c5qoOkNTfPe/OKU4hK2fiht7wYedOUEDcNWY=","/assets/CupLive-VsK_7dyv.js":"sha256-LDN6loffFG6HQYv7Ux/KqIO+ei7yVAccGvm0bhGOhv8=","/assets/Cups-CiCpeZjO.js":"sha256-LMjqppeKv97rA9NavJkatTRMdkTBqRpdLdgqdApHpcA=","/assets/Daily-p2EnBcAe.js":"sha256-6GM1OJsruHcvt0t6gAVBgUnx+OGlNkkYEmH7oxLJcwI=","/assets/Developers-DFXmrlMG.js":"sha256-cs0LUQhoKmefOhchRtJEoAcnmI6ZYdEUSQ0/8qyxHIs=","/assets/Duel-BU-hiJpk.js":"sha256-B5kEzNPsjY2SE7K+OBqHRW22CjOEZAeyLUJCtkgLDG0=","/assets/Duels-CHkj6aNo.js":"sha256-XFgI8CXsnnPWPY/RGb7MMos3rJKcoYU41nfcOfYdf5I=","/assets/Feed-BncTM4rE.js":"sha256-pRo7Gh3+/9L68YewLdheZf98FS2MUO0Vm2b21P/6wag=","/assets/Help-D9r0LkFu.js":"sha256-Pw8dagEx1qxq7KPaxPrZNoZiImTbQkBvBTXcypGXXlY=","/assets/Invitations-BU32dO74.js":"sha256-fZ96CKWp8iNv8GyDXcIaPDUagaynCqhblDt0Ak4DkoI=","/assets/Leaderboard-CAmoJQrS.js":"sha256-ppQ7jvmjRdFRB6DiQ117vPDHJ8IHhVTdaJT/t7G3IU0=","/assets/Link-3wFFwC0q.js":"sha256-EOA79jmmnu2cu3wGcb4fVd/vC+MCqqOBxik5CD7L2SA=","/assets/Market-DlqYCEXG.js":"sha256-gYn5NNeSjZo5TMSLRWNSn68TfFL0IHVjiguUSEEvSk0=","/assets/NotFound-B_7_6En5.js":"sha256-XAgAjqaLzLcwqAQJcy8jgV8OloYBaHAcEqwoJLY63DI=","/assets/Player-BqKyrXqn.js":"sha256-rIhI9/kQBijeo2vmENCB15Z76MmvjGF2teqxAeFQToc=","/assets/Portfolio-DAHiqEZJ.js":"sha256-Rn4wdgEDgQyfVDHyDkIHPIESm8eqXVU4EpmXtT5e9y4=","/assets/Privacy-bRnvjsQB.js":"sha256-uBpMlNByWTAF2Fg6cXHpwOJiKfVKuy20tZy0KMbIwF8=","/assets/Receipt-CXlWeDF7.js":"sha256-P3yY1587vVwUa06zh4FbLBh74D8h1uXq+mpkrOnWOyM=","/assets/Record-C348-WQP.js":"sha256-TDZj+SBGqWm8U0dAEUCihG06FtP2cK5vkkc/5VOD0TI=","/assets/Reference-sO1rsnrY.js":"sha256-XPBfnf7TtNtgIvbnDLaxcFFb/Yt6nQ55AYRHwScjOKc=","/assets/Rules-DaoXUTaU.js":"sha256-lpl3ICOYuToj4DSpQB+wqfW3AlgDXddgC6yANHS6gNo=","/assets/Season-D-aTBAG_.js":"sha256-8fWPfo63/K7SYqlmts5MD7TLO4fUA0JBAifXd1W2590=","/assets/Stats-3S-9_kLS.js":"sha256-mhXamDU9RBUVw+aMJO/DXW7evbuJnIFTyVjqoGkVUko=","/assets/TV-DFtGlJiI.js":"sha256-Z2Cc0Dqb/AvQGfQmSC94fjV3NfCUeCtVHyXZDmLKaDE=","/assets/Team-CmHAwtBe.js":"sha256-ZaWTqcvUPPjic99PA8cMA3UKsbFMsVlMj88MUhxndV8=","/assets/Terms-h8g78Hrn.js":"sha256-l2LID3OuLs3N8X+ZHlSIZ8kbKIPWDxm+0+Z7GZGSn/Y=","/assets/Token-BvQcx60W.js":"sha256-UGOxBEuDQN0AB12umsg2KV5QyHpSR3wlDvE+xQQVNj0=","/assets/Transaction-BIK0fPp4.js":"sha256-16SBmdfDXAqNyuwfiruZ4IvozkbDYVZMwmyjz7MZdK8=","/assets/Verify-dHs1KHMD.js":"sha256-FR45aYWwexQM/SqIOYfsthl7CekGFfmYAqZf9oEoHF0=","/assets/WhoPlays-DBAGtYXP.js":"sha256-cgQsyLvUX6oasqgqwilPWyEgL8e6nAMycTvLW138g2M=","/assets/alive-BSfyPbbl.js":"sha256-SvrqfT15KeztVVb7BtN4jgptohzAeYjCMIy/uho0Y80=","/assets/arrival-D9qKi-Nb.js":"sha256-RrcgqCrHSDKKNTypS712zChMaCULqlcYgRZNPLdkYDI=","/assets/bot-4Fn1brfH.js":"sha256-+Fr06JlteL51gguFu8sFXlWCnO58SGJ+L/RrQhbbowg=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-BWdjOBqn.js":"sha256-R2O91goLcIp7lbHleXpTm4PYiB4VPYLHz3/VXy/cwSI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DYzHUruZ.js":"sha256-Kv5RLH78Cl3nwV4brnSVbCilFq3Th9+kDVyJE2cLfCE=","/assets/es-Fv8XBWja.js":"sha256-OpdC9I8WWkxyJ6ktqBItUDnmojbKGk+xVDCs5G5smJ0=","/assets/first-J9KoEjn2.js":"sha256-tc1xoYYSfDo3cauFGQsTtNZ0vCGBBAM74F1xC/MSTls=","/assets/fr-YTpWpeMk.js":"sha256-yK8jI3Tv2EMBypOlIyG3uwEIYIf5JrRe5uk6zmq5lJA=","/assets/ja-BcvFLlzr.js":"sha256-l2gPg/Ce/3EbavE6mSbHAgYn1EOIzNZyMENuAorDq7s=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-Dm_NoRbb.js":"sha256-IaN6YZ4apSAXYbq8uzxqHQ7iT2Kg3lwgkFE6fUi6Y1Q=","/assets/sound-_P4cDjdE.js":"sha256-a3VuU7hzBWtf7cPXWkswI2eW+zmvGfKMaq8h11kbhOo=","/assets/style-BCGG7Kiy.css":"sha256-UbHAy1Pt/8IwTJYlUTf8gKUnAC4n03vgOmZU7HTKf/0=","/assets/trace-DzwHuaSq.js":"sha256-LkqElFSfivlHNHvRnPYXuCI8U0jXP4Uv+igZ+lTpfHo=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
