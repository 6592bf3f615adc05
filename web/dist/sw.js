self.build = {"version":"rDiPaDR3Qi3wGZgD","files":{"/offline.html":"sha256-GQcjYOnsJzhvolaOIgIGJc9kmKnGY6XDa4lDJM5r3H0=","/assets/Account-CjFY4gMR.js":"sha256-UI24QsqnN+Ir/QgWCv/l4kBnMD7wmqQ1G2JV/goTZWU=","/assets/Achievements-DG0SWTuB.js":"sha256-RhrHUXXOiMcou9xntjKJoLx/XlsS8LfUUHFUqPPt2ek=","/assets/Address-Cuw9pp0u.js":"sha256-d7HdeXyc/8TWxcM68Q11hu8W1zcu/peSzcthV4EAxNg=","/assets/Alarm-BJO-rWSu.js":"sha256-rDu20Kn0IJo0wsylpcQCYeqZN1A2XNvpAwFOjNqcr+M=","/assets/Alive-CvRB1HiV.js":"sha256-cdRMMZqALCJrTxeWBwW5d0e4nI1geWfrKe3oZHkkwDU=","/assets/Arena-OtE3qbnp.js":"sha256-gy5trY3/t0qibCqmS8XSS1jQpbvW3SG+yDHrdXswUG0=","/assets/Block-BJwIfiFV.js":"sha256-2avTv9S1309JMz+9sFgD2+cJKe2/AHWtgtQn4yPY4EM=","/assets/Bot-CC7cMuOJ.js":"sha256-JFA8ErW7MhsYu+IOlLJjjVKBuAjWcs3pcH8cL3rPjn4=","/assets/Bot-Ra2Ad3AE.js":"sha256-jB95uEMg+oUbCnI6Bg8gs6/XQd73H28y/146+xwzoh8=","/assets/Chain-BDsp2Mk8.js":"sha256-FxipuZD1FLRuyCWYKgRQysgfGtRt2XOfIHbRu7+VevQ=","/assets/Cup-DMbOe2YL.js":"sha256-AmD6Zhf3lmwUZQf/WAhX+Zrtdri/wS5Q25D7lgCXQN0=","/assets/Cups-D9lPDWUq.js":"sha256-IwtrE0Fr4UmgVkco6AQYbcpLV8O8JciprY3YbizaD6Y=","/assets/Daily-EewATz7a.js":"sha256-q6ZWnGX/ETwHehMq20/BLNHIPffPcSHHOytdbvjcXOw=","/assets/Developers-8dXS1Sfl.js":"sha256-zidXchkcbIhGr8F0BJc7MKcHJu+QRUXAWyV2YKFZnz4=","/assets/Duel-zWd1r2-u.js":"sha256-AG7uCWUIxvLJF7rMkG2lgBICa9G+KYOgK9+6xif0PhY=","/assets/Duels-CbeIh1dc.js":"sha256-SGGIyok+YYI+LdIM3e7/hQ2FTF33T7uJf4hlMTIAiuk=","/assets/Feed-B4KSU4Oi.js":"sha256-1X6ny7s8UboHX6KY+BqFJLmLpkOWP5We9ukJEHGVBo8=","/assets/Leaderboard-DTAn4H4C.js":"sha256-4dddW90n/CRr1l1eBrp++45K8b7lpW+zrtR7jmohgpk=","/assets/Link-BPMEwSuq.js":"sha256-t6yFbH8BVedOq8S8gjuN0RbCOLXHby9+5Vs8FlJ6ET0=","/assets/Market-CbfLMpS4.js":"sha256-46xGnMX95PoGR/LhoegvY+yEpM2Cc2BTABbRsFJInf8=","/assets/NotFound-CWu7jiq_.js":"sha256-eBgCss6rG4qMe4EUF3U1tYXoosWfsckwW0hNSagP3Aw=","/assets/Player-B6uwb--p.js":"sha256-nT+5V1YTaUK1R8YQbM5mjaH+6b30PgJ8c1fZPfdAbMA=","/assets/Portfolio-B4tHrp8x.js":"sha256-HCAlKylvWSIKdMZzIH5bVVMyBFEhzp0TINyOrMmrsk8=","/assets/Receipt-CY2cpTFS.js":"sha256-qtcLVY0nFYlH3h3zF/X4LP5XHgs/CDQr4Xq93lQLOz0=","/assets/Record-8bbGH7E4.js":"sha256-MzVeBE96meuMYissT1ZZuiFtdHsmgr39WeZIwDdaock=","/assets/Reference-BWGKuub4.js":"sha256-eCs9ND/YQO8ebSafgXAPlFreVfBvHRRvqdvMawk7nwY=","/assets/Season-DuhUosp6.js":"sha256-bYoxTIDNhVJ3UMTfXYyE25ZicvECAPYgmElfzA3ER2s=","/assets/Stats-CEXDKMEh.js":"sha256-exOIkslwHkzdXGLR9tRPtZjlBYVKYpEj9VNhR1q+wHc=","/assets/TV-BgHX07Ue.js":"sha256-kEWcXc9f1VxdzPxYq+oW2BBEOt64GLnehcgbGSt45wI=","/assets/Team-WXzm39W-.js":"sha256-aB1X5MK4l3MbcgR68YChMocP/kPRTsQumXnuxEftAwg=","/assets/Token-CK4_jcuV.js":"sha256-QYMrdoB3aoyULuhb2Og/F1/fFuygHqOfDi8Ombo8sjY=","/assets/Transaction-Crn7ke9O.js":"sha256-pNawioUs2u+fNul5idWI227vXkaEDThgWqaXQB05n4E=","/assets/Verify-WmqlWyUQ.js":"sha256-aktwwJTjYOleoV5YOMnRjl0T7AGN+xkj2E6xsX8CSnU=","/assets/arrival-DJl6UEI9.js":"sha256-cA02Nr7Sa3sV6QOcGP47EjteIfJr+z7IZWfjSpMPt8w=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-C2DDOoAC.js":"sha256-bBOev38XjBD50aEQSmx+9lBMqOfMefYI2zzyj6Eanys=","/assets/bot-C2l7auCy.js":"sha256-yCeH0tXrSpnLqUDw97Rrp5qGo8qTroIEC8GR6kcucJU=","/assets/bot-DEOSDJz3.js":"sha256-a35r1zl8nb+xja/oSCNhv9IEW1TxugnK9769ax/ElnA=","/assets/client-DSM1mtHx.js":"sha256-0kuuIrQ8oq4M0u2sFtqa5Bzd5Ih8J7M0SoKjV/bXn94=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BkHEdZjv.js":"sha256-tSaKUapm12+3GPv1/+OJEwW+cFV28e80hhoZ0KKakDg=","/assets/es-CGkToAeR.js":"sha256-RiKffmBBriCGLDHtH4tW9TD7BD83kAstZZ8saRcBVOU=","/assets/first-CODbn-_-.js":"sha256-EiL1b9wcQanvTa1E7bpQb+4LQmZmUk8SeRX5itrO62s=","/assets/fr-CKcDBriS.js":"sha256-Dwn124jnQzFKc7kH3MOSE7TfaPfXosmfKb0hPzXv1R8=","/assets/ja-BpGy-7Mg.js":"sha256-U3+KXYDI9DD7HI3IzWJkquEF64GNptxk6l6HcJ1pqt0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-BlTSP4-b.js":"sha256-vRepiUTTpIN3TiioOG/kEr4x/4NyqCqKmXWA3zDY1lE=","/assets/sound-DA2By8Xg.js":"sha256-LHEMwi3nMCuhY7nm+2ideNHmoGYFYDYEEDC9p15twoE=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
