self.build = {"version":"FMqpZhEsvIoo0AMC","files":{"/offline.html":"sha256-BRVnptrANw3YryZCxA06lQezxx5gxEign5x79AYyfDs=","/assets/Account-B7lzROK2.js":"sha256-MegUmd1m0ynnxn8nDGdpKImJrLhOo9iDAJGNiTgUf2g=","/assets/Achievements-D_7YaRfL.js":"sha256-nbP6ACow4BOsE/uVtWY4M6CcQYa3CXyJFYVLMPnMZHo=","/assets/Address-C9lzYxUT.js":"sha256-HZR5FDIem1vAIW5qaza/zYAVkZYx01eUaT58HGWP9rE=","/assets/Alarm-CDed04R-.js":"sha256-7RyMT5+vfUxvnFmMMuxufJ8uze3VInD60Paj0xTr4Eo=","/assets/Alive-B2yX--Ra.js":"sha256-yX+3NnNyY0QZpf0BYZOIaWhmOa/s/EajbjqYmSsnav0=","/assets/Arena-BlkNsTMt.js":"sha256-XDfkGOQHunaOyu6cAUtKrf7PH4BmD0lBPN8jy90qvqA=","/assets/Block-DyRReQz7.js":"sha256-OU9jQiSk7mOWPH06tFKm7Vy4Km6jdyfOAcKg+z5gIgo=","/assets/Bot-BDnKHFFc.js":"sha256-36JizSBu/yf9p+KSe3Nt8KCSz26dfLHZTxv4GKz959Q=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-DvTi35sx.js":"sha256-qOYFAlP1D10WJ7RtToQkDc+sP2YSlLFQGKzeOtu5JFU=","/assets/Cup-CIC1MtDn.js":"sha256-GA9moqNHz2bBezSkZgBgSLcaAnD2yKg02gbqavBiXm0=","/assets/Cups-xdAvc6tr.js":"sha256-k2R/o1HvrCnF+PBAhvsb3kXRA7Idj402BQahiA25wkg=","/assets/Daily-DWHKlbcB.js":"sha256-MwqHJO4WR0hAMAsdPJhmV1zzxS8pRinrK48npk5TBuI=","/assets/Developers-CYGrYZmB.js":"sha256-PL4wfAlzUD6+ob++AH2KegQl5D1rDQ7xi0TJfEyifc4=","/assets/Duel-BGM1Q14P.js":"sha256-FojkikMShpFvm6NBqLEA6ViSNkii/nDs8x7fYGQQFNk=","/assets/Duels-P2IxNQKh.js":"sha256-0mEbt8bmL3TbwzKHrsnrzPoqYjYm6lQ7uEfJotjflLE=","/assets/Feed-1Q9Izqhz.js":"sha256-g7hSkturIS1JHjd47ZnbkFSWklJlu9pWVKEuTG8oBx8=","/assets/Leaderboard-D1SIpAbN.js":"sha256-+uDFgkCEvnFPkkUnd7I1gVv1782IUUp8SvwtVgjbdXQ=","/assets/Link-DP1BD0bn.js":"sha256-iVUJ7ru14Y8zx2EDs+U1BB7s6gscQDUBB2lp2GcgO8I=","/assets/Market-D0JsmPTV.js":"sha256-3Vg2pQcbRRBnNflr1OXG42xcZo+yrACJe3/PBaHFQ0g=","/assets/NotFound-Djo3SO6Q.js":"sha256-zvTJ714g4F8cxSeLPb0lP5fI3bIWR6ozIoPJGY4SZ6M=","/assets/Player-CV_Boioo.js":"sha256-7Odnn8mJRJ+wRUKxUru/1kCjS41bPV6CHYkkwBzOciA=","/assets/Portfolio-B8O1afCV.js":"sha256-pcGyuq5RPBH/Em+MM88L+B0/mV7KgG4S/EYaSxE7Jd0=","/assets/Receipt-DBd8QAus.js":"sha256-yOSxRK1rPtT2rDNqVl+6OeVxPPDfgqtZ3p20JotaAzQ=","/assets/Record-C5YglC-e.js":"sha256-ozcwJcTZ5381BdawRXfk6fYpc3vXXsatJZQABlcKzp4=","/assets/Reference-CRAvYRt1.js":"sha256-+au9nQxRBS+FAjm621gkmSTymIJOXJ2hGj3U75JxV0s=","/assets/Season-CIrItwAN.js":"sha256-/yicPM0F8GlP8cxJRfI7fhUL2pci/hTOvYkMvL376Ts=","/assets/Stats-BcpzRQCV.js":"sha256-x09ChkRLYF3ibavwMFm5ksSemV4jEF9i3Sz9FXZOP6w=","/assets/TV-YRD3U_PK.js":"sha256-lXqcZbzYCw09Hyd2NKwdHh6sOyjljxDalJMi/JmRSZM=","/assets/Team-BosTV9TK.js":"sha256-QE2tAdOQL17L17ZccxXy2CTP70UOnr29XIVFvm2oTPM=","/assets/Token-AI2_Vd-_.js":"sha256-mx1mu7l1miyzu+KTist3oQn3AP5jfCzlFd8YurZUACE=","/assets/Transaction-DwYu1LrA.js":"sha256-TCPhigmZO/Cletch1P7AT7D31thbs/uBlOehHUF8Y3E=","/assets/Verify-_tCNmeEB.js":"sha256-oXsVz/rqfAMt9Z8OGVtxaKVR/fUgB4u7sUWsHwINh+A=","/assets/arrival-Blp1SGtn.js":"sha256-BXcxlGKBn2StTRVcM25LBe80ZvAYx3RufDoYYmVHVDY=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-XB8yHoTB.js":"sha256-itHldkYzooAegENoQVBxq/iiEt7NGyDzj1000oKh7PA=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D1K57tj9.js":"sha256-ONjVFhbqSD1r2PSe3bND/NjRQxJKbxQxpggwqqXcMko=","/assets/es-DAJuTtY1.js":"sha256-mplLEL7E4CgVmlxeT9ZJYorNPwtfmrtYr9EGb2uL5ss=","/assets/first-Czz8tGxG.js":"sha256-2gaio50oaJEqpTIFbFIj6tvHDDiPrrkd9aqeqrxs8Fo=","/assets/fr-BbFNoM_V.js":"sha256-r/6HL5Nb6qtYTtPuEWxRRlP7zftXB2+hwmXMdk8Tmb8=","/assets/ja-6i1hlPy3.js":"sha256-QpPa7ZxD60tw0+G/SHViJmGBQ9K04zh/ZddmZDxwCTE=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-ovS9AQ-e.js":"sha256-zkHGx5WDnI8yZhlF9WLMNTbNf8KBR0+Z6t/sCGVGlVg=","/assets/sound-DyDt8iui.js":"sha256-4Jh0RKHW99xzkKOg7nwJkLLh7MueS3tziGtYvndwT5g=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
