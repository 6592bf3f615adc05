self.build = {"version":"6LJPRCWQgR/uwcw0","files":{"/offline.html":"sha256-ty+Wt5Qt0qGClXfmF6OlADg9CirtIanLMiMY9i17QzQ=","/assets/Account-CZOGi31Q.js":"sha256-Soc7+AQeqcaNAoWmUdHdOsUAVWPaqgqrJiCIuXmjedU=","/assets/Achievements-DnqIxkxr.js":"sha256-NKb8jnaZvnDR3IpJUGYJYNwWCXEcq99Ko/Svv3bZCh0=","/assets/Address-DlJdY50B.js":"sha256-82FmVasMgjwIZL2K47aBc7U4+poQp3FyPldnecq3H1g=","/assets/Alarm-Cj-rvNfN.js":"sha256-hxXYB/VKSVn1gq5HV56/OSzccxznT41GryVodu/u+oA=","/assets/Alive-jZDGi5Ep.js":"sha256-KQqJsb/E1TjNk/HFp5J9WQ0SJ29fR2tzb1/SHAs0YK8=","/assets/Arena-DtlilRTt.js":"sha256-iI2qjHA8CNVp1gOQtAHdsS09tVmi8MCDvYlX3d4vjCA=","/assets/Block-Du7y1x45.js":"sha256-2OHABSiqxve1k7p7rOOY+ZSu3/5+8co8Fkn0OCzYzbM=","/assets/Bot-81n-yyNx.js":"sha256-vTI7ie46qJdblc0Ql4vx4DSR+y3Y3zb7KLcjarISXm4=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-DW9v6jsF.js":"sha256-m+vUj8RnT2odSjwBxO+rFFp+/vKk4PHA+TCJmrnwgiU=","/assets/Celebration-U35vp8n4.js":"sha256-e+CCWfrr1rNuGPoONm7DE4mK8oRQBbjO1WMvOcl2AV0=","/assets/Chain-DH3Zf6aw.js":"sha256-fwTSHX65RFlQAL27wHBklsIt2vP1HR88cWO5ftmDvGI=","/assets/Company-BvsMM2yV.js":"sha256-ozhXoCBYSCMXZei/r4Qjtkq5RaCUtddf784yFPJz2Ig=","/assets/Cup-CQy6EEGB.js":"sha256-XySgL6TacZEZHZ2RrmQdNOoUxyVPEQefoujXQTlRvO8=","/assets/CupLive-Dhb4A_zD.js":"sha256-r/3b9V4cX0yd/8vjW3a2tyEA3xCkMu7fkxdTYNpj1ec=","/assets/Cups-CRVHqWnn.js":"sha256-DQm1lTljxP/ALgUsuZLyEGBp+Jk2NXK2FKrCCS6LdhU=","/assets/Daily-BJzkZMHE.js":"sha256-1epUshAlLWJNuceUX5itrnAGSCcuxwsIjLSHRFY/4LM=","/assets/Developers-CA0JgnDf.js":"sha256-hlw4s5muamG+I5sn6KZBL8DiaIMJV1BBaUXBac+4z5E=","/assets/Duel-D9q-ksdZ.js":"sha256-5xaUeQ5iarROapMCf35F8/2TKsbLmJFBE0p3Fux5s84=","/assets/Duels-Cxw2lfS5.js":"sha256-G42ukCMzzlAcuoVoRSBKtbT1QURD8bnQNdlunglP+R4=","/assets/Feed-dB1XN9BO.js":"sha256-e4rr7zj9M8m+nPvOaePnAZxjNDpHT/XD4B4cwZe3VRM=","/assets/Help-CI118dh2.js":"sha256-yIJTiBb9/kGZhotgiGnFLfiUgLn8Ydj7E1nHDqXUxqY=","/assets/Leaderboard-BE1nOu7P.js":"sha256-HBkN/gSyH/yZpN1dvrsPNvp84DYkpqLovb36x4MdH5o=","/assets/Link-DPSa-kmL.js":"sha256-8pgrXPDVemKZcXbakfeDmdTl4wx4EWleP85EZNhFafw=","/assets/Market-DfECXu0b.js":"sha256-r5iiv1U1mI696raF1jXmZQ0QIgDfAtc8Dzo1XNljmno=","/assets/NotFound-Cld754WS.js":"sha256-0nbzOgdbURc0XE6ZuSVe3COweU8K4Hkh9K3E1FjAUx8=","/assets/Player-CBq9bbUN.js":"sha256-lBcPdR1OwzRIN+uU+sbBfoLCllrhBATCfMm0h1sWK+A=","/assets/Portfolio-md9xPjvF.js":"sha256-EgazFQQrAxnYD3RbGTH/aMWy43c9Anzp7WOWXcAS1qM=","/assets/Privacy-DTTv2J-v.js":"sha256-IxBUiDA7vMGiOrIOlYg0G+uq7DLGoaGWsvM5DOu73NM=","/assets/Receipt-Bg5Rv6qu.js":"sha256-QINYlBJk0fZxBJRq5CeDFKxelKEDI/CpTkiPK7UPhBA=","/assets/Record-DuwBytPp.js":"sha256-axOmsOg7HNAgIwrCnpSZykfxeWLJ8FIDd8s5Shro710=","/assets/Reference-CaZPgD_6.js":"sha256-hlBz3LqF528VKFrp7is+fKLrBL2n02JBtyfYHylynsw=","/assets/Rules-BPe4sJ38.js":"sha256-niMshcRaNrRW9gH19SN46xYaXvsSdePgGuQ1bbEgWB8=","/assets/Season-BcufLNfa.js":"sha256-T+YbIKwjjEi0Zjk73SyUalwuGqjyin8jy22pFoUPuGE=","/assets/Stats-Bqgr_x1z.js":"sha256-j9Nka8asNt02w1iRI3aFBd0rx6HKxWjrWpPyHicgT2g=","/assets/TV-o7eZQdwN.js":"sha256-IJvVcR82y7p4vzz/Ae7vMeiCvjxXK8yZs7u2Mm5Pm50=","/assets/Team-DoEXqZxv.js":"sha256-fjH89LVfEB0cKGdcLFXmashLZ0qaR66TLZyWNjqFVTw=","/assets/Terms-M-OdPwPl.js":"sha256-u/NCN3S2e91OGN5IDi/GVw2SK4qSPqij3ZN2rvNscTM=","/assets/Token-DEqSkjbf.js":"sha256-/Jr7IgDhFXvYwbtL7mIdulZkGHh04f42pGPbeoASpe0=","/assets/Transaction-BLVR5pO9.js":"sha256-LELEpfCVL/u3XHsySBt3bTI/ZhJhGioSHFtEMSl8oWc=","/assets/Verify-BlEdX9Wk.js":"sha256-gYDSVqvmykB9XmKDgvg+rjDQYFabX/lAuCbey9XvuzA=","/assets/WhoPlays-BnP4jzdw.js":"sha256-tNCKT/rVjJI3LKVCs2qVOotGQE+QUfc5LcA2yFEDoP4=","/assets/arrival-BF2LP0ww.js":"sha256-CpguxsNdVdsvWz9xiJvXnd84pLznnev+IaknxFsy7uo=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-C6wLlKEq.js":"sha256-CmEJXhe+lQRV7wZz1c6KX3gNG5ZAfjHpCz2EoAdlPnk=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-B8DK3PtV.js":"sha256-B+wSEWUv3HwYSYTyA+e5ahnqiB6bDioEx6lTuUNde2Q=","/assets/es-Bul8bir2.js":"sha256-CrQk5cDdOsSnoYGZZ82W/BUdfjeSfaIdG/66s5iYT8Q=","/assets/first-BrCWJMXu.js":"sha256-bx5CmcSp4x+9W0GUvKDsxhWEBa9hYiS1lnNGkd8gNw4=","/assets/fr-BM7nA2eb.js":"sha256-7ZIlIoX0LzQPBSNCDo3boUIypv86f2m2GqsgluNZ5KU=","/assets/ja-D5H4-phS.js":"sha256-8lIWZItSribSx+Dy4UqJGIoGzOLcUN3RAIvQfntnsjw=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-D9xu_C5X.js":"sha256-N1uUKcNe0YrrRJawAvF4LDLEc+DiJFy/vCQNp+niRMc=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-sYyF1yGO.js":"sha256-p3BsvEe6twQvLxQqdUSYCJjCJWw8hhJCsQR40pKVYfI=","/assets/reasons.fr-CoN_-Jn_.js":"sha256-kwk6tHgeLNJPXIXnd6G1O0Iv2u7pTPqjbyKNX73X2EU=","/assets/reasons.ja-BBaegZOE.js":"sha256-6ImA6Cp0jd48QxPgf8V9iEh7Tq6F10Q5gUIGNPRcnZs=","/assets/shared-BqtMwT8D.js":"sha256-T+0L9HXEl12avdW1wBpg5y7uNg1VtlgSo9MQJ9FoLqY=","/assets/sound-DfJpisOf.js":"sha256-vkkxyT4oSFox26XojoR98IZxT5EufiD6uvD0wHla6v0=","/assets/style-BAaEuQsP.css":"sha256-MxDT3rQlsZtERo7NHZA2oclzyoB4nR0vzJkWpfuBsyo=","/assets/trace-BaQaCRCK.js":"sha256-MgUdN4l9UEG1iNbxZDbMe7AVktj364ARI8bdNANfKjY=","/assets/worker-BWrYUB09.js":"sha256-JFxn/ogxve7fjfjbwQy06LkES0ywVlLJDEWB4h9jo1A="}};
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
