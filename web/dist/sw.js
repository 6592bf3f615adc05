self.build = {"version":"fWxo9df8KVv3lxHa","files":{"/offline.html":"sha256-OyI31BQ72voIpYpgc2mZogqQKq3h4Tf3u4BuzeM7vBo=","/assets/Account-DMNcGGny.js":"sha256-4Hcf0VkCVRLNuDeiU1ga/w+MiXJBqzrlGQl/0sOyn2w=","/assets/Achievements-DJ706uGO.js":"sha256-LO8Ugv2sVwd8q0lR/U3uxiuXzfctI9LadL4oF70rlvo=","/assets/Address-DcNnwkn3.js":"sha256-AACvLntOznHFRX+Sthj+UkT8nSKRdFGr+9Qoq6JtRyY=","/assets/Alarm-Bf9nvSMd.js":"sha256-/hsd7wwTDYlpLLM1tqJ74disoubGjmGLUkkgq26zLdk=","/assets/Alive-CTwwZSor.js":"sha256-U8/wviLc+HIMSntcntkuP2JbLXW0lpvzwR+ja3VB0b8=","/assets/Arena-B2JxssMm.js":"sha256-FolUOPYw0DfnMBRkpu4fafC4xIH8sMNrUz5jO1ny0Sg=","/assets/Block-BEngAlRh.js":"sha256-5BbAEo6Wy09VkAr3ScVO9ghMSqc8hCYmjZpIBMnQUpc=","/assets/Bot-CY1K1z6G.js":"sha256-n/sKZ5lwpG8Qqnq5OBaZGRWQSGFUCMQNQprT0Xl6I28=","/assets/Bot-Ra2Ad3AE.js":"sha256-jB95uEMg+oUbCnI6Bg8gs6/XQd73H28y/146+xwzoh8=","/assets/Chain-D7ybvm8B.js":"sha256-QcYWTodmIPf6zBT34n9AZrEcuMQd7Hz4wNW/tuuVhfY=","/assets/Cup-BiN2ZXwA.js":"sha256-osH4jkhI2GvgP6pSuAQ09NriTj2Wq1lTzc2NSTQRh/0=","/assets/Cups-C0mAjJvY.js":"sha256-ltJOUTIMfwy7IogpadyTv3C2gJvcVYqv9wBm1aKO3NE=","/assets/Daily-CkpLBudK.js":"sha256-Lmy/RnK6NZuy8VaGJ6kS2bhHfqJRpiFjcO3ALnpWEEs=","/assets/Developers-Bo5NF8u1.js":"sha256-zN/X7kka9JWcmjR4moRuWdw5wffgm6Cwqm8XWvMKixc=","/assets/Duel-EpGW68cH.js":"sha256-9ibkOKoh8FDxWBedDS3rXaPPClau2FaazO0lhpfc9g4=","/assets/Duels-CNwOXiX4.js":"sha256-/4NPUqxAeWScbjvjhMB+rntysL/7ZosdATXB6xgYzbg=","/assets/Feed-VWh0Aulw.js":"sha256-f590L1LWjNYJpMsRg6a9RnQpxX/KZBADJrEaQH9rStA=","/assets/Leaderboard-BA78r6yB.js":"sha256-eeiAAagdiQ9BwbK+E4lJJxPIbrR2Mx2qBKzEpC3l8aE=","/assets/Link-B69tqheb.js":"sha256-82OJNFoajo34ygvWe+IULXhRsP7DmZ/Ka4ANOAK1pXY=","/assets/Market-DPPezEzk.js":"sha256-BeYi21eoexusDllAVMnC0el71MPmehepdH5olIiy37Q=","/assets/NotFound-5top0sC3.js":"sha256-8nDzMuUs9T4xdBEyDvIX/gk0qelArS3WTV0XD820Bu0=","/assets/Player-_jai3nGq.js":"sha256-PkHRx8owVxgXRsyl6ln+wNvJrQSNjPCxJFDI0EhdNDM=","/assets/Portfolio-Bckeojhm.js":"sha256-B/ZFbGyT2HkUi39k+y/qfGqMECeUfgTRxlULMuPKxC0=","/assets/Receipt-D2gJekLp.js":"sha256-WJZUYsOFeEhBjmPu5RUlzWK0yMJ78oqRrl1XgP/FKa4=","/assets/Record-DDL1iJwZ.js":"sha256-ENjeNSKJYRoAdH86Orj+x0rPWN0AarNt95acGqyJsas=","/assets/Reference-B2zz9-8A.js":"sha256-pWT9tZ/u7UgnX7z18f5R9QHZWQZvenUpDe/efXDHGiU=","/assets/Season-CplKDRJc.js":"sha256-fPZdFzc6aTv+ex92LApMusseQTyC1nIETBKVxuEHgnQ=","/assets/Stats-DRq6lEDt.js":"sha256-oBJ0Cm+xwWImWVwb6w7JfICKP9m1FgwZOJ3QM1gaxF8=","/assets/TV-B09ZGzYd.js":"sha256-TqQQNc2fzZAQhnz0rZfjQDWivFk043aEmc1QUbQCQjE=","/assets/Team-BK4WxmQ6.js":"sha256-7V6vxjVSy8zyjf2qKcuk4sdUrQNr9TVvDZg8MKJsPds=","/assets/Token-CoT7vRo9.js":"sha256-53C3UQG1v9dV1DKZY3TO3bQNOzUeVe+18DjZ7S6Xqa0=","/assets/Transaction-Dsulaa73.js":"sha256-Sq8b4XLVYbGVXN0/eAt4RZtTG8+rYOvKjXFnNCw/R34=","/assets/Verify-CKluMyqt.js":"sha256-2ACw2W45HV+RyOW9XUCUKhHaIVI82PnE3mXgd0MDoSE=","/assets/arrival-DjS0skNS.js":"sha256-L/4vCXXnzzo+LLjhC1qpAhNpvNo4kpyzYm1Em209DIE=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-C2DDOoAC.js":"sha256-bBOev38XjBD50aEQSmx+9lBMqOfMefYI2zzyj6Eanys=","/assets/bot-C2l7auCy.js":"sha256-yCeH0tXrSpnLqUDw97Rrp5qGo8qTroIEC8GR6kcucJU=","/assets/bot-DEOSDJz3.js":"sha256-a35r1zl8nb+xja/oSCNhv9IEW1TxugnK9769ax/ElnA=","/assets/client-7jjFBWmc.js":"sha256-RfM11hlgT2MHpjnRiiaMhpRDK2a+wpDg8pRgR2Bx6IE=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DyLFw9A2.js":"sha256-pBYm9zGoY8/qMaHTLDOFJ6+xKTkmYflGTepQPM+KmzU=","/assets/es-BUo9HptZ.js":"sha256-ovCuXXB5dK2mI9hOa885Se2/J7TEDM/GjF0FAQ4jjoY=","/assets/first-DuMagxdf.js":"sha256-JZqcNymMIcGZcmpPJgsfxPeyv4dC7N/gWaTJt2T61iw=","/assets/fr-BpFKIuI_.js":"sha256-OQ+Q0czUliQFnBJQe70qJBF3QZpe7wS7CYV2wLBYCiM=","/assets/ja-DA0s5GXb.js":"sha256-GJA8GKGpVFuqlUELoYxv/ploOCc4l4cyHrd8vzK/52g=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-CG2IM_xB.js":"sha256-hUtA6XNt/hwz3iz9Dz2q308knWreURw20QGSsfgA9pY=","/assets/sound-B-bQd1fr.js":"sha256-B2R/Czbl96P5y+cNipB6pgix8wc1oLVL8jKxJHxp8Vc=","/assets/style-hiaIJD1S.css":"sha256-nALgli5UXXTiG66LmLQdy1b1VDldkHfNhePX0we6cPU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
