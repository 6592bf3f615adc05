<<<<<<< HEAD
self.build = {"version":"pPlT/oEwHkQNIsXg","files":{"/offline.html":"sha256-Y9t+YpUiTuK5VGfLD5b0lnPulbUYOxVfxvEFdDT5HbA=","/assets/Account-BdyK-Q2_.js":"sha256-ao0zFDL6MNB1cggdjEl7G6ntRcJ0HuLnudvyFsQ0Kb8=","/assets/Achievements-D1oNOS4r.js":"sha256-dogu6iizEq7OgXwPgSm3FaACJTOMx1ec8r0SKRiCf1Y=","/assets/Address-c5XEeEMZ.js":"sha256-iporIM9d3/5ShOx756CvUz19R87VQEdUA85PxBsBi4M=","/assets/Alarm-DmzKlerj.js":"sha256-FkNUiI+y4BCcQZ4Bp7MFGKwQodvJxOE3G3zz1zX8IpQ=","/assets/Alive-eSBZcOUT.js":"sha256-G3c2El232Uj9vFtbuf0iMl1F4GNmtFU7/yyAgCtZQqI=","/assets/Arena-DPTiYupE.js":"sha256-HZlIfc+b0eR/sS03zuuAQIr8HhXLGHkAhbXauFONKDU=","/assets/Block-Cur_gw4X.js":"sha256-NNoTbcBCSQhhJMy0xN/7P0jhTdLXqhvikgN9PVuawZo=","/assets/Bot-BZ4KaGCb.js":"sha256-b6IyFv4Gzx8jPpLgQeNHMAc5U6kKEleYBWKwffQndxg=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-BlsxjqXo.js":"sha256-xB6QhE3u+iNu3uALlPokU5bxIVvViGzMTrjCYZgTZRs=","/assets/Celebration-DC098XoF.js":"sha256-4CzrxPcV+9do9mMu0fJCh7kQWsVP+MJXXivCptWy65s=","/assets/Chain-IU17Mf76.js":"sha256-38065BadzgEM2EI42PG/NnUfwp6l2demQklqyVdMmfg=","/assets/Company-CZr1P4tc.js":"sha256-uifNAjTEXzrBfaWIWF3x3yPSPsM0YkRxUrl4W8BcJl4=","/assets/Cup-BtWoO2v8.js":"sha256-cD4MzxujmVPeQx/oNHixp00M15ntnhNkCojtTLYggT8=","/assets/CupLive-BwaMQFu2.js":"sha256-gpCub8g0liXxrWPkTpUedmIMOl4qrQ7rv9VGMa/fc9w=","/assets/Cups-CnCJVzzE.js":"sha256-ShERzV2ZpjdEWdoH/7oFarBR9DA9ggkY1vRbf5EZi9w=","/assets/Daily-Bb4yqQ-5.js":"sha256-fMIi+qU6y9W3f4Pbj/owP/ekkM4yNhfWVeh29XpgqRE=","/assets/Developers-BVZfTHoN.js":"sha256-gNVtAbHE4u8D8/Lp8E9f7+NwGAkmvTCyK4vKVrrWD6o=","/assets/Duel-nRHo2qQL.js":"sha256-taYF6/zfAjU79FAkkomsBY/4bmIsBNk5MIXoDfbjk98=","/assets/Duels-DfJYwvpS.js":"sha256-KszQGxgmZpvIKL7NYtm0kY4nWE6kQpmBQtmmFK1sK8M=","/assets/Feed-B65AMFBe.js":"sha256-p6wuY72NSO29EI2ADBGjbOOLcRW8U2rAn9vjrNFYoRY=","/assets/Help-j2cAi8gt.js":"sha256-t+XQiYsPIxJP04f9C1a9lwLcy9jEcqw2f3cNcAFVbWM=","/assets/Leaderboard-CZN1-BG6.js":"sha256-vW0PnlmFg7jcU28NAOuQn11TP6xTW8lb/VmQIaymu+g=","/assets/Link-D1fyDqSx.js":"sha256-BrPu+JaLJ7c6frQZt8Q3cOi+T1hrAi02uZ/DFRWgdcE=","/assets/Market-BBVRW6a3.js":"sha256-bV/6TXGJLvVX55saw8EasNeSb/ccFIjeDhDECJCGsgo=","/assets/NotFound-Bj-s8imn.js":"sha256-BA05uePRyJhNw3vgeCj9FgApCHjw/WGeM/8BGqr/j/s=","/assets/Player-COyG9skc.js":"sha256-LHHSw9nL5kPx0TgFAyC1i/SQxaZkhLSCAqJMkuOXyRM=","/assets/Portfolio-CjjvPDOT.js":"sha256-IPiJux9dYRpM60BohRHSzUjY3XTPTpE+AgLZ92Lh9JQ=","/assets/Privacy-DEu0cfRq.js":"sha256-GImw+cvVbV16BA2DuI4vi85+Dn1aq0BlPccZ8vvAbhw=","/assets/Receipt-CNbXVus5.js":"sha256-V9Ru5UMQoZSI7kTOSTOzeyHbPB1KBevt49ZaJ+aaHYQ=","/assets/Record-C8RmS-Dj.js":"sha256-aXpzO181CxTTrIRbQePczP3+P34e+p8dwinmQMudzEs=","/assets/Reference-PZ9ggCA0.js":"sha256-3wVr168/JDGFwWlyED3c9F0h8RTc20+v46af5pWt1FM=","/assets/Rules-B3N9p_lu.js":"sha256-YFIbiFNJ9X/QOkKfAJxuD4PeZ9wmue7Z2JniMvhvakQ=","/assets/Season-C1PP4T0K.js":"sha256-ZtzVYTZ4ivcrXhJ+Ku/FBGym+3Y6EQgqVouaQMnW4eY=","/assets/Stats-rePb81Ap.js":"sha256-uBgAJVnQAtVUflCRY+irjwRRXIAi0LrfFkpXPJHt9Bk=","/assets/TV-UxiK7RoW.js":"sha256-iCfe0428VCtnXuqWw5UZvCEHgHDErbEJeENP/HoqKNo=","/assets/Team-DftYunWD.js":"sha256-jFG20Y+FsLdp6DaEMA4qVo9yDxeVUnJvXi5hak+DQvA=","/assets/Terms-KFKXquVU.js":"sha256-OQflYJZvsM2MBKpmbttqv0JwMn1UKCGejY2n6ML5iMY=","/assets/Token-Dk6VGed_.js":"sha256-SMtnes9wSzHoNzzur2JW1b94wV1DpuKGvhxIpdPaHLg=","/assets/Transaction-CVvxMSl-.js":"sha256-0RMlLNSlK6HVxuKSlix+p+RhO7x5B4lHcKETQ/7dTvw=","/assets/Verify-DdBSu4NI.js":"sha256-vWPf5Gkp4eGEIJWj8QsUt/AgWDfh5/x7WH/1hw8dk8o=","/assets/WhoPlays-hRuJDXbD.js":"sha256-sTIIOrBlysicN7pSdbZvflUEnn2HYmNg4YI+YhaRI64=","/assets/arrival-VBIQ9ity.js":"sha256-pxEvE4bmnp8y/h7J4c8PQnKHT6ISg2E7FQXfETLfbnw=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-DXY1KPLR.js":"sha256-AnHd1Qx1yZ0HDfl0RZhP5P+j1JIhbLITupYz03IAjVU=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-B8DK3PtV.js":"sha256-B+wSEWUv3HwYSYTyA+e5ahnqiB6bDioEx6lTuUNde2Q=","/assets/es-Bul8bir2.js":"sha256-CrQk5cDdOsSnoYGZZ82W/BUdfjeSfaIdG/66s5iYT8Q=","/assets/first-BZJ5VRq1.js":"sha256-g9dz1bDAboV5F8SIrQv+bys7EEZCDEM45CzD1gjWAQE=","/assets/fr-BM7nA2eb.js":"sha256-7ZIlIoX0LzQPBSNCDo3boUIypv86f2m2GqsgluNZ5KU=","/assets/ja-D5H4-phS.js":"sha256-8lIWZItSribSx+Dy4UqJGIoGzOLcUN3RAIvQfntnsjw=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-D9xu_C5X.js":"sha256-N1uUKcNe0YrrRJawAvF4LDLEc+DiJFy/vCQNp+niRMc=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-sYyF1yGO.js":"sha256-p3BsvEe6twQvLxQqdUSYCJjCJWw8hhJCsQR40pKVYfI=","/assets/reasons.fr-CoN_-Jn_.js":"sha256-kwk6tHgeLNJPXIXnd6G1O0Iv2u7pTPqjbyKNX73X2EU=","/assets/reasons.ja-BBaegZOE.js":"sha256-6ImA6Cp0jd48QxPgf8V9iEh7Tq6F10Q5gUIGNPRcnZs=","/assets/shared-CMOj2RC1.js":"sha256-mqSb9HrscSWPx9nteII0QXnY9uCeKDKTKH/x77ZUKRw=","/assets/sound-BWxnju80.js":"sha256-C27Nzc3DQHgSjHQ0aN6A0FdioUgdaToSRGhEKAEcXVQ=","/assets/style-BAaEuQsP.css":"sha256-MxDT3rQlsZtERo7NHZA2oclzyoB4nR0vzJkWpfuBsyo=","/assets/trace-DGQn9PkA.js":"sha256-b0dlwhAQL8Hccu8KSUoe/VFWQvx6kUjmwJ1fEUcN8SE=","/assets/worker-BWrYUB09.js":"sha256-JFxn/ogxve7fjfjbwQy06LkES0ywVlLJDEWB4h9jo1A="}};
=======
self.build = {"version":"BON6lRbWUvkRzdxo","files":{"/offline.html":"sha256-DX4ZNI3bc9zx94ucxYB0mXX5VE6p6EiYJ2t5bbWRbYE=","/assets/Account-fuzD17zs.js":"sha256-4fZ+5U6dyJO9M8BYXqN1rgLVjAuI4ndsDGJ5N7FaBKY=","/assets/Achievements-DPxPcn1b.js":"sha256-9jeiXDyE99ZrgxQA43HRWBoCq2Bhtm1UxCo0foQdJxs=","/assets/Address-8HRtF2Sk.js":"sha256-6gnvylj9Usk8s/SuP50v5EhQqWf/C5FHOt0yrGEM3eY=","/assets/Alarm-CtcU1tAG.js":"sha256-t2INQn31ynFd3SOGH+nYLKGH+np1iYDnUsKzCy61A7E=","/assets/Alive-BwpgSiXI.js":"sha256-wQUaAunQ41XUaUx6yO9yOg7ka/9oAsHDRwRMSajZwkI=","/assets/Arena-B6gRFWo8.js":"sha256-B5xvvsK9Fwl+FSyM4032uus6RevWZtjd2TZl2TmH6nE=","/assets/Block-XLU9VUz8.js":"sha256-/oWvRHpL+d/fwq/sUYfdOp5e/ZEHBYybip1qbbmDAIk=","/assets/Bot-8clWosts.js":"sha256-pxTKjTfWLSThZ7UVHVnKusG0CYD48vkizW7DJlZGWAQ=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-DcaMo3M0.js":"sha256-fLlBv73mXM4Nf3inuH7RHtnJYVIwvoJz+MDnnzXRf64=","/assets/Celebration-BCYxRK28.js":"sha256-CCVb++Io7wLPwsxPUAFWewbqxO7h/yGHZMYAnjmamYA=","/assets/Chain-BMG0IArk.js":"sha256-CY+IZELqMRDFVZKWDHU19IcrRkZ3u02bn449aZ/obNU=","/assets/Company-BlgFtW0L.js":"sha256-AHNmR2t5Bz2DphxttkohHNdYFj5X5gdfocWIAza1344=","/assets/Cup-BSN0EXMr.js":"sha256-SjrJSqAWcfwos9LXLfEALFuPiAeoiiSXnPTc+oifX9s=","/assets/Cups-vHBoTGBO.js":"sha256-jOtZYOYGhHLkGEVNrwEvqNWTtyp2QXcb9ltJhCdj1Cc=","/assets/Daily-CwT3gECT.js":"sha256-gKSdQB2d72UpNWE6BNr7MvR/uHq/c/huD0pri95Tokg=","/assets/Developers-BIN1v6aj.js":"sha256-KoJfnEh2zy2rxn81YZMQnXIxPv68oTbPWr2IJByy6Vc=","/assets/Duel-Bq6V2haM.js":"sha256-7OOsOiRFJoLcIPRlgtP8ElzCcjHUgFpiLl3b+vVh4lk=","/assets/Duels-Ce86BQa4.js":"sha256-LvNS59rRp1QXKc6+6wrGqWtUOa3UCCRV0H4DwU7Nx28=","/assets/Feed-DwPZS2aH.js":"sha256-bvkdznVcw7j5QYgNYa3QrkjtID5JpK61cg9Iif43a6k=","/assets/Help-tfgBAnTX.js":"sha256-Kw2nLlA0yLGu7r9S/As6iK0JCQf45W3Y4E4TJjnZd30=","/assets/Leaderboard-BU0NnhaS.js":"sha256-O1Tw1tvfk+GD0OKCmjS4u6Yr4BjMXn1YY0WMJ7MlODI=","/assets/Link-1uaZuGym.js":"sha256-GGY6FDQrVBBGDx9DEG53cP+leK+3x0RsRbTAFg6o5+o=","/assets/Market-VrRfN4Us.js":"sha256-0Ebz+jxUtDPS82Q6ASGuLVcQ6SdWC7Ot8eXW9lmxxXk=","/assets/NotFound-BKDGnzYc.js":"sha256-FnnDhTc8DH0KhdP8KGDcTtXfcvz4gdoi3I/Ljz8kvPw=","/assets/Player-BM_ayY_K.js":"sha256-Gd5NwB3stPueO2Jpb1RmoME7bh7sJI8KR3sAgojsKlo=","/assets/Portfolio-Ja2ONE5e.js":"sha256-N69j04Bqzb9hCiOPIRXQ6fBSNnd1IvLGWUizjdEnduw=","/assets/Privacy-DY5Sd61W.js":"sha256-UQqcws9qh5wBTVEbZgYFAybN6yoL8tgoNM1zU3Frz6E=","/assets/Receipt-MmUNnhw2.js":"sha256-rTu7TsUzYNDIILp627LjurKIETmtp0PmHIeGBBumJS8=","/assets/Record-W5JREUWl.js":"sha256-h7g9heWKV4oRCGZ7j5NEGUqnHE0nhMlbNNb2TZYwyUk=","/assets/Reference-CHrVoL5v.js":"sha256-TzZaV5kYNe2hPEKQFpiGDAR2oUJPaCTsurBORd6MSzE=","/assets/Rules-D1ILs9or.js":"sha256-whQY5/FotquzHL6+O3XucBLjDLVrB5dM0g4zdBKPLfY=","/assets/Season-DlqqrIry.js":"sha256-I7nlUXYLIiSoAAVyyI2AHGUwITckdiz77I+8S84vDDE=","/assets/Stats-DzLTVd0p.js":"sha256-0e3xMijx7lCznKcQKP/ss6y+aa1bp/N91pSkAADPseY=","/assets/TV-DXNx3J8R.js":"sha256-BhWwhFt7IGmBSgjvGQT6S04Yf2fLkIiP1UNaYqU8nuk=","/assets/Team-BSfGNc9h.js":"sha256-9k+ARGjNGBi0oQwrFz2XXUcvSaGTfaMsmd7hCD5SPs8=","/assets/Terms-D96Gi1Tl.js":"sha256-420euW/WMfoAiEhcdfDGbnWwoRYcNsRvk1bQOkomyTs=","/assets/Token-5GnfBXFi.js":"sha256-a1S8x+1EQDNqlR8oBjxsrwkFEM3HQA9aC1x5VWgFWUo=","/assets/Transaction-DDAm-a3w.js":"sha256-r3EVHzEkbHOo/nolCIgIU+kQKgii0mbmLVw/m1wKJII=","/assets/Verify-DbkxtNI0.js":"sha256-QlR/HGmH4+HRfZiGrLwha8wkgdoSGQ4bokd+Cd8TFc4=","/assets/WhoPlays-CoepCmms.js":"sha256-RHuFQW1Yif+SRyVWp/IM1kgm2IQCFfTxKRXaTz9L9vw=","/assets/arrival-CHUg-7xr.js":"sha256-wvIFE9NoPs8ZGG5F6aW59rJ2B1ZK003n6pOYblkXrfI=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-C0-XyLts.js":"sha256-c1/90ja2+kSHvzUSQyj0VhqQq0hYJgOGRsgINoQZSag=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BaGa5LF9.js":"sha256-7/fE9xVj2So70iCgQgiBx53BBJHRKdYZOwfCy8NGhdg=","/assets/es-DxCHJySl.js":"sha256-D6L3lC4k+xGaS5/GFW9A2RXWxVYZoJtDMWmt9D0Qhsg=","/assets/first-Cl1VAHsq.js":"sha256-FGM8WoX1gpNhCJztQTgagUnp/gFZZ80RlGvso0qf7Ow=","/assets/fr-yYaQPa6k.js":"sha256-FwWQtIiosG03cxeFRQRVTFXgVH6agdj6P6y7SBQJodI=","/assets/ja-cpJVnZWT.js":"sha256-S+FpOiwRjx4Ibp0/uYGr5KA7LxMRRQCl0T7xupeF8j0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-D9xu_C5X.js":"sha256-N1uUKcNe0YrrRJawAvF4LDLEc+DiJFy/vCQNp+niRMc=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-sYyF1yGO.js":"sha256-p3BsvEe6twQvLxQqdUSYCJjCJWw8hhJCsQR40pKVYfI=","/assets/reasons.fr-CoN_-Jn_.js":"sha256-kwk6tHgeLNJPXIXnd6G1O0Iv2u7pTPqjbyKNX73X2EU=","/assets/reasons.ja-BBaegZOE.js":"sha256-6ImA6Cp0jd48QxPgf8V9iEh7Tq6F10Q5gUIGNPRcnZs=","/assets/shared-C_nROai6.js":"sha256-6TnD7HKeAxVSg98IIqdRD1mLf+LpDRgiGl4fH2nCT3c=","/assets/sound-DT6me8VY.js":"sha256-o/PDnBCYMVwn+FMwTrMqslg8k+tj2G/wVm/rDWQHGlQ=","/assets/style-ByyMtqdP.css":"sha256-gfUGqvDzwPA0+wbAmj3tHhNqmbKMEsgXLpjxdwLl1Xg=","/assets/worker-CW8nbI0u.js":"sha256-TWu18QZ7CMPoU3HhghAsV2ni6GCL2RQSABDCd1boK0c="}};
>>>>>>> wt-m2
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
