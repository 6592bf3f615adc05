self.build = {"version":"qzeIQbS7ZUu2jEHC","files":{"/offline.html":"sha256-8iCQ8sociX3wuVhIBgBNU6TV2G++87YGJ4dCiC8MxA4=","/assets/Account-BZCnBfgP.js":"sha256-eA/PkuFbX4JSTYZvCA2AUp53skirYt6bUCw3cywBCTc=","/assets/Achievements-C6dl2Ycf.js":"sha256-AOacQ7YyxS42hu6GXuP5jQqVDcXMB24y0ybRoVzG02c=","/assets/Address-Ci-5VYZW.js":"sha256-UTug0midjOlb4zLnPPlwP1yWgBI0ef2cvDLedtnq888=","/assets/Alarm-Djjnmwx9.js":"sha256-zmhp1GxB00msPkLSHdQwITxhaOuU7waj5LaPPdWblHQ=","/assets/Alive-M0KJ3lpG.js":"sha256-G9EKaV4Kq3NGGDKckXj7NSUA/Z2IZEVAQf0+W32lVRI=","/assets/Arena-D4tDJVU0.js":"sha256-CZCNUYu4cXkjA1I8PnFFmtld7Yv/xVZ1OFDHorhKQZo=","/assets/Block-CH0A7gUh.js":"sha256-EFdKsLd2p9Xe4RDoTsB7G8UK0F1IGaTEBqezsULLAnI=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DSIY-tBR.js":"sha256-wOj2jgpI7TDZHnGeR6pHO1gwEzRtucyiS4tWPihNwNo=","/assets/Chain-CjC588wA.js":"sha256-cx+GaS32JZi5dDi2ztvCTkEdXLp64yTdjsOH+dhtKdM=","/assets/Daily-40jzZop3.js":"sha256-WP3A9Q+KmufJ2SgEMtCSXf8Qksu6yZNZyJfD7l0krq4=","/assets/Developers-BYevVKXW.js":"sha256-UFVrymDN0AOnUuB0sYoFm2M27ea2KKAKO+NUOLS47/c=","/assets/Duel-RQM8axYh.js":"sha256-V4dpqYcKQho0QYx9RBL4GubRkvnCIh5Kt3KgSDPiVu8=","/assets/Duels-D_aylCqV.js":"sha256-Yk7U7osVOnxUNRQn6kuZSEcYXbPxbv+arYDEzUrEG84=","/assets/Feed-CU4mDDGP.js":"sha256-IDUBgVVZH+J1X9OtgiE8Vf2DTz8aS+zQZxk8O3dOGWI=","/assets/Leaderboard-fWJMxwBp.js":"sha256-4hS5w49uucWu34miFQcKYBdW1mH67TGff81TuTGc9xU=","/assets/Link-NYOL7Edu.js":"sha256-XwGxAE9D4revGNG1yJamWbvuB0BKCuYTpJ+2IsFJ014=","/assets/Market-DiBUj2RO.js":"sha256-6zPv6oXCfyqdEHkLIz6yw05/gpW3peVjUaxs/c5nlTQ=","/assets/NotFound-Cetxgpk3.js":"sha256-u4AKOiZbMoX+GzzcjehgIkvgr7yMHbJsQ+Sct4+Yi8M=","/assets/Player-DLGzvPe9.js":"sha256-N07O4h53DtTStNXgKb8cJ3A05MEsxifUwwrmHppRVXM=","/assets/Portfolio-EMHlSXy1.js":"sha256-0Frh9Fm0AElT1SftMXroPa+TY8ShMkoL0m6bKLjW69U=","/assets/Receipt-Cqoiyj5y.js":"sha256-tuC7YJWjQCLH4GdFYGHAoa02fWy3+VEjDvF4+FCnl4o=","/assets/Record-CCFvUf5q.js":"sha256-4uBuJEa+9153ZYYk5ryxZcbFjQQBTcuWTqEGEP0EPTo=","/assets/Reference-BrenUqfL.js":"sha256-FLQE11VAskPeKL5fohUN+DCxTav83kEQszRwo6qrGQk=","/assets/Season-BFirAq5U.js":"sha256-C7HIUQ/LAO2looXuTP+FtmJEftF9In2uNdoeOlofO7Y=","/assets/Stats-DvB9RrgF.js":"sha256-HiXxI8EstR2QuvgptLUjzU7+/7I8a7wL1SAkaCgCqts=","/assets/TV-C9oIDvmn.js":"sha256-WEf5/6cWIkYnJJ7alShIDGAXOSbrEVQ5lwGolabMtkA=","/assets/Team-DfFnLL5B.js":"sha256-r7OlKkY43X7LjVis9CDvYmLhLcrpFhmxwaB0QOKehRk=","/assets/Token-9geBzkKP.js":"sha256-jamPzAI6QTwH+HeCHWXn94aeA8qT7SI4zwTGjqZoaoM=","/assets/Transaction-DFuwYDXu.js":"sha256-Ix5bzzi0HtenWAK24sj88N6sIiPKFnt8BbPWqdE+B28=","/assets/Verify-BxsnuqWz.js":"sha256-xLj8lexrao0bHsLAx7r/JUfdc9IHkXy/SSwHmntzEQ8=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/index-pjIsM6_O.js":"sha256-z+JVsz68+jSibE+1GTsl93H6uVSG3nxbYniZAIBaGbg=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-B68OTwWu.js":"sha256-VG6AGEZyr9TZafZd51iPrg9KzMgKk5U65vUEE8U2H1U=","/assets/shared-Cx8gm77h.js":"sha256-rtMLzS5/SzVSv+FjZ6igy6zG3DzQ+Gc+9IH5jOFeSjc=","/assets/sound-Dm0ssu8f.js":"sha256-m47AfrMMk2YP3r+oM5k21I2cyhb42RfkH9y5U2iv5uM=","/assets/style-BUeEza4M.css":"sha256-rdK6eXqze+mqCR820bbTkbpM/UbjFu5Mo4z6PeecKgU=","/assets/verify-DXDmrJiT.js":"sha256-tGdQmJwOOph2GAvVsbTmqLZRGBiIEvP26wkvXrVepiE="}};
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
