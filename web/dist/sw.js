self.build = {"version":"Egu67fFdUeKvesml","files":{"/offline.html":"sha256-HVHIpz/pFo5YTGS7jzxwJWF7/Uw6GJeTscBcYSLVFHk=","/assets/Account-B1x80YRf.js":"sha256-ot/NCGt0KKhEVfuZHMh3+dvUmWH5ansX/HNWZYNCPxk=","/assets/Achievements-Dwny6WQ_.js":"sha256-EscWjqM5O6njUZsCbMxxB6wj0pqFqvFl/3xbFLFzYXU=","/assets/Address-WZUA9LdB.js":"sha256-T2jEwH9wb1K5CRfaWBDw1wuzjj46MXX3Oc1GM+LTXnA=","/assets/Alarm-BJPjJJAS.js":"sha256-9hwRN3vizk3nz50Hw0RH9j8dOLCuz9SqYIOygRkFQyM=","/assets/Alive-Cpge1Sa8.js":"sha256-Odwjwwcc8ix/Z7JbRie69gsVQ6jZBv8LyI6401XAnyA=","/assets/Arena-Ddpoe1kw.js":"sha256-b067QjleXJqwKydmMJWyPa91WuPaS/HSVGTW4SoMpGA=","/assets/Block-CCDWi_v3.js":"sha256-mongJjjozzRDLgvCNYUvF4BTrzoJm+cXIohLBgkjqSw=","/assets/Bot-CpjWQhdK.js":"sha256-dQ7ZeoQ1h8+/k3hZUQNrrFh6iO2uqOUJCS2HaEwaeNU=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-CNe_R1vd.js":"sha256-9+gKWzFUON0rG04cu5POa+fuD8blQhZ7+58vEMIkdro=","/assets/Celebration-Bq5aOUy5.js":"sha256-d5R1wUQMVXBDhpx5tlGCJvcGxS0FUkJFGSAoonjSWmw=","/assets/Chain-5QuiluNG.js":"sha256-PlcnWeVt6anHp7btgSihLth41yJfyOTcvTPt3b4KaNA=","/assets/Company-WvLdLvfN.js":"sha256-eVhy1fpCIOwY9nNdeWEKf/yZoEfO4F8uP43ZpiOxvXg=","/assets/Cup-B_giNGqX.js":"sha256-Qq1uqSlgtpFojOIsQGoc2oBE51Vuv6bvjU+oFpNo/9w=","/assets/CupLive-TIWUiJgz.js":"sha256-EjFUd8vT0i4i6IMIrR9cq2JlG7n3OvEXMlYSotsP1vk=","/assets/Cups-BjBCHMeO.js":"sha256-NrcM045PyBbZsVFATpp39/RPTeGRxC+6LiDakwUFa6c=","/assets/Daily-BtntZ_1g.js":"sha256-fAmrTiHpKeXR35XnjTmiTKMq8N+4nugL7ScOu1TAQXI=","/assets/Developers-BEdlWHAA.js":"sha256-I4DnuptEKUKMMPiqqbZ9FHe8OrUYjiOUeFCM1U5rKio=","/assets/Duel-Bp8eC5yQ.js":"sha256-2Zcznab4MiLwaIFvlc8oxLuHvsTlfHiwF1gsPh0UR8k=","/assets/Duels-R1YlyEWN.js":"sha256-FoCidrgKl8X7RpqRVnSQkmYt5z2UN47SxuVOGmQtzD4=","/assets/Feed-CVyKgDk8.js":"sha256-RfnSboh4gy0X8ipzbgx3zeY7CER3zOrnS+I29m3ZEXk=","/assets/Help-Cu_kSx-L.js":"sha256-HyPGvAqujWjXgsHiFuP6BhuDjwBpGqREtVzvcHnXBrc=","/assets/Invitations-BWWwZXwO.js":"sha256-dgNezcP1b78kUovIeqDV5mmLqjImIuwA05nQnGO0NMs=","/assets/Leaderboard-BIgk9a9M.js":"sha256-q0kgMmpFZp1WbE6MtgXPuHjM0asrPDeqhcxWAkSrbNs=","/assets/Link-DMKyaqB3.js":"sha256-EWeZap74SpBdNDVOwuAzuCK9EiWx1YV7MD0hCoWeYTg=","/assets/Market-OnX4RWj8.js":"sha256-wUpr0SdNXuO3WOL/Tp4R8JUZ6a8XjSjWBoe7qGjGTkU=","/assets/NotFound-D6L5yJQJ.js":"sha256-Mz5q+NIzptSqAoo8s+EOdV96BAxTwSCO5XXNJ2izZnI=","/assets/Player-CluPzeSa.js":"sha256-Ai9yZGHXOm+RiVz0fHH4XVLQ4BokXz9cMK2xJGhcgMk=","/assets/Portfolio-DSHrF490.js":"sha256-n1fJ0HMPUaIes0CZ6SLOs90bd4WR1HG2Qb0Ucd03D7c=","/assets/Privacy-Cl51a4ZL.js":"sha256-rIqO618EySTzSQen1pBrxGvntnhuTU4YC3TBx6IWEW8=","/assets/Receipt-RbMzR_C8.js":"sha256-Zoh0B6IKUHPZJWwgXrMgN4koh855uI+Xi0DWVM/6jTg=","/assets/Record-DWtPl65m.js":"sha256-j5G9wuhbx7DByQ76WvgbkizNJj6Trre1CpDKVuq0UEM=","/assets/Reference-C6n74WYn.js":"sha256-R/OUrljMVR+L+dIH24w29AJths0ji8tCEX0uQruDNCA=","/assets/Rules-1dbMYy28.js":"sha256-dvB03DOnKKUlKfAnrAEjEsMgepMVU1r2Da5OjD5myQ8=","/assets/Season-fMLQNZJF.js":"sha256-GLfdxxUzZpL7WZD/490wlk+wPT3X07Cr9/2nSZuTf/c=","/assets/Stats-x8XTPx40.js":"sha256-CVLMeEBT41puaG7hwEukm3zLuAZwZHI8QbHAnL/+hmg=","/assets/TV-ORK92E_r.js":"sha256-9dJ5bjRHh3q4WX8ZaU5GUnTfoBUxr+DRFJ9hZadKqf8=","/assets/Team-C_U0xUjN.js":"sha256-M+zOSc7VJBr33pDimJkxQgt+S99MTQk/uulxhPSOnF8=","/assets/Terms-CEGfOAKH.js":"sha256-Mta38WRDHJ/q9Y/ppjLCW0ek5LGH4wzwuvcjPVXuQTo=","/assets/Token-DcwCAS0d.js":"sha256-ySmorS+0Jf1B4nLiQXRbqGF5y97rrNdc3qznlDO6z7Y=","/assets/Transaction-CfuvHRHj.js":"sha256-d5woOuSocsRCm3jMsBp+oAnxikIiy9nKRWMGqctfbws=","/assets/Verify-CBMqh7fv.js":"sha256-pbRZzHTpGxY2eQweaY7wCQoN/L+DM46sbFptLhFM2lo=","/assets/WhoPlays-DKQD2Ga7.js":"sha256-mJ1FxcHzZlsQwwJIQ5moh8EcIWojFJv91pNXelhvKfA=","/assets/alive-UBJUCkMe.js":"sha256-I0jrWO8e+NpoSqcZ0Avg55kKjH2LAVvc/Ux8rLzspig=","/assets/arrival-B1cTHOAw.js":"sha256-bvYwXJcN35+y8d2W22Fy7Ic7ehnEO4fY8S2YSYM2s10=","/assets/bot-4Fn1brfH.js":"sha256-+Fr06JlteL51gguFu8sFXlWCnO58SGJ+L/RrQhbbowg=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-lyH9P-q5.js":"sha256-vVUdCb5aTSgHdFbY24Xo3DI4VJIw/PidqoTlKpmCmfY=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BuM40rq6.js":"sha256-JoL29JPZT323MxQtnHHa+I5MMPNsG/7u8T5JW+oT00k=","/assets/es-DwrMeriB.js":"sha256-qnNPzebZfaqfEisniFtnz0inES2dGgQa4Y9e4MP/Q0g=","/assets/first-Ci36ZmFp.js":"sha256-c0b9gOooLU5z1oJV7xAMiNOeRoiK1QXo9AJX95jhCL8=","/assets/fr-D_UIT_9T.js":"sha256-z61OrmxcpwVxTxM/ZpNX6EvUEwgyfcYUpa+EbF7kK3g=","/assets/ja-CJeM889-.js":"sha256-jd0kmKAbCEOCH8SRu/9VB0rk4E/30sp0LKPBxrbTTEM=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-CgS6wysO.js":"sha256-Dol80edv7e5sRDiivzFQoKfSRm7q0jFvyhNpvR31IRs=","/assets/sound-Bcmp10DJ.js":"sha256-g+S58QVkD655X2/hBjPsd65EEzm87bVpH8ZRC5Amms4=","/assets/style-C69XlHwa.css":"sha256-gCp5PgSHlQG9awcVEh0CYdTCXodHSBUkoyKOyx+65yE=","/assets/trace-Cnn1LiYI.js":"sha256-eWwl48vY/60YnNUts68jSCJ3MSThTQIvzqU0OBwsfv8=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - A document below /docs is kept when it is read, and answers without a network.
// - Answers of the API, the log and pictures are never kept: an old balance or an old block would be a lie.

const { version, files } = self.build;
const kept = `roshambo ${version}`;
/** The documents below /docs that were read. */
const texts = 'roshambo-docs';
/** Paths that are not documents of the page. */
const others = ['/api', '/log', '/og', '/embed'];

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
    if (pathname === '/docs' || pathname.startsWith('/docs/')) event.respondWith(openText(event.request));
    else if (!others.some((path) => pathname === path || pathname.startsWith(`${path}/`)))
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

/** A search is not kept: its answer depends on what is asked. */
async function openText(request) {
  try {
    const response = await fetch(request);
    if (response.ok && !new URL(request.url).search)
      await (await caches.open(texts)).put(request.url, response.clone());
    if (response.status < 502 || response.status > 504) return response;
    return (await caches.match(request.url, { cacheName: texts })) ?? response;
  } catch (error) {
    const text = await caches.match(request.url, { cacheName: texts });
    if (text) return text;
    throw error;
  }
}

/** A file with a digest in its name never changes. The browser may have evicted it. */
async function asset(request) {
  return (await caches.match(request.url, { cacheName: kept })) ?? fetch(request);
}
