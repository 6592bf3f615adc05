self.build = {"version":"RRXODVzzUP2C+KXK","files":{"/offline.html":"sha256-PEedzAyRXKHxQH6paB3TWgQ/wmEoFZYO9LtJDWfZuKM=","/assets/Account-DCuCfMOj.js":"sha256-dQIiu48gKFjUpUmZ1UvXadvH/iU6wi+sLQuTwvWGHkM=","/assets/Achievements-CONllCfj.js":"sha256-3PUs4Ko8LVEzu8+6Dlzf3qUR/J6CX3qyukSt1vrqBMk=","/assets/Address-CccNxCcs.js":"sha256-nzPE5pVOSoQalvxFDtDWE+msiPdMhqGFyWVWc+cVUn4=","/assets/Alarm-CogVBS_J.js":"sha256-vp3HxDBzgFAlHuPAvcuxqhPkU6Sq2B2TuN3InA4kRxM=","/assets/Alive-oibbjHqj.js":"sha256-DOMuPFXc96Zdlygyg4J+XPCqMEQlpBJKqcVWoFsojMs=","/assets/Arena-D846E21-.js":"sha256-9KPPyLsaepmJtPf3ukId/2cpusjyce2ZEGWB4j7asO0=","/assets/Block-C-jAA9MU.js":"sha256-s6w+Gy8r4J4NVUmvZEWN774pnof46tZjoGONEtouGaw=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DzfURJ3j.js":"sha256-iA9RPlnvfQRmzjPUrLuDmd6O17F35/qkRE8Ltuq7Q5g=","/assets/Chain-mHGBjPvo.js":"sha256-0K1o1ywkqP94hwyL/gyGd8TRm1m0FSQaNYgv1MWQ7dE=","/assets/Cup-CeYJHzA7.js":"sha256-czXb1n3/lShHWxhe+IqRryeiMnWf9k8nhEFrWWe8iAU=","/assets/Cups-CGxNsU6p.js":"sha256-AYWcQIHikycrt9OJmM8jfQKLbciY+UV1btK8FFXeSus=","/assets/Daily-uqobsOwp.js":"sha256-73m/lkXiOE72V9OzC2RHcKKpdwtJB4pATrfubTMzN3A=","/assets/Developers-EosizxDZ.js":"sha256-nzg1Zd3UQMp1L6oesV1c4O9HARwUOgGElu5++C55iF8=","/assets/Duel-7KZx_nso.js":"sha256-1D55v1/sGGEpozA/SBEdAs/VRWPByJbenp2uTEnek/Y=","/assets/Duels-DmZAmpDK.js":"sha256-ne7PGEM0PHNq/Kre8Dwo+Okpu800FKv2GJVi1/4Duvw=","/assets/Feed-DgUqG-7y.js":"sha256-9G6rKMMPuCt6KnZCBXOhSpRBfSA0Op9BPWCKFjBH4K8=","/assets/Leaderboard-DdvnJGoW.js":"sha256-0A3beJcwzAm/jkdX7qxCkBsDxo93zcaxumvhtM0yEMI=","/assets/Link-DnFrRh2u.js":"sha256-JiAtE39JV9Pit5as27NrNnMppW+0gSx3Pr7J4fNjRDo=","/assets/Market-CPrMdRmn.js":"sha256-UKKtpudU+jmRm/FJQfjVd0ORcznx6Jdpe9zRvoJCHdg=","/assets/NotFound-BLahPDL8.js":"sha256-FtUIPJDKQQFlCxi75e4APCtFDZQXVIR4qL4oxqbUYUU=","/assets/Player-CEZFDkpO.js":"sha256-xXDMLuPbvlTC/GoKUEyLe0UCzEge7O2ZR3jDUUVAca0=","/assets/Portfolio-BnrIwfv3.js":"sha256-ReGlZ7cowgGX3CGUD81YL9SjAH77En1JPGGom1UJvjU=","/assets/Receipt-D_VyA95A.js":"sha256-dGvgOqUH+fTYdQQZiK0dZUbLifmXuHDI7Mgb8S6jXhs=","/assets/Record-YmLl5Zw-.js":"sha256-k1Ehs0GsRrZCGuLNMiinqycsGX8PQ4uCh6cUAjK0aME=","/assets/Reference-7LE0oV3-.js":"sha256-fGzbYbNepMlUD+S9Rg85m0N5VHWKs04Kvmqgb7XdVeA=","/assets/Season-CWuiaKW7.js":"sha256-AW65ZMDGMh6xK3AHgpRX4ROXPaxX2F4ls8gEM3JaH5U=","/assets/Stats-BxftfbiW.js":"sha256-Eo+xEBuBXrGSj6ZYEKddh3/zz85Xb0MB/l6elgEFmlc=","/assets/TV-Dk4FyFLl.js":"sha256-A/z+TW8oZ16jwmaPdFz8bzousWkGSuuoD/lJZBHJdwQ=","/assets/Team-BzlZHAZ5.js":"sha256-fp6iLJ1jy3ADTp0oS8x+mZJPENT87ziIqZAQbzg0jBI=","/assets/Token-DqVODaft.js":"sha256-81/M6g/vkgm4bgZ3MG9eoPsbJ5bLRtA7A0ah+UOYawo=","/assets/Transaction-E7noW-g5.js":"sha256-NYRgvMJ1Pl96Ri3pxc0X30S9NuATvoy2iQEi+cR5fx0=","/assets/Verify-BYPenbqV.js":"sha256-s2WYEJakmS9oZT/RC2et9OSdGKYy9dMdEYMbcxUDVk8=","/assets/arrival-ueJkG9VH.js":"sha256-LQNwK8hYeW5tVV0v7aQ/3rxDtnabZYcaqRUUgroqpdM=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-BXVL8-VI.js":"sha256-SLFZXuNBorpP8gL5F5/Ny+Dc/Uc3ZBPQVifsvDFuvxo=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BAuJzg3Z.js":"sha256-wTALOceSnX7hO7Fq4v+o/hQDFxfx8jTf2pgaBpZeh/Q=","/assets/es-BRu6FPb8.js":"sha256-i5huaiFDBfjwn8ly6TCT8V+8fCqIKeuDYxqbM6/Pj14=","/assets/first-D9g5JWM9.js":"sha256-ZdDcve7dQkV5QNmlMhAW83VvPy+cOMsukMMO2gXpnyg=","/assets/fr-wrejL-63.js":"sha256-jvS5ZY3CIHb+/81CAQuf5iULbCoywmaZCnJH8wpzJDw=","/assets/ja-DGfTbo8m.js":"sha256-1hLy0KmrsQVlEd7hbIdSNp/eO3A9sBgsqVRKrZkRuU4=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-BNDvf3KN.js":"sha256-j9yO34fxlQaUsemJ7Ku3Ula5lgzoRjfO7n8TNcwgHlo=","/assets/sound-Dqiv4ePr.js":"sha256-2Hl9EaDHyr5TyYrv7na3fLo+2Yb032Kzx+i6UliHyfA=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-CbqwkjCt.js":"sha256-D3zzAjYmUiAVlEVwjJ6EsW0RYbjAPQUSQRGge26G/p8="}};
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
