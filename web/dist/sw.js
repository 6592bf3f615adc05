self.build = {"version":"cSIbzf3189X5WkUZ","files":{"/offline.html":"sha256-FcvFBlWwztCs6hALUE3yGv8xUKV303A02l1NHTI4Rvs=","/assets/Account-Dq8uSUn1.js":"sha256-k+0sy2/FJcHPFTB4Ct2CeQ9zUj9JpSeFuJ5qUJ+S67s=","/assets/Achievements-DPJjuGeQ.js":"sha256-v1d9PWmtjPKOa9okfD58DZduytSyvfO3nOPxuCAuVEM=","/assets/Address-B1HoSfsx.js":"sha256-hkFfzb7vgS9IXnqdKdZaFNx/4JnG98t9sooil8DbTI8=","/assets/Alarm-BlfXnRQs.js":"sha256-Y7SCmuweM7xCFpo/m9OsTwtB65o/IbtNx2rAXHz4NXs=","/assets/Alive-Dsd989pH.js":"sha256-zfD7+Y2KP5nA4DVY3IBBzk2BVfiTUVNTFLkH63WCmQ0=","/assets/Arena-Bx7Uqwic.js":"sha256-hSWUh0Vd9REk+3fubeOR2NgKtsI+YC6mjU2+M8FqVoc=","/assets/Block-Jo0l9Ibv.js":"sha256-GtHTFcvw+0h8bo/iGlJH6A4bdjklOEmrGLahFSbSbq0=","/assets/Bot-CEYkZD6O.js":"sha256-uCp6/0nCqHZSxsbtn4Gff2BtGvpaQCnCSxbTeNyPJPY=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-B1hr4l-i.js":"sha256-IA5TcTuAIRymkP17Tyefty4xL/iaNu+du3uI8b+cgTU=","/assets/Celebration-TT7fuTpO.js":"sha256-CuL+jmm6vjXaFi3hh0VtvbSThaTCTAN326FPdIg21ek=","/assets/Chain-YMhxeKIu.js":"sha256-wCHuOSv23tgoU0tZzfWHxYc0OwMyLEHWXmuywnoCIFc=","/assets/Company-DKNaPV4J.js":"sha256-2cSUrueTTwA6gXFCAZ2INVNrqUJl9EzTGE5pkIn40xA=","/assets/Cup-Cj_vKwgK.js":"sha256-jrxPjPabzP+M23pGMOfDZKuQQ7lZnSzffJTwjei7w94=","/assets/CupLive-BpwkFMUN.js":"sha256-bWYZZwoutD+WQYxPTi14g2mBzO1LZ4mP7Maxi4XOSt8=","/assets/Cups-B8RedAZp.js":"sha256-BRaIg0PY2+9xKYCL/UExGhpFNUMMiiA7f2h7rpfNHWQ=","/assets/Daily-DQaIdAkr.js":"sha256-wXT8JCFvkZZN/0lYK0Oa+XEvLkS++PztcDBTrnYCRjw=","/assets/Developers-D1lhsPbe.js":"sha256-+quiCL5Eg3aHmV7BjG3uEWX+6n6QP54Mflowsw0tLV8=","/assets/Duel-CMjtYJTE.js":"sha256-qZaR2W8l0apo7x5Woj8wFMAQUAynlem4tHe5Q8xDcTg=","/assets/Duels-Bagp6Eec.js":"sha256-szV/ECcHJ1BmYP0wXoPrkhEDZWcXPw+/h1FDGdJeA4Y=","/assets/Feed-B4m0WABT.js":"sha256-ouHCRyjNJKnYM+uXWA/wqvKWnfjPGYbYcy9drCSsbTc=","/assets/Help-BvgDg4Pq.js":"sha256-w0tMkvpE/2BOEyYAqxSkLYQey2AIJkNKOKZlgGFINww=","/assets/Invitations-B4BdeCon.js":"sha256-ROTDVtG4lFHpQUGofdPQAJc35Zuti5AGW4auUHiIR80=","/assets/Leaderboard-DeAZysr5.js":"sha256-QjibPhEv9HQPPK6AbwQbxvi0JQp8oFlyiU3VjDimEMg=","/assets/Link-UwSp2BI-.js":"sha256-w4XLjtW5GhfjrT3gC6aojgHoT/gn0UfU/YsyxOigkrQ=","/assets/Market-BqzFZ70y.js":"sha256-VqNliOYiWRZclhWdwsOwEENNG2DrSJmk1/WXLV5dQ98=","/assets/NotFound-Dh2Foes8.js":"sha256-PdhE5kiQo85bJkGSJiou3dV47DezYx2zmJHIxyUMkHo=","/assets/Player-OFKkCJH9.js":"sha256-+mcmxDVUZGdUOlLFPVa8Gp3F+94IMNSQf63Rl08w6ww=","/assets/Portfolio-DMptoqym.js":"sha256-IpP+A0G7viC8ik7axgw78ZNU6qinzogyeWRgbmX+Uvw=","/assets/Privacy-CqU_bSTu.js":"sha256-wpJJyUN0nRUlB9iyIVU5aZucMnAi80FVyW+JJoaAq3s=","/assets/Receipt-ClOpQBWq.js":"sha256-AzwiIPzEMkPu0xhvJmj4l+dtHKOBSLI4EDrTlasvdYg=","/assets/Record-BUx7ps-b.js":"sha256-Fm5Okyw3d/FkuHWf8myNgd5W+ipxGcSLv1pGjWBXAbw=","/assets/Reference-Bw02CaO9.js":"sha256-M6wclowfYb4DV7nouA5d5MvuKgTXR7tsroL5LeyrVwo=","/assets/Rules-D25OJ8LD.js":"sha256-VEUS6gKc54PSjTHFU+UdAVsTvIxfaeV3KD0M5eJoj7w=","/assets/Season-0XC2Hrm5.js":"sha256-gVgUGZ9VrMNbj0/llTRN8dMNK/OkuO1Eivl43LfmbLI=","/assets/Stats-BPk54Het.js":"sha256-I4s2hWn57oVYAVWXwk3/IwXaK5aA0qbaWSpnwZN8r6k=","/assets/TV-CtHMZU5A.js":"sha256-HekXca/IfIrIXUoWq1HiYSZWXmM3CF7DUxog2yyAdYg=","/assets/Team-BFKUEuFv.js":"sha256-bI0MtOFNVoEzCedtG2Tu/hq3eg+FAif8rpX1T7Vc8/4=","/assets/Terms-Bi-sdSZy.js":"sha256-yA9bkb2qgUM10VjIjiVsdR+wa5QzH0B34oIx21Sf0gY=","/assets/Token-Cpf2PDb7.js":"sha256-Ue1ZFBXmB6yq7Ts4aitdMCpr7/51FQpnnjZ+v3SmpIQ=","/assets/Transaction-yLMXCFwB.js":"sha256-OfNYiAAyMehnZbKA/d25kBT03yOWJS0kqf3gwe8XeuA=","/assets/Verify-DGekleh5.js":"sha256-dbpMEpCA0TkY+8+KZGCp3y81K4/8vnUvNxkf2sXXqiI=","/assets/WhoPlays-CTAXTUm4.js":"sha256-PiiKhPY7+VXwZveq5donmMITccW2+mgrs5ZnBAMzcB0=","/assets/alive-DckeztQX.js":"sha256-RpqMCHpZpZbnirxIN04uoJ1sk1wf2MnJyz2l2MGoLJA=","/assets/arrival-BVO7vgPt.js":"sha256-laRwJi//0v6Y0yxNuBR4sV5cs4whhAoiK2qKtXlv2Dw=","/assets/bot-4Fn1brfH.js":"sha256-+Fr06JlteL51gguFu8sFXlWCnO58SGJ+L/RrQhbbowg=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-C9N6qvHv.js":"sha256-tNB5AsM+qzJVklIomBOrCe5yjT+VDJJlLpkh6E5fx9Y=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DejnaaP6.js":"sha256-Z8Lz7uGxmcJz5M00TAvP61yeVWL4Hw6Gx0ux9WvOESM=","/assets/es-bFTUdEqY.js":"sha256-Xo/yD27zUlZi+vr83GmvTOl12tEtL+EP8j9CSX4ZPB4=","/assets/first-B1Aaq9bD.js":"sha256-LKGjF56mphL/0HqK8O/vfGCQ47O6bQtO9Z6ZVZqrQN4=","/assets/fr-Bywje-Sv.js":"sha256-/KhwW1ys6X4PlidMkx2HwWDB0tIhCzivCzWhRZfRXKk=","/assets/ja-DaAeCcTV.js":"sha256-hw6uGKMd39Xr2J0pwEGZ/PKO+lWilKXPjgjS3p+U0QY=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-CSaCEIwC.js":"sha256-9T/N5+9IcC5D5U25ZAMqGGsiAkN0vBkKz1cwlW/+PQI=","/assets/sound-C2qWhlEP.js":"sha256-2WRCLeh6sQ+crF1kXevEX6ocIsBHwa7iFlGWWTjmhws=","/assets/style-BCGG7Kiy.css":"sha256-UbHAy1Pt/8IwTJYlUTf8gKUnAC4n03vgOmZU7HTKf/0=","/assets/trace-FDdrVmUS.js":"sha256-Nw8/OUanCvWbghBcGQAA0i4jUEEgzw3NiKANOTMUels=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
