self.build = {"version":"hmZ6oOEpfs7uyjpq","files":{"/offline.html":"sha256-3ZjzPjZRHuqMvyGseD3HH5sIpZ1nkGVkJWnaDVpEUPE=","/assets/Account-Ca_B9TQj.js":"sha256-23ViZmHIY0gqLJqEXf06heUKjD8vYWqkVWOJJYwIyQk=","/assets/Achievements-CZZ9T85I.js":"sha256-DWuE26+imMsIZj5Fq1UvP37vGzHQwfXGQzUUkDGIrWQ=","/assets/Address-BS7nOAYD.js":"sha256-K5VV5hkrpO06PSZbm4Cb1xp76o9YJVUQS5GpaHmCyBo=","/assets/Alarm-DwxPAzGs.js":"sha256-pYH4n+XVsmxmOXme7qWEtCz79Ri8FjCgUHarGONh5MU=","/assets/Alive-FwVtawX9.js":"sha256-sc18gyenU7KEwfQO2QpSveE/gkxYuWsPtUBxH5zIWbE=","/assets/Arena-XpbKx8n1.js":"sha256-8EQyhBgq+cMEo2Y8eqVmRB8IoAjY2IbjkT+lQChI/9w=","/assets/Block-BjR1d41O.js":"sha256-/SWZtX5QsWJRDLk5DtZFA8ajuFGK740FC8EYWXtdHxo=","/assets/Bot-BEvaVs9S.js":"sha256-6jg4dtKMrH5CiFf2CQI9/q0cMTHJN8+7vWGUhDZsDhc=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-Cx95ao87.js":"sha256-B1wqMdiYPbbstHwWW1I2Y03nP0JuLcHvAVFH9L3Nmqo=","/assets/Cup-CBtUEeeC.js":"sha256-HhuOvcbHJfgiI/iWtVSYf0cZIhv+G8SV1VlEleyq5Gg=","/assets/Cups-ZGjBr-c-.js":"sha256-uyx5hHN662r8JxL0GRuFHaXZ0m79vPfbsJuHqP4gKUQ=","/assets/Daily-DPVBU_i6.js":"sha256-/vnqbLfIugqPlaSoTQhRe4wh5gK908Sf7cq5LEvE1P0=","/assets/Developers-NZC0yrO9.js":"sha256-+vRkvPN4V6+808QMuDK5lRymq4RcUmR2MTjuSWzQkRQ=","/assets/Duel-BtyYGLm5.js":"sha256-qtbsXNHLcHvbsGkBARYzu1s/8zA1gRXUXJf3U2tLA9w=","/assets/Duels-BOdKkUll.js":"sha256-tMUQUtvySP4ywG/mmcCKy16w5rMhQCzKkhK7bg1IrvQ=","/assets/Feed-DBBylSiT.js":"sha256-PQQlANcykeNbAxbYsJfQY3vv4KzH0FgKPZJ3QMBnPPM=","/assets/Leaderboard-BHtugSI7.js":"sha256-R6uACB5DK8AQYTuDeegoqN3+gCS4dqS1vd68Sp/sp88=","/assets/Link-mrDIHcj3.js":"sha256-gmorBTj3U3wrhrMqoqkE6NXbu7pMRD/PyM6Sf1Ykrx4=","/assets/Market-BuvMlXfz.js":"sha256-djoKwqJ0NyzRXcalQV6tWc0yhQyvVrRe34aWEQr462I=","/assets/NotFound-B_gerEZD.js":"sha256-HnaV+UGAsPiw8P3rE+QBCKeqlvvwLUQFFVJ+5fL9NPA=","/assets/Player-BjinKqGg.js":"sha256-OcnjvukqRdqJb4MGuTdMmVfOLZRIem28NK2FoaxvOMY=","/assets/Portfolio-khvvqHOH.js":"sha256-bRbtBX2bVcNDshbaYyDp3+VLoYfydH4FKS2Bg6+7jgs=","/assets/Receipt-B4OpFCF_.js":"sha256-57vP7+0fJcZynYGuyE7dGHTFtf+W1TGTj916ByWnIXA=","/assets/Record-BRBLeMse.js":"sha256-o3mnmaeAgj09cmrLnsIhYpfA51WRWPM3tYpUABkMqos=","/assets/Reference-BBEmtCB6.js":"sha256-6JrFdZAJxxIdG/qrzi9gXUkPyP4Jw+ilx2PEwTTWu5o=","/assets/Season-HKCVIUBD.js":"sha256-XNLLSe6Z5+5dy1suoIIWkPEsG7+yMIexPsQW9BJeImg=","/assets/Stats-C12H9nwz.js":"sha256-M9rKAa2Ox1lBS36BVnBc5kRuxBtjT1zuw3Ssvf5h7d8=","/assets/TV-6TxcPAxv.js":"sha256-h6DxzizdkRP8zCn9YJPAW94e7WwM9ogz8Fjy8a3IHtY=","/assets/Team-GHGsuLbw.js":"sha256-EyAYg1Iw+5b5sLGl4yfTBXC484EQW2jo25Iy+7z8pCA=","/assets/Token-Lq2LyM9q.js":"sha256-JSDxkgzoIa6cEKSrFLBV8eU85KMvkpQ42I1NXz4dIz8=","/assets/Transaction-DC7QY-2U.js":"sha256-6qixxLuHMqweHR8+tZQKdX8rkfw4qmSKhkp5e3P4roA=","/assets/Verify-B_6Bgh-q.js":"sha256-ZLvfUAZPYlOJyfmTP54q+JBIiEGtZjOqMaqSYIEtCRE=","/assets/arrival-MDeteg1X.js":"sha256-P0Zv7dXTHWPJHxWrB5kGqqjK/17SnTGOkCxxZAKsImw=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-CNWIoTpY.js":"sha256-aMkMYlQq/clxIPMnWNgkI08FvcDA7sfU/b/5D70D4Cs=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-CtIQzVbz.js":"sha256-cRiWVhq5fccAjoTUdMhsXIUQQ/qKGsklrQpV04KiHMc=","/assets/es-X2H4kH60.js":"sha256-iLrV39OhMBqoGIYxeFSuiRDseJDP7gHk6vQT+P94rf0=","/assets/first-CNyTS0QD.js":"sha256-mSEQb/dK+zIMSwWXtZaZCI7DAJIdtZ+1hVTWaJnsVQ4=","/assets/fr-BFsTzzFB.js":"sha256-OS1+0kH8it1GKV7wWTchjnfJreC1u1nD3ezxIEcoEiM=","/assets/ja-CWSMoKyk.js":"sha256-ZtfkbBvIMb8rn35K+/XDTs6mR37+Bk0sD5clHJzfzvM=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-DOzG4F13.js":"sha256-Y9nU0HGQcaPdswn5Lf/cySKuczAcmLE9vJzKqOrsmEE=","/assets/sound-CEk32Zaq.js":"sha256-FqM/630a0tzNlCDuXwboCJn6QILbUaBUTrxcNqrvhqw=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-C-jb3Nio.js":"sha256-WjtWcx/R1WM5c9dDgLEjQju3KBVJ4bTfegysIW3pAF0="}};
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
