self.build = {"version":"pPlT/oEwHkQNIsXg","files":{"/offline.html":"sha256-Y9t+YpUiTuK5VGfLD5b0lnPulbUYOxVfxvEFdDT5HbA=","/assets/Account-BdyK-Q2_.js":"sha256-ao0zFDL6MNB1cggdjEl7G6ntRcJ0HuLnudvyFsQ0Kb8=","/assets/Achievements-D1oNOS4r.js":"sha256-dogu6iizEq7OgXwPgSm3FaACJTOMx1ec8r0SKRiCf1Y=","/assets/Address-c5XEeEMZ.js":"sha256-iporIM9d3/5ShOx756CvUz19R87VQEdUA85PxBsBi4M=","/assets/Alarm-DmzKlerj.js":"sha256-FkNUiI+y4BCcQZ4Bp7MFGKwQodvJxOE3G3zz1zX8IpQ=","/assets/Alive-eSBZcOUT.js":"sha256-G3c2El232Uj9vFtbuf0iMl1F4GNmtFU7/yyAgCtZQqI=","/assets/Arena-DPTiYupE.js":"sha256-HZlIfc+b0eR/sS03zuuAQIr8HhXLGHkAhbXauFONKDU=","/assets/Block-Cur_gw4X.js":"sha256-NNoTbcBCSQhhJMy0xN/7P0jhTdLXqhvikgN9PVuawZo=","/assets/Bot-BZ4KaGCb.js":"sha256-b6IyFv4Gzx8jPpLgQeNHMAc5U6kKEleYBWKwffQndxg=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-BlsxjqXo.js":"sha256-xB6QhE3u+iNu3uALlPokU5bxIVvViGzMTrjCYZgTZRs=","/assets/Celebration-DC098XoF.js":"sha256-4CzrxPcV+9do9mMu0fJCh7kQWsVP+MJXXivCptWy65s=","/assets/Chain-IU17Mf76.js":"sha256-38065BadzgEM2EI42PG/NnUfwp6l2demQklqyVdMmfg=","/assets/Company-CZr1P4tc.js":"sha256-uifNAjTEXzrBfaWIWF3x3yPSPsM0YkRxUrl4W8BcJl4=","/assets/Cup-BtWoO2v8.js":"sha256-cD4MzxujmVPeQx/oNHixp00M15ntnhNkCojtTLYggT8=","/assets/CupLive-BwaMQFu2.js":"sha256-gpCub8g0liXxrWPkTpUedmIMOl4qrQ7rv9VGMa/fc9w=","/assets/Cups-CnCJVzzE.js":"sha256-ShERzV2ZpjdEWdoH/7oFarBR9DA9ggkY1vRbf5EZi9w=","/assets/Daily-Bb4yqQ-5.js":"sha256-fMIi+qU6y9W3f4Pbj/owP/ekkM4yNhfWVeh29XpgqRE=","/assets/Developers-BVZfTHoN.js":"sha256-gNVtAbHE4u8D8/Lp8E9f7+NwGAkmvTCyK4vKVrrWD6o=","/assets/Duel-nRHo2qQL.js":"sha256-taYF6/zfAjU79FAkkomsBY/4bmIsBNk5MIXoDfbjk98=","/assets/Duels-DfJYwvpS.js":"sha256-KszQGxgmZpvIKL7NYtm0kY4nWE6kQpmBQtmmFK1sK8M=","/assets/Feed-B65AMFBe.js":"sha256-p6wuY72NSO29EI2ADBGjbOOLcRW8U2rAn9vjrNFYoRY=","/assets/Help-j2cAi8gt.js":"sha256-t+XQiYsPIxJP04f9C1a9lwLcy9jEcqw2f3cNcAFVbWM=","/assets/Leaderboard-CZN1-BG6.js":"sha256-vW0PnlmFg7jcU28NAOuQn11TP6xTW8lb/VmQIaymu+g=","/assets/Link-D1fyDqSx.js":"sha256-BrPu+JaLJ7c6frQZt8Q3cOi+T1hrAi02uZ/DFRWgdcE=","/assets/Market-BBVRW6a3.js":"sha256-bV/6TXGJLvVX55saw8EasNeSb/ccFIjeDhDECJCGsgo=","/assets/NotFound-Bj-s8imn.js":"sha256-BA05uePRyJhNw3vgeCj9FgApCHjw/WGeM/8BGqr/j/s=","/assets/Player-COyG9skc.js":"sha256-LHHSw9nL5kPx0TgFAyC1i/SQxaZkhLSCAqJMkuOXyRM=","/assets/Portfolio-CjjvPDOT.js":"sha256-IPiJux9dYRpM60BohRHSzUjY3XTPTpE+AgLZ92Lh9JQ=","/assets/Privacy-DEu0cfRq.js":"sha256-GImw+cvVbV16BA2DuI4vi85+Dn1aq0BlPccZ8vvAbhw=","/assets/Receipt-CNbXVus5.js":"sha256-V9Ru5UMQoZSI7kTOSTOzeyHbPB1KBevt49ZaJ+aaHYQ=","/assets/Record-C8RmS-Dj.js":"sha256-aXpzO181CxTTrIRbQePczP3+P34e+p8dwinmQMudzEs=","/assets/Reference-PZ9ggCA0.js":"sha256-3wVr168/JDGFwWlyED3c9F0h8RTc20+v46af5pWt1FM=","/assets/Rules-B3N9p_lu.js":"sha256-YFIbiFNJ9X/QOkKfAJxuD4PeZ9wmue7Z2JniMvhvakQ=","/assets/Season-C1PP4T0K.js":"sha256-ZtzVYTZ4ivcrXhJ+Ku/FBGym+3Y6EQgqVouaQMnW4eY=","/assets/Stats-rePb81Ap.js":"sha256-uBgAJVnQAtVUflCRY+irjwRRXIAi0LrfFkpXPJHt9Bk=","/assets/TV-UxiK7RoW.js":"sha256-iCfe0428VCtnXuqWw5UZvCEHgHDErbEJeENP/HoqKNo=","/assets/Team-DftYunWD.js":"sha256-jFG20Y+FsLdp6DaEMA4qVo9yDxeVUnJvXi5hak+DQvA=","/assets/Terms-KFKXquVU.js":"sha256-OQflYJZvsM2MBKpmbttqv0JwMn1UKCGejY2n6ML5iMY=","/assets/Token-Dk6VGed_.js":"sha256-SMtnes9wSzHoNzzur2JW1b94wV1DpuKGvhxIpdPaHLg=","/assets/Transaction-CVvxMSl-.js":"sha256-0RMlLNSlK6HVxuKSlix+p+RhO7x5B4lHcKETQ/7dTvw=","/assets/Verify-DdBSu4NI.js":"sha256-vWPf5Gkp4eGEIJWj8QsUt/AgWDfh5/x7WH/1hw8dk8o=","/assets/WhoPlays-hRuJDXbD.js":"sha256-sTIIOrBlysicN7pSdbZvflUEnn2HYmNg4YI+YhaRI64=","/assets/arrival-VBIQ9ity.js":"sha256-pxEvE4bmnp8y/h7J4c8PQnKHT6ISg2E7FQXfETLfbnw=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-DXY1KPLR.js":"sha256-AnHd1Qx1yZ0HDfl0RZhP5P+j1JIhbLITupYz03IAjVU=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-B8DK3PtV.js":"sha256-B+wSEWUv3HwYSYTyA+e5ahnqiB6bDioEx6lTuUNde2Q=","/assets/es-Bul8bir2.js":"sha256-CrQk5cDdOsSnoYGZZ82W/BUdfjeSfaIdG/66s5iYT8Q=","/assets/first-BZJ5VRq1.js":"sha256-g9dz1bDAboV5F8SIrQv+bys7EEZCDEM45CzD1gjWAQE=","/assets/fr-BM7nA2eb.js":"sha256-7ZIlIoX0LzQPBSNCDo3boUIypv86f2m2GqsgluNZ5KU=","/assets/ja-D5H4-phS.js":"sha256-8lIWZItSribSx+Dy4UqJGIoGzOLcUN3RAIvQfntnsjw=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-D9xu_C5X.js":"sha256-N1uUKcNe0YrrRJawAvF4LDLEc+DiJFy/vCQNp+niRMc=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-sYyF1yGO.js":"sha256-p3BsvEe6twQvLxQqdUSYCJjCJWw8hhJCsQR40pKVYfI=","/assets/reasons.fr-CoN_-Jn_.js":"sha256-kwk6tHgeLNJPXIXnd6G1O0Iv2u7pTPqjbyKNX73X2EU=","/assets/reasons.ja-BBaegZOE.js":"sha256-6ImA6Cp0jd48QxPgf8V9iEh7Tq6F10Q5gUIGNPRcnZs=","/assets/shared-CMOj2RC1.js":"sha256-mqSb9HrscSWPx9nteII0QXnY9uCeKDKTKH/x77ZUKRw=","/assets/sound-BWxnju80.js":"sha256-C27Nzc3DQHgSjHQ0aN6A0FdioUgdaToSRGhEKAEcXVQ=","/assets/style-BAaEuQsP.css":"sha256-MxDT3rQlsZtERo7NHZA2oclzyoB4nR0vzJkWpfuBsyo=","/assets/trace-DGQn9PkA.js":"sha256-b0dlwhAQL8Hccu8KSUoe/VFWQvx6kUjmwJ1fEUcN8SE=","/assets/worker-BWrYUB09.js":"sha256-JFxn/ogxve7fjfjbwQy06LkES0ywVlLJDEWB4h9jo1A="}};
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
