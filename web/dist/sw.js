self.build = {"version":"/gXDj+sjkFNsqn25","files":{"/offline.html":"sha256-maEk7YDDm1MSCIDyMcAIG7gyibR5XZYUEIQux06p9Ho=","/assets/Account-B-SOr6Sr.js":"sha256-jEC/hhvAze0IFmcWCfV2KDHJ/sNSKpXsNo/r4rTwau8=","/assets/Achievements-D-T03e2_.js":"sha256-7SwYT0EPiXixfdUirlaf4IPp5HoeMp2TGoTENuj7Qv4=","/assets/Address-BXgsrq2W.js":"sha256-jRPa5E7fG3IZ/ny9+3ivhhY57MATjfLyHf1tMY0zMpE=","/assets/Alarm-Bd-BXpor.js":"sha256-aDTq7snImIqVDPkN1UiaRPoIVmjxhc2QPPzWtPC6OTA=","/assets/Alive-BGeWxTAe.js":"sha256-VI/WUiZoiaEkK/Da3TvSCBCUrgfhWj0LU5FbhMLpBiE=","/assets/Arena-DD1BUH30.js":"sha256-6q/hKlbmY8MFAuxS3IyyW02tovXCISEHC9b499JZ+YI=","/assets/Block-C5KSEj0x.js":"sha256-cXAH8CW69fsZybOHBhl8jFN6u6VmYdiBxzVnx7aj5mA=","/assets/Bot-Cnhz45kq.js":"sha256-g7cYGjs1wZFPixkosSsWmMjz+Y4HV7vpMyZRGx2t4FM=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-CRLETA7H.js":"sha256-R0vCe0108Y5W0k7P6bZ47XmaeUOz7jpthVdJUrMTc2c=","/assets/Celebration-BGw_z7ol.js":"sha256-5w/RGvV8Yr+zhUMUNHrzWaCvooWu7R1bVNP7u3DDGv8=","/assets/Chain-n5R8pIfg.js":"sha256-7ik8CE5y31pX/Ooo0Fi6GopoTDnQO3o8+OMc7WrScjA=","/assets/Company-BwE7Nqio.js":"sha256-swegfV9pBWA9kuVIn1UFXTh7IqqP875OASU5rQUrx+c=","/assets/Cup-DBcnebFU.js":"sha256-2782Cn1wUp/LXn/dYE5yJTlBY5K9KTNbIxvGR7nbprw=","/assets/CupLive-BUbJbZmr.js":"sha256-PXaaAaHxoI23aSsP8jzqtIKDPt8tzt5zBZGpNylmC+A=","/assets/Cups-DX9xJqGz.js":"sha256-lpeL5DZoaNeDEYeWQhoU2rLJeLzcNMJ3AFUWdRdBTCE=","/assets/Daily-CWNDRUX_.js":"sha256-YLv3BBeyqJvgj350pSa/No51jMDeJ7+FZxhjPoCdOA0=","/assets/Developers-CUQSmedI.js":"sha256-6wDms2E6qIVtAE1TR1fTfx3ITbsrMwdF1g+AiUuiDQo=","/assets/Duel-CW3fO5wD.js":"sha256-VDtygo1faxwa5yfELHCXX8pacBPl/CQ117qLX7LiMl0=","/assets/Duels-t9LqOwO8.js":"sha256-/rwhx4fAINg8KxT3F8q2z14blVANiImMHAuLciByw1A=","/assets/Feed-BJBT3iAr.js":"sha256-FW2rMd+D4qTL4gXC7IOyhEhNcyycwaX/gVxGnYdL9AY=","/assets/Help-NbqD3wuJ.js":"sha256-KddDa7iR/yjcTsBhJxxy5A0kTYKq2FOfW1ofZzsOLT0=","/assets/Invitations-C8G-dgqP.js":"sha256-QwRk3OMvQlHUKtOrMia4S0qf1MMuEvpK1ShYHacB05g=","/assets/Leaderboard-Dbm4j-dm.js":"sha256-/WcHRnyxMVx2NOeaCgO18d3weu97hbR7Hp1FwMVRisw=","/assets/Link-Cw6s9UEg.js":"sha256-SknUZVSWjhzIx1xHZiB0Zq0cy1/RFo0lgY3W9uphpwo=","/assets/Market-CnV7NOod.js":"sha256-LLmJ5eO+5fYD0yeZ+di97oxPC6qU1jw1ciO4NQVwVRY=","/assets/NotFound-CODjti3z.js":"sha256-wpr/Ck6SyYHRFVKWhi8vL+J+3FL+wlFBg5s4fMSiqx0=","/assets/Player-D2UaG_yL.js":"sha256-qCd8naYbaEJsAXhkug3LaJdZUPTPkiLZbR3NJ2AdsF4=","/assets/Portfolio-NEgXnMGo.js":"sha256-QCsmsf35jaQ7k5qz04F3l9yZ7MolEkxA3wdgpr5jujs=","/assets/Privacy-CKZGg-5C.js":"sha256-SbUeinVXWLScSxDD/mYUvrUc6uWDybzFpuwpe1oPrHM=","/assets/Receipt-DZpjp5p7.js":"sha256-QKX2+mXziLEVu2vSwVvdlhMd6F49s3LBrNOyZqvSRiw=","/assets/Record-9PpUz92Y.js":"sha256-o4h7mi3p1nPn9nci2Iet1gP/2bdRUrZZ36GfdWsS4uE=","/assets/Reference-Dnfndqbk.js":"sha256-DlRQR9ry6sECMXbWwEK72kZxdJYBxvPDsgsktZgG10M=","/assets/Rules-TziCBDsZ.js":"sha256-NOjhKyuy41KHKz0jZ0lqk0QA/kqV4DFUl8VisPmAxS8=","/assets/Season-CSpTL68O.js":"sha256-unmg9aayOGIRjECgZQYA2g98rXct2FQdglfOXv1cVRk=","/assets/Stats-DLDiaKLC.js":"sha256-Y4hIJE7Rcbt763ULV1nKOCUO2lkYY7df9u5ffQY5s1k=","/assets/TV-Xvuzezdd.js":"sha256-yJtJRmRFjnOxWFBvpuJeR0YuiKxyXV5LfqJHgiBM0M4=","/assets/Team-CARk63os.js":"sha256-Q1NMm00gaAU9wdrclt8KXNB0TZ0+cX6wGhFGJ6amgQA=","/assets/Terms-B1nPp85T.js":"sha256-tshkl2OJI2UlcvJRKa/N92zxe37tH46Xs3veUY/9NMU=","/assets/Token-CIKZALu3.js":"sha256-OcavgfkqiobCZsl5ygdu4pEXxeiasp5+ZSUq3btZOB8=","/assets/Transaction-Pa1Z09nS.js":"sha256-a78UzbHefWNom6sBogt7Z4ryeRQe27Eq5Fe7cO1I7Vs=","/assets/Verify-CzJTQYr5.js":"sha256-qxDadOIZPQhg4Y3UDc1Sac9b3+LsZKx0jc3QMyHFHoo=","/assets/WhoPlays-Cw74dwN8.js":"sha256-F/NUX2HBgTgIr7u8x27NOx9aZREAf3Dn0dDCarw9SQI=","/assets/arrival-Cie-om4f.js":"sha256-PLw8888o57gGReWZAOMobX7SHbeIFB0/vpBgmunSzWY=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-Z4PLWIBb.js":"sha256-/Ayb7tg/kRlSJRb0pRbpmKkxaA1OaYsVodQu/Qa5ivs=","/assets/client-C3s2L5Ud.js":"sha256-ptfcmOAmVcrrmrL0rANfiA5vHSqpW85Wm76gVJ+RA0M=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BWfpj7Am.js":"sha256-MiD22Gqjpmrpm1EQSqVzjswEIiMvP/8xC58PZfUIihY=","/assets/es-Cyneoa9D.js":"sha256-NQY2WYuEBdHRIgsi/RPGk3lVCZV8QmkP+YEIM+q51dM=","/assets/first-OaPV7mXb.js":"sha256-0rAfeunS3EHG2RmTkqqaDlhNQO43hmJSH5WdtYX8yzs=","/assets/fr-Ba4y_dvE.js":"sha256-n4ZJoNH9dspguSJxy4+ftyzLNTayu9Sh15LmpqureMU=","/assets/ja-Cw4tg_90.js":"sha256-Z9ad6axQ1ZfTJnPyasGri0L/6V43AjJ84DnZZE5oXO8=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-BiOWw_Km.js":"sha256-O2aPkj9AzaX9Lt7y63gHb3AW64WOamJ+DgxPsYMyfKc=","/assets/sound-DfuzPgqI.js":"sha256-Vn/rRLR7V6jJtjhCbnpVDkXY4YM7wqlM2W9FFhRfDoo=","/assets/style-Dwq8BQru.css":"sha256-lSGneZ9el1LX4p+/sWMOG/J8ckZWa+YG6pVEIbNQdQ8=","/assets/trace-BcGcLTb4.js":"sha256-uzPXL1JOxXafJ5RTBY5x+BgXAiaKDVvkn4woWmmLTzo=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
