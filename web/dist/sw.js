self.build = {"version":"/z6NIGcxUVtekeNM","files":{"/offline.html":"sha256-EETtY081/DpvzzVqDi5X/nqg/4W0xNY7ILCw2aq3c1k=","/assets/Account-BZn6ahpC.js":"sha256-6mT2wI6o0sZsO7e2dZAVrs7oOlgN5EVkvAJ2JJsggm0=","/assets/Achievements-DcQNPdCt.js":"sha256-m3pRefCX1yqqfwc3pOVkYeiP76dfceKDASwULV6PKYk=","/assets/Address-C0ge9cNG.js":"sha256-yRy8xFpthbzPHGiv+m95Nz4ANuinpRclbh6Bvy9HWRs=","/assets/Alarm-DqqaqQwx.js":"sha256-I8Kto4BD9/oazmeo5weHvFRR/yZOMrwmk0reSQjOCw0=","/assets/Alive-DysA_B8-.js":"sha256-QKbo8YLPTXL2c0sh9M9INajNSCv789gaAS0pHfNYIZM=","/assets/Arena-CjSDylHP.js":"sha256-BVI+d4xMsS3SNAtzLA4YpTd2XEr77QGpml/9dBaGhbQ=","/assets/Block-BoEWxoYt.js":"sha256-fCFiavqx0bMZq6r9B7hZNljA2KnHD0sVmpoROhY0tzg=","/assets/Bot-B6BNKnDq.js":"sha256-K211APqTLBZQ3oBHPWpgeMVaYkwQS5CGVa9ZuHcB0m8=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-CDKgzt_t.js":"sha256-jngCEtiaZz8DGcEc2AGvdCpd9f+Wdy1jZLHxAAdtZJE=","/assets/Celebration-CDE5CX6r.js":"sha256-cawjk/3QlI2yUt2GgvEX+hASdoy4AGiBQu0cc2rjjcc=","/assets/Chain-_tIR_RG2.js":"sha256-luntM2z99S9HyGGkey5Bt/SDLfg0KAUOI1fJfyCG12I=","/assets/Company-BI359Wvd.js":"sha256-TM3ePdfxqOXuVUFwBx4lHWqkAC4C+UHXNVbKkoyCGbQ=","/assets/Cup-B5dOL2nB.js":"sha256-QJ5g2wd3alNv8AuKiNhR1f2IsSaiqsu+ykmGBhMjxmQ=","/assets/CupLive-Bz4hhGNN.js":"sha256-56JsVk8bXvERU+swixN8EPGBkcWCzDUuO2O+gjA9hn4=","/assets/Cups-DQGqzg47.js":"sha256-I3sIXIV+F7mv15K81FVfR8kHX4YEvJ1DdlQRoMm2oyo=","/assets/Daily-CJwcu6rU.js":"sha256-WOrNNWqIlretzcOCoPlYbN4EntdDYsPuj4WNAriTwS0=","/assets/Developers-DueH59Fq.js":"sha256-xnaDooG43f2YloxiLQp2Fwn7KeRGTs9PMr5ietQxaiU=","/assets/Duel-DMxGw3d_.js":"sha256-csaQHz9LMOTtVkOTwxJU/kbRG/j4mFbnszhozMxLQ9c=","/assets/Duels-BxUWzkFE.js":"sha256-9J9yTkRY7dF2HzpFmboJFvdIDfnvlOAazNEYNf7nYQM=","/assets/Feed-7-4-pbyi.js":"sha256-NmFJKKNDNNWa+otCS2zNnLvSNSPte1d1DE/EksIxb4k=","/assets/Help-DB4_SQio.js":"sha256-xVfjtn40B387/EAs0iHYoB2RFrmYrc+qGpQZ4YyUUEA=","/assets/Invitations-BgI_NapV.js":"sha256-Dbc8FiLVZt5fZwsy3LERvjoY3tc5vdLyq6PV6zjfph8=","/assets/Leaderboard-D1zEjlHR.js":"sha256-+7nPojCxB75pxZkMOkPIsNmGs3sQrnBsYRTBgnSKC3o=","/assets/Link-FWiM8X3p.js":"sha256-11SSohTxh5ZXYvkInroE0GPuZO3XzThzMMtphK2zD6U=","/assets/Market-DtnhXeQG.js":"sha256-+2NHLZwyDhGGw6Yh306er3Fhq+8qmp9STUsHGIT+nPA=","/assets/NotFound-k-ANri_p.js":"sha256-iJO+HowSGI0LwHzO3SN8dFSMmwM5XBRvYVrRXEixlOg=","/assets/Player-Dl5r_LMZ.js":"sha256-w45ME+mCKC0K0gUEtzJP5eAk5mDFULe92r5w+HDixm8=","/assets/Portfolio-BF4uxfCn.js":"sha256-E9Ry8aF6ivYqzVFzL435FF230YYD1fO4AxT/YHnDFfA=","/assets/Privacy-iQ-uAv8F.js":"sha256-YN+dIPTozHEZ2jaeLVC5FTfFPjo4qEgPN3Vk6HkNcv8=","/assets/Receipt-DVnRPVQs.js":"sha256-iuq6jIUV76XB06DNifiSDF/ajmD0jqw9pyMZbK6JpR4=","/assets/Record-fc3ESOuC.js":"sha256-KXFK4nPFbpbtqhmH3iMp2Z6Wolzix91kxWIb7dnI72U=","/assets/Reference-Cot0ob0u.js":"sha256-upq6wGbafXCffS2QwJEwDSYhOmqWZ100rUgxJCKETT8=","/assets/Rules-xEVqWRqE.js":"sha256-Mw/2u5OdWYvvGm/4/XNMii37QRdgMOLGDaH+6pmVhOk=","/assets/Season-DYfmYpdA.js":"sha256-xTOffJe47ivTNrBuKMOtw6iAyk++a3rBIjliDmOFOcY=","/assets/Stats-Db6MFgGW.js":"sha256-rCCqiP3d4Mw4hMEAQkKHW9qg0ZOKNiA1fGPQswvTWLw=","/assets/TV-wd7fDGb4.js":"sha256-nS14AV1/gzY5FKBPnE0N5cQ+BFDjlKpZChDQ1rbgw6E=","/assets/Team-BcLwE4DP.js":"sha256-+Uaq+5PitLVGXHU/lGU9RqavpPfqj345ChxS1WT6HdM=","/assets/Terms-cezBhWs4.js":"sha256-r4/FIu2jorX/aZlvSdsQwHknw2iX9TmtDujfiUzk+9s=","/assets/Token-fyFBKL08.js":"sha256-JbFu1GxkjSm1kANSKrY2FsTyTQFUmW2las8q3Klf0Ts=","/assets/Transaction-Cnwjo2vx.js":"sha256-xMI0osGdS+dbXulNEJo1cNlt2IGdwbkmWSRrQ84gKWo=","/assets/Verify-B4iqk8d1.js":"sha256-iZhQgmTtrPBYsCY06/TF+irGSzYgPYRSgfnaYnOOwHM=","/assets/WhoPlays-BWz9MIXz.js":"sha256-w4UEJTpt9b2aEK7EX8SOuyzacS4ofyc/HakOS0Jumx4=","/assets/alive-tjxk20R4.js":"sha256-dL8iNdCrrvYexRtdfb91gOU10J8AlgvfWeJcSxRNN0Y=","/assets/arrival-DPschbuL.js":"sha256-w43oIJRZUU5oz5d48HyRjLz6kdVkfEwFwNE3hweffTg=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/client-CbY88R08.js":"sha256-fnHlMmjRs19YJYXQrYwkGdKSgABHZwiPJXEs1sju2ro=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D1LnVFHc.js":"sha256-1cEaMWwrkma3rNHpC148DaaazdDqAQobienqq19EzzU=","/assets/es-DIMIkiur.js":"sha256-N9IsY8MjdyMxCwJ8Dw5/kmSY72htk6TlR+AxwN++afg=","/assets/first-qYbGUjBw.js":"sha256-70VuvBxkPCFekeXqvJ2xEiiZBFMNp5S2IIEmaXVgGQM=","/assets/fr-BOfNO-EQ.js":"sha256-sVECr+dpCVbTSMhB3PoEp+2X6hadrOIIve86JfjG/U8=","/assets/ja-BMMSZn07.js":"sha256-h3xUrxESHvJHowlJtp1kStijr0TjLZ8hupvS/eSGk3Q=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-B6QWq3C6.js":"sha256-Tth1zLO1WrwOMOXd40crwQiSzNAE1CbyeYGJqkJYpQ8=","/assets/sound-Bf5kz-Nq.js":"sha256-YjkpQVeS7pzgdVs8DkEdK7x0rs3i1GaytNBSSYIwy04=","/assets/style-D5-BGgmc.css":"sha256-8v/pwTlOAHy7SZ7AtonmWOJh0spzT0xEa45sA1rqzjg=","/assets/trace-CAOoWv1r.js":"sha256-4PZvZXGQM6Uxh6RmlUrqrAq9O+7J2KKRgQlxOw2OmsU=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
