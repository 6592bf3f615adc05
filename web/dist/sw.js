self.build = {"version":"8PfmUaNmqcSc7n7y","files":{"/offline.html":"sha256-v4FGTOcqOpK8ubhq3XyzoGM1tlTDWIdyrzD8ZfXo/9o=","/assets/Account-kCewn6Me.js":"sha256-yy7jg3X7aoRow7Ube12wMLh6mSuI/17a7dmHAJAcHdQ=","/assets/Achievements-BcT3DZEJ.js":"sha256-9rkonEk82xI7klIbLq1DKwJfPk6dKrB+2DqCS1Jy6eQ=","/assets/Address-CHeYq0AY.js":"sha256-f8y4Vd7UY1Zstg0yCy48V6cSBoFIn9Cm6FBo+oKmDHY=","/assets/Alarm-b1qVcPMl.js":"sha256-ZQQeed29vj7ERrzGhDmcutKT81B8dCqjmOdeFBsMlZc=","/assets/Alive-E8lHeu04.js":"sha256-NDtba1sHt94FSA9Uy5y85glRRNtzEOZAQyTuT4hfBoo=","/assets/Arena-CyXtMEB3.js":"sha256-QXtr9BhKyo4GHnDXrwaioJIrMQEiPwf+isPCYf9s9SE=","/assets/Block-D9Jp_MiJ.js":"sha256-Bx6Z2DzhB5FMB7+OcpyFLb+/3P7JCOZG42SgjclA5sU=","/assets/Bot-C4yesyMN.js":"sha256-iIz6VFRvyM0RADT7FEQj5pdMt9gdnij0rNPl+Ker8dg=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-D_-DXdvB.js":"sha256-jyK1rQ9GCo8ZAEWuFYv8mn12Fj6wx9ufzP3lV3EdRdE=","/assets/Cup-Dn2_tIFb.js":"sha256-3Y/uN+5X9jidxo72we4YuDUdPWdk7Rqp8YAmeZ/jseU=","/assets/Cups-CKGNIXQ5.js":"sha256-/iDe6JJraVwHLbqysfn7nogX14nWhPFmUJjJ//bmEEU=","/assets/Daily-DRzdVFLU.js":"sha256-Mb+TlQIrwoozrZz7U02NahtjUCiP9Tn4nJ7vmWAxnHA=","/assets/Developers-Dt-DwlPP.js":"sha256-uPQAXAMfntE4hu4jzM85CLpoouCR1FQP09p7EZi68Ro=","/assets/Duel-DkdnsI1b.js":"sha256-kOEJ161Y3ImkscNw1zl0txb5ymqDFwsRUzHeuNHH/yo=","/assets/Duels-B0g7KKiS.js":"sha256-pvlbWn8dC/gY37RSOJkG0Vd+DI+cADaEkTZDVD0MsdI=","/assets/Feed-Dm-PZ6Wx.js":"sha256-0nA5xswz1WxkYZ6r7+sRkE5mHbI2l7xBOMZOeDSq2RM=","/assets/Leaderboard-D71NYn13.js":"sha256-XuGDwWrhTWfzRwhngCKpS4xDsQD6DlwJwxIkoT7VH1Q=","/assets/Link-BYcR0RHa.js":"sha256-/phZn1hWdE2ayCPd7XNZ4Nf3TOC1ciUuKoK5loIMQG4=","/assets/Market-62LK3A88.js":"sha256-2ZWhr2Zdozdjz3ocSjnN4TuBvPHJL/NKWDZsrDg7QXQ=","/assets/NotFound-CCNClymr.js":"sha256-D/farISHhkj7Nr2FX4sgxPhmznIVHg+icaFPtUfkmu8=","/assets/Player-Du3KUnG7.js":"sha256-bXW50cWgIpKtLpF0a/yATh7x2SjhDReqNBH3lSUarwU=","/assets/Portfolio-D7_RqRXz.js":"sha256-OqsweWRdMVpkaf9AS+evI0yidHRZUKumGfGHE1N5vMo=","/assets/Receipt-KFO2FQok.js":"sha256-eP5y4b00boWkV1KBIHvVT5RRg8llbFp5PIrqtWvce/o=","/assets/Record-C3iJqZKq.js":"sha256-F3Hr+C2nbSz2Oc0eJB01BFDT8FJoMfm1QgcJXHjqZoQ=","/assets/Reference-CiR0QP1v.js":"sha256-5heNNCIT4azBzApM55DNlOrAQk9ALW/LIKgRz8CDIlI=","/assets/Season-tkyfvGAL.js":"sha256-/Varq/DIL3JQ5IbiO2rxysE1a7lHM1FdFFTpwcartSI=","/assets/Stats-BugDcgxh.js":"sha256-/tKzT0ISEiOKoX4jYc+488Ptu4yq5wcE8COgFnZinuU=","/assets/TV-B2KE_5m0.js":"sha256-rpytIgBZX/qdDxZ6qtYv/dIvIaUE6DaAyD9E5KWvtkY=","/assets/Team-CC0to6ZZ.js":"sha256-W3bGYUtkejl+tluaGB5o5ZG+vsdV5JSmTWhbdTW5HYg=","/assets/Token-DEdYhmcE.js":"sha256-NkavSnj0ItYIgGyqOrjNd9Gejm9kWCqtoHS7130AivI=","/assets/Transaction-CQVvsPY1.js":"sha256-sw6/r0w38RSor6xeqEaRxkyWFsmwgC6ArbAQdcpAlBQ=","/assets/Verify-B5g0e3Y9.js":"sha256-cgMzOydSkQG92dkmZI2AbpP0v6B6qP0ajRAAvgNw31w=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Cbqm0DEy.js":"sha256-fPQpOWhXOofTQnlqSgrCve1NJf5ZxyPz5gPywWzpXto=","/assets/es-BN8wLjiw.js":"sha256-wJXTcpgXBKL4B6hL0WB4KDrd0vXXTAEIAb3IvqvHENw=","/assets/first-BaX8y880.js":"sha256-nvStZtunHe1/kOP7yX03PEDlYq3kolh/8kF1ZU8cqZ4=","/assets/fr-zu-O35zD.js":"sha256-J1vKnYQTMMiUdPlhSF0UgQC1ackihXGnsy1GW+24N0A=","/assets/ja-D014_CEi.js":"sha256-a8ebrL+q1Uj72lJV1eCD42DJerwQHnN/mCUVlrkhB+U=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-BYeCLn3f.js":"sha256-q60TW46lIVCmLKWbd6yG1yOVIabf0Nm/PJcBDRi179k=","/assets/shared-BQfa2Pst.js":"sha256-O67T7/2g/6a7lkJYQABvQ/7DkV4EUJNLPHS84qzlr+8=","/assets/sound-Dz85cS0K.js":"sha256-UJSR2ooKXhuQNuU9Xq+7x4vgLmSEGQ7OmRd3INl5Hx0=","/assets/style-BfmZzJXy.css":"sha256-7nCCu48EDboJisBqO2Bojwak/eQIxk7j1UuyLsmE/nE=","/assets/verify-CYymOoHp.js":"sha256-yd5GxCOEBPeCj8hfWGh5z8xnJ2IYelQ0FLXsffTgvLA=","/assets/verify-Dis6H3xu.js":"sha256-iPJfWaBhENg2yUa6lpLamyCnC5S7nlEUQkL50OaHFg0="}};
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
