self.build = {"version":"yAFHtncQMxcCQnQw","files":{"/offline.html":"sha256-bZ19nDe68+r89mrMkEHaurmv1VHGgPNo2z66YyA3bU0=","/assets/Account-D1aT39VP.js":"sha256-fLO046qr9bZxIBweCZTdM9vYjf5V8h6xEVAVMfRmtpQ=","/assets/Achievements-D4BnKzv6.js":"sha256-6L4JEJIcFoBWLZjvwOo56BDnlHlyB5i9eb2n/41MeuE=","/assets/Address-DUSVuFZn.js":"sha256-7NK6GAd9hcLmL3l+QnarYL+PGOeODXJQPwrJiVMCbc8=","/assets/Alarm-C5hSwOIf.js":"sha256-T+phTxllYNujNJMVhc09BCWocNaMDkHKc9IMnjIgPHA=","/assets/Alive-DY-IAG69.js":"sha256-Fw++q3DDzigYWJ9IeMuOda+t4HdWAlS1yh95njWN5Z4=","/assets/Arena-DJN1GWqX.js":"sha256-CW+NZgkK8Ut5IBMOy3GWkzFEIyHaL+tPNN9YofInla4=","/assets/Block-DMjZPYbJ.js":"sha256-1sFAbdbxtfDco7V3qCNwg+VPAfmmuTc6T0Owr13e9Pw=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DQH8lgLW.js":"sha256-Z5sJ0RGf2qjmvE258Q8WZx6lDXEvE5A1FdOl8Je9ONE=","/assets/Chain-oyMtsode.js":"sha256-rXOOOd4YjsECSEL5zj3uAfQsJGy/uHGnzC6BkWeMBlk=","/assets/Cup-vqNWrhR2.js":"sha256-clrWDuRBIPuKwu8sxqeNU9qyyGR12N/AVnu+Fwbt2Js=","/assets/Cups-CU4d1C6T.js":"sha256-bMy2xjHBHoczperr9w+ZWr8FtOUxyJokZlll+7gP46I=","/assets/Daily-D_Cw3893.js":"sha256-nxM+UlnJa3CnB1/HCfL7ut5XJUBQIk21ASRjV4jXyI0=","/assets/Developers-DNrxLPKR.js":"sha256-p3T6PX7dUmqnHCINnMos0AKA4gfiRfxs9qd8IR1cr1M=","/assets/Duel-31ZNS-e5.js":"sha256-4tXTgFeFmJ75b/eLS3sH0mMFV1ZEVn1/zTIZ2NfG4WY=","/assets/Duels-DRVcS0uH.js":"sha256-LynV2G/wN8ygn+pRmne2maxNQn/0fdtGqw8wyFhF4Nc=","/assets/Feed-Al1H369J.js":"sha256-FeX4kb4zUEhGn5r7TY+to/O3kCBamnjJV44BaEtqws4=","/assets/Leaderboard-BcVS4z4r.js":"sha256-6w5STs42yR/L4Ej1JWNZaFJde4Off8Q0uqoC/eXdEoY=","/assets/Link-CiO-nNgL.js":"sha256-zKKesBPhmnVDapt0PdCMgX4Z6aJApGA7ixNPIAK0nwM=","/assets/Market-C2IA5g4m.js":"sha256-/JEcqndKdjb8eEHZbSZoo1LSOlMq5C15VFFGgYC3/DM=","/assets/NotFound-C23cUmuM.js":"sha256-TxXM8JKKGmiFom9XZsrg3Ww17SGWqrxJK5Vc4xe2EFI=","/assets/Player-3xhMAnB6.js":"sha256-t6+lYFCj8zVxDMfCEm/lR+6dNgA/9kloxVbRyWb3y/0=","/assets/Portfolio-DnlupShx.js":"sha256-y//6TE/981UY9NEiFzsFJsfSUIVOsRrTAuYrLtt5Jsc=","/assets/Receipt-l3AZ5ThX.js":"sha256-cyoVS6XLdk/82jL1oc32AGpeB0zVkS8O/Xjf3/vOWfA=","/assets/Record-BkBuLyWt.js":"sha256-OWWOBk8gktaXj2T71rhiYCK6fItfB4eNQFt5qt9XCi0=","/assets/Reference-BAKf1Wvp.js":"sha256-thLTNA1lGhOTVADm7CBgomJFRgP1c3PfssKrLlTBqX4=","/assets/Season-LpR-HPj3.js":"sha256-3mrAVoThBmKy876QxwAAyZF3ErcAhe0gI+z/6U52bwU=","/assets/Stats-Bocl3sUP.js":"sha256-U8dqSrSIV9E5o/2tFJd3RCTMqb6WnzF4VxElvw68z6E=","/assets/TV-0aZxZ_hg.js":"sha256-ACjZi26qnMGnU2vddFz0JNqp8MHYGw5sQzniR+35cP8=","/assets/Team-BD3uGXGH.js":"sha256-sogrUWraKZaztNBRED9knWtJ9QLKI1H2MYeXJBwqW2k=","/assets/Token-B-9VHiHA.js":"sha256-3gH9IGNUzlFjfEMJCpws1OyOtPrbkwp61Cj5QuKNFKs=","/assets/Transaction-gH7sssKB.js":"sha256-JZbzzowxDF4IJUiEdLy+xtW1EGNrM6FqBGO9Aa2d9ek=","/assets/Verify-CbQ5kAQh.js":"sha256-kHbjdYZw/Hal6R+puIjXJN4ZteT+d+aKTsCV/11FIVw=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-WyQGHpoV.js":"sha256-GFThvQo+xXjQQ+UEOhXggAJWmmTIACeLBeRYUzNPEcE=","/assets/es-yn1g0Erg.js":"sha256-xz7PJBxFtot6kEW3JS/E3Z1xXnHlGfNPS2Rs/nh+nek=","/assets/first-Bg09JEij.js":"sha256-JlhXx8BU9ola4EhuWK6CTpxumonyNX9Xr6XVQr1wYUY=","/assets/fr-Dlt5fUGO.js":"sha256-4J/86BmiS5mIpibSpqWjHQcoj26I9FOIoriZaQ86+uI=","/assets/ja-B_0iVqwM.js":"sha256-hOlADlGhnSoHj22ocOdQvddXOr+MhpRYs+JsOq11260=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-CqIINXE2.js":"sha256-fLExKfiLN6lBhduvRvBlW7dCtZMWkhkEZFPu4R2HkH0=","/assets/shared-BVE-TI-j.js":"sha256-hHXJCdfs70qPRk1x1cwbJ03j6HyBWjHCDqPah7MDYAw=","/assets/sound-F0c8HXiE.js":"sha256-+ulg65HWQ3rKql3K9LyLSETTgGghmHPOydDlf2ybQVM=","/assets/style-DxAmYNor.css":"sha256-KE5Y+QwQ07Elv4/UBDigsrbWPNXS1W7VUEjnul5ua04=","/assets/verify-BKl1w8SH.js":"sha256-mWreQwLdCSvZ7OG8prx/6MUUmYUP/hrfKXOJlBWtfSM=","/assets/verify-C_s_Uuhk.js":"sha256-0faDo6fMv1r8zgwn/i1l/lcvA4XtpE/7L1bKz8LPaNY="}};
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
