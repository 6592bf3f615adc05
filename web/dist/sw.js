self.build = {"version":"fmKw5mb/ANdfslIH","files":{"/offline.html":"sha256-vuAtu0vTcrh0h+p5B7YGksWJznh69Qm6WPDAYddsGlk=","/assets/Account-t0-qmNPi.js":"sha256-b7/PlKV9b1vdmo6Pyi6YsP6OsC0Z4tkQMi7qfKxT+Tg=","/assets/Achievements-BcHQiSEH.js":"sha256-a5pNHmqRI9F0DHHhAaux93SpS2tygOqGTpGRGZELcXI=","/assets/Address-DbwkmLhV.js":"sha256-IGsc5G7sZwC1UwAJonKAW1kvvJCOVOXMZRZDU32ux+0=","/assets/Alarm-ScaloHZd.js":"sha256-ZSAmAPFMIeWSrPsbTJgwiD87TPpxEhDdDEBSi9xtxR4=","/assets/Alive-B20FWhE9.js":"sha256-LqiAidqQ2YTJGF7t+gvBpU2AbXUGQ4nuyDNHa8eDUvc=","/assets/Arena-n5T-WgEJ.js":"sha256-7P8D7N74dV1U3J+d2a2tH4AD/61Xhs8YyWUm+qqhhcY=","/assets/Block-BiHseCtG.js":"sha256-8blttaalYBpUDokkvo90EA0dD3m9PbiA/uLGO98MgvQ=","/assets/Bot-Jm4wb8FL.js":"sha256-OBR5wcP3cXK2CY/5BGf0IzRJvL9oj/yVelVZu2nQOy4=","/assets/Bot-Ra2Ad3AE.js":"sha256-jB95uEMg+oUbCnI6Bg8gs6/XQd73H28y/146+xwzoh8=","/assets/Chain-RUP5Air3.js":"sha256-eZ3yYrxzj/4xpzhJ6Pp+V17WyYYHEDwf80xP76FrYjg=","/assets/Cup-CWAlg-9q.js":"sha256-ENGL+0KOtvaUHMHnfnji0G14Vi2DQfi4ZqACeur5e7g=","/assets/Cups-Bwj97Ty5.js":"sha256-2ex3J7TR79gGULZe5J7G+AVGxjcicVm39RlNEV+nHCs=","/assets/Daily-BUhpmlgq.js":"sha256-xEz5zZnat9fNSCtQs/WBtGLdWelyT0GZonxP2FlBOoY=","/assets/Developers-Zf0pqcos.js":"sha256-zGAM/tyyzooAhw4azEKckhFml1E5nR2KL9rgp5uxGt8=","/assets/Duel-P3IqrM5r.js":"sha256-EhBavDQ2DEQQe7d0RQdxPkPj9bbvbir87tgCUfWkXrM=","/assets/Duels-CaD6cchm.js":"sha256-+spIjHgfwemFBlLXHHXatxPfnXWHdbm41SDi9W9TTao=","/assets/Feed-CZwd6k1D.js":"sha256-oJ8cpXzXYlXL2PdJfqose/2TplU7goWoB2yna5aCE7E=","/assets/Leaderboard-BRpG7HbA.js":"sha256-M91sflYm2EZs4LjoO2mcQScLqCpFHUXVwEKoahQEDJE=","/assets/Link-C2nxMxMX.js":"sha256-0rRJpcrBkJzDLRFrWhbw4njZuB5TRiFSQFOsfemnkoM=","/assets/Market-Cedyhevl.js":"sha256-7KR4x64bewW1ZRH39b7tNeeNvnSksYlykw8j5qzzM1A=","/assets/NotFound-B0KXzYpP.js":"sha256-aObIlXHLSwrHWIJJtUwaqdbPgvHK69RfognKIcZsmkg=","/assets/Player-Br0KGS5Q.js":"sha256-nfT1rl6LSvRh7GdF8fkp9Q/bNi/4wCfMlsthTnsCfUQ=","/assets/Portfolio-k_9r0844.js":"sha256-2cg3QK1fB4HElNjIz72B5DYf7N2cv1/A6bIIzWaaM9I=","/assets/Receipt-DmsKTT30.js":"sha256-geAZR8MnYN4L5V0BMLooxmCFye0OgMOYgHzmNloxQjQ=","/assets/Record-CHDlcRGP.js":"sha256-cuSMfeEdC/D2bnzv0lXVYKR5jXWWjKt1W+nx37VOX5c=","/assets/Reference-C6u62O0h.js":"sha256-9tknFLDLNDoPZTcjHZp7AfKoeg5SYVzp9l1WJ71LLUI=","/assets/Season-DM3Eqv48.js":"sha256-lm5ukOfIb76nc1mq62u5xRYwVeQ6WNc3Aui90q55WkE=","/assets/Stats-DiKf1i83.js":"sha256-C299xTuSR7A3w5SR0lpxK6gkolM98l8aGilNAwPL/3Q=","/assets/TV-B6tRHQFF.js":"sha256-0X9h5P3OS+o4B0elLlNj2BMtdQUqsnk5p7URm92n44M=","/assets/Team-DKRu8ezN.js":"sha256-lQ8eJq3BTqbIFOfcokX8d0MyIV7E63YlpnfcERDV6Qo=","/assets/Token-CnQOxO0f.js":"sha256-fH/rXN2MefIbuVwCcTz1/T07R1h7TMucg9LUhnDliBA=","/assets/Transaction-DqZKky0i.js":"sha256-NmiB6AylqGQRUaZuCNtZtVd7XVnMkIV7m0BCwRqqQPA=","/assets/Verify-BD_v-who.js":"sha256-Wrll7gus67OzMF7syB4iBxfahnTXMyUjo29BvZD0w1c=","/assets/arrival-BVEGXucP.js":"sha256-pFDDBGFzNqjLkYo5yNiEM1CxF5FJ/UIucbeYfRFU3Bg=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-C2DDOoAC.js":"sha256-bBOev38XjBD50aEQSmx+9lBMqOfMefYI2zzyj6Eanys=","/assets/bot-C2l7auCy.js":"sha256-yCeH0tXrSpnLqUDw97Rrp5qGo8qTroIEC8GR6kcucJU=","/assets/bot-DEOSDJz3.js":"sha256-a35r1zl8nb+xja/oSCNhv9IEW1TxugnK9769ax/ElnA=","/assets/client-D3WaOT2Z.js":"sha256-odiQBFFFlvJ1ZlPBx0RAtMNNGKuiu0C3EmGSS2V5dYw=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DyLFw9A2.js":"sha256-pBYm9zGoY8/qMaHTLDOFJ6+xKTkmYflGTepQPM+KmzU=","/assets/es-BUo9HptZ.js":"sha256-ovCuXXB5dK2mI9hOa885Se2/J7TEDM/GjF0FAQ4jjoY=","/assets/first-D-JVvvRe.js":"sha256-4wN2hJJ1Ie5LLIxF5O2kJsFv1cD083MmigYjI5jMMms=","/assets/fr-BpFKIuI_.js":"sha256-OQ+Q0czUliQFnBJQe70qJBF3QZpe7wS7CYV2wLBYCiM=","/assets/ja-DA0s5GXb.js":"sha256-GJA8GKGpVFuqlUELoYxv/ploOCc4l4cyHrd8vzK/52g=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-CFBG4n_O.js":"sha256-udXDnsX7cHhLRyIvgWkKt6iIwTouq6eAr+2IVeTHsBA=","/assets/sound-CYB3s1iD.js":"sha256-QcyjJuKJhEeNQi9RY0FdunD6/ZjfCT40zDUlzVWDqTQ=","/assets/style-hiaIJD1S.css":"sha256-nALgli5UXXTiG66LmLQdy1b1VDldkHfNhePX0we6cPU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
