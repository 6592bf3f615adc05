self.build = {"version":"JHAQ3LUsf8yX8ge0","files":{"/offline.html":"sha256-6tdPdPzUN+dyjfdKIUb6Rt1O4g3szqVWxQMtyY8AVRo=","/assets/Account-BYEpQ_FR.js":"sha256-H9BdFwZRERm/Kl+0PEQ4JOvp6jvwUPozyttqYxrtDq8=","/assets/Achievements-CDAszMPR.js":"sha256-wBi+hRPw3bI4Az7M9hDIGKG0W6fZHn408Wvtzni57nI=","/assets/Address-BdO9mnWx.js":"sha256-TcjN6HWmyE5FV+a2Mt+C27/u973opYlNkHoiX9WVFvM=","/assets/Alarm-HiryMyD1.js":"sha256-9K80SZTB/aNrlRVYSWkBuJeqBt0pPOQeUay7YGTduGE=","/assets/Alive-D_1Jcdog.js":"sha256-egi2azaK+ddKvm0U8yXnVdq24/iuFkspwlPGgjrBn0c=","/assets/Arena-Cjy8aDJL.js":"sha256-nii+XMZjdo4ewt3Nbm7kUgsK3EV/vUG71EFLZi2tRa4=","/assets/Block-DsfQqfXJ.js":"sha256-D14cxOuxLxuuMmPSmA1dKF9xBeHmfcucjkwE7ND76Us=","/assets/Bot-SSQ0aXz4.js":"sha256-6BCX/u80S67bNlGBgNm2JxFR9z3lnC0IL9xbYkV6vUU=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-BOimXzqI.js":"sha256-f7N8lwNczR9DTfq0CnhQV6VhJqXCIYva4Thd2wzPPoM=","/assets/Celebration-D8QNuYS5.js":"sha256-35tc7atFDzq8DlDAxRkG9kaeZtkUuIXY6QeqeiJo2pg=","/assets/Chain-CeONhbVS.js":"sha256-D0tud5WXsoWpSduHfGIS5EFEf8CPLUaBv624B0J5vfU=","/assets/Company-D1NGDyiS.js":"sha256-LpzLO5UQMDKoc05MLikMTrESjLvxlzUTEGSjOcHFQHc=","/assets/Cup-DLephDAe.js":"sha256-miVPIhBgnRP7bUH078qiTpRTmS1DpidCTTjSYVe9iOk=","/assets/CupLive-DHqotKp3.js":"sha256-sKAxnz0wWQOSZJlpgB5xNKCVuEjkgX1kOnDG+x6UwX0=","/assets/Cups-0FaOfInO.js":"sha256-KXcDaLtwC0wMoNSZqQYcou49yXC5TKevdUUL81t/Phg=","/assets/Daily-DdCwZntS.js":"sha256-SbjMvdGUcPdWmzy2XZ3Skqr4l7trvzDwy+J9etYtB0U=","/assets/Developers-DiGaUAcT.js":"sha256-ItRvFW1gatfhP8lYI7zDy0GWXPh0J0e+n2z9iCh6ou8=","/assets/Duel-DlIRmsNR.js":"sha256-xVd7cVt3nE+SlLZdl5yEILmuRHiPUPZa7x8XHnJg3ek=","/assets/Duels-wzC-O0yl.js":"sha256-LtSXq7xhAdAa3dWc6Fv39qkY8vYybZJq8pU4dfAvJSA=","/assets/Feed-Bj2hEqg5.js":"sha256-ntOtOagwCMyHAYlTJGYfj8S+n4ugoT37Qq/toFxoooM=","/assets/Help-Dx5vyGTJ.js":"sha256-04t8GU8QWVlk9Mub92w59xUK7plFW9smsXTpf9FiD28=","/assets/Invitations-BLX1XW65.js":"sha256-QKQNotjRjA7wpWd9pHhI74767/NHyYt8PGn2Ca8BRyk=","/assets/Leaderboard-CmxgjkaD.js":"sha256-QdaKE0HJTyeRNhnHVidQR4jUQ3ibGEb1AsDZPKaTFWw=","/assets/Link-BNizJA0T.js":"sha256-jbzv3Dx4pltmfUrZrAiF9qsrJDoALAlXADeJ5AVHjZM=","/assets/Market-DNlT__HH.js":"sha256-N93TbLFcXkKR0A/Avz5db4hGNIKtPisP+6TGLhXdxRQ=","/assets/NotFound-DWQ8Cvqt.js":"sha256-zcSzGdLb4IvwIccfT10kVsqN9L4Nu+VU3S7/po8TmLQ=","/assets/Player-Cuj0j0YH.js":"sha256-JnyVU9LaC4FC3UrmRfUv7/qzzlZQz6m2bark/L2mBms=","/assets/Portfolio-DbOB9QTT.js":"sha256-eY815H4/g6ASD3mWz9Ww5ghUCG7t2aXTOD+LEF1DZms=","/assets/Privacy-B-4Xp7zm.js":"sha256-CAzSfLQe4dP1JKAKxHI2kEiyyEu70oZ3CXYhh2QX+bc=","/assets/Receipt-BVOMt8pq.js":"sha256-UVI4wtMfrnbh6/BFjgJm0K6tTo7wUETM29QltFdmn80=","/assets/Record-_ONS5b-1.js":"sha256-NSnwAuG3c9BnaPdeNB6lrEyER1acwDqcqZEFrMzdSlo=","/assets/Reference-_wTRJC_Q.js":"sha256-Z2C4dg2OaTbGqavnBhudvC+q6vtUTQAcC3ISd8c28Nk=","/assets/Rules-CHO0EwgJ.js":"sha256-twKoPguEXwpEv5Sa4YeTXg2KCgyRiiIz7MnB+2OhtHw=","/assets/Season-BHx9SiLT.js":"sha256-/5GWeB47cNEHFjRxOZwWQCYxTfP8DXv+z8KmiIrrydM=","/assets/Stats-q7jPu8y_.js":"sha256-kl4MxxMABzHnAwgGo5n6QBgvt3uYvHO/vc3kB4kvM68=","/assets/TV-CT_Ppq2T.js":"sha256-k6wSY3W97UyKdjA9++lWpP3Lpc9o3DwwWGIXhgq6HYU=","/assets/Team-iNAd6XKF.js":"sha256-2X0xqJ1J5+2wCeOGTOHbqnHTQ78+AVjXHR2Z/AW8oZc=","/assets/Terms-Dd7vF8Ou.js":"sha256-+pJruRkXq1e9peIL/EVy6r28jI3gkRiRGanYO2cOX7k=","/assets/Token-Bl7YXCRX.js":"sha256-/qbPo47Xr1VKUXLw9IP8oVjreK+Ys0iGOr1KoHzjeMU=","/assets/Transaction-BrxdlDVr.js":"sha256-Y3GMQDN9/SLsa/pglHQOozvp5dQjpNrt0A35ULp9UIw=","/assets/Verify-Dzk5WO1o.js":"sha256-I6YmoPqQ/GusW03On4XakZhKmgqSmonAS9tyTQ81GDM=","/assets/WhoPlays-BKKphT24.js":"sha256-ZX88O+mIMzl/BZ3wRUmFC4L9L/ZnBku+Y6+OF66BR8Y=","/assets/arrival-BX2j5K--.js":"sha256-3nDJHAyRMUS5so3st1WU8ePfyiN4KXgUjS1DndmLXTY=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-Z4PLWIBb.js":"sha256-/Ayb7tg/kRlSJRb0pRbpmKkxaA1OaYsVodQu/Qa5ivs=","/assets/client-CwXSOrhI.js":"sha256-H/WNsZQvqU4bFis54OoCYIhSr4ne22tGvsJ3KtxQxHs=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D1LnVFHc.js":"sha256-1cEaMWwrkma3rNHpC148DaaazdDqAQobienqq19EzzU=","/assets/es-DIMIkiur.js":"sha256-N9IsY8MjdyMxCwJ8Dw5/kmSY72htk6TlR+AxwN++afg=","/assets/first-rxVUmlZl.js":"sha256-HN/40hc/Av5veIIaRC92nR7AScLowPR38vbrEdWmaqM=","/assets/fr-BOfNO-EQ.js":"sha256-sVECr+dpCVbTSMhB3PoEp+2X6hadrOIIve86JfjG/U8=","/assets/ja-BMMSZn07.js":"sha256-h3xUrxESHvJHowlJtp1kStijr0TjLZ8hupvS/eSGk3Q=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-DIekSlE6.js":"sha256-8Sbc4cAhYYpbroZmozVEmKpNLxOGz3KQqevvShBUbi4=","/assets/sound-D6P1beBn.js":"sha256-DUz1HvF8QcmVH2V6i/gMVbI5ZgJpQ06lQ6s1IcsVLnM=","/assets/style-B1oBpWbB.css":"sha256-gVC0wqugeLTcZisQF6ZsO5uzN204SCW7enZtx/L8JpM=","/assets/trace-QS2sJARX.js":"sha256-HDMcIffwuO1OLKILp4PALVODCcPiu1np0aGDIXThoQ0=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
