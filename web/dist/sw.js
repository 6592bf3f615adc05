self.build = {"version":"sMTrYqin3HVcLnQQ","files":{"/offline.html":"sha256-nKqkGEZ3sqA1UPmPdueHFxPnY92xBOsTR5JN/thadGo=","/assets/Account-BGdGG8wt.js":"sha256-tGsfBy/iO1CWUfRQr1OMAg/T24sJBb5NVS9Qs99a/1U=","/assets/Achievements-kSHI6asQ.js":"sha256-XHCuiLd20GdKETYW1wG9r2C/A6gGH2McvdeCUyCYu04=","/assets/Address-DQmk2lwC.js":"sha256-UsZujZU/a7U8QugZMJxOO8WCPUUuXOz/7DfyvspH7v0=","/assets/Alarm-CNdcM3Ud.js":"sha256-hPzORENKzPmTo40gh5aHbuFlvujfrEgIok95OlIbocQ=","/assets/Alive-Bgh7EZU7.js":"sha256-r4Gm3aMGaNXuuUejMgILK8Mejg1rMSi9/gHWiMVMKvI=","/assets/Arena-olGtGsAy.js":"sha256-+62u85grvvZp8+Fz8WxqmevDFcyrBPPlJOn5D2tSHcU=","/assets/Block-D57vjfGY.js":"sha256-WEE1l4TRlBBKxKOhDZeq8EpyZEvNoRrowr0ayQmLL80=","/assets/Bot-Ctpm7GAC.js":"sha256-3+o4NSVaifp4ImPlpH4q0BVFdeRhN+7ZUhhMvY06qjI=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-DuRunsxI.js":"sha256-uglL8FtkhOtCwbPg7Yp4EkQU546HiblHaVhqdGg8yxM=","/assets/Celebration-C9RmBCeL.js":"sha256-4ibwwwv3VO8ILBrnTlnX0CDXWwB95Dm4rhiCckkMg6I=","/assets/Chain-omP33n2B.js":"sha256-5UoWgHM3qtYrI2eYHtXswCH+dlTGn94c1LogkkM7Vi4=","/assets/Company-DLESXMPZ.js":"sha256-Nj/3VaGpj5LuHvFI0GYu1TiS5ujlQXugO/DEJFMDpLw=","/assets/Cup-BZHEaABr.js":"sha256-MDNg2zXlj2XyWG/FoRA0jX/BbtdkdsorJ0VkHNhbZoQ=","/assets/CupLive-Ivq_P0it.js":"sha256-l33yxETRJhV4YRlfMCICHQClZRUxiFg6fNK+2koM1U8=","/assets/Cups-T-fEyJZz.js":"sha256-Ovpps0wTwrWeTYswIU/Jc91FBEQoIFWATQOaePB+l6k=","/assets/Daily-C3ydUkcL.js":"sha256-fz/BUoiNu5wtQPzcY0JvnvrSi+yHmdNyFnY8O2E3N0M=","/assets/Developers-tEh_kFxw.js":"sha256-yKghTFM6q7evMXplf5ZCAJws4BI2fKXaN0HYddJdhIY=","/assets/Duel-DYf7MuSx.js":"sha256-ElUyXKxvsxyfv0RyHTaS/t73iy2NMP9PiTf2OAVw7D4=","/assets/Duels-C5bjijo8.js":"sha256-xk3foLfrFmKsncerVjIjAOhwd/58QFwdNAhumMrRnbE=","/assets/Feed-CEec3xN5.js":"sha256-4Assz4PAMiGYIaW700Fn5TZK7IK5BDCl40mHfpdeF6U=","/assets/Help-C0GrD5XQ.js":"sha256-Vj0aKqT0hcOeLQ7o64/S1wfbduNVZY4LyB4fzfm8PhI=","/assets/Invitations-CoTnLbEH.js":"sha256-tkE0Og+IT9kg9OtN4p2Vle2aVgM/ipWkV/WKKN5FvCo=","/assets/Leaderboard-C5jhcqTE.js":"sha256-p28Vx0o1h4QtQ9WJYr3reEBXIIgQmDBeIJUZZOgousM=","/assets/Link-p_1gywtz.js":"sha256-L5TOQEB+ztIVNr1ySQJIyIqj9VrGIwNDnabvto00rzQ=","/assets/Market-Bl1zApdo.js":"sha256-zk1cp36/961LKgKyyi5cgpu2grA+FJU6RMS0e870IsI=","/assets/NotFound-DwoZz8c6.js":"sha256-CmcheLbRGpOVchuUttnbjvsJkHRv3kArKa8y2O72Nas=","/assets/Player-Dgntw4Mc.js":"sha256-Hvnxo1ESRGKW4kEXKDhsnxHFG8hzKtGhvnBFO1z0UG8=","/assets/Portfolio-BsyqK-NA.js":"sha256-KxgG/gFzQ8E7AUhujxX0c9L9MtiDK0zD8CE7YzTll2g=","/assets/Privacy-nafIE_XI.js":"sha256-FTEmd3YIelXhUnunL8fVaHhVFQrGf1SVPnakzYEX7Yo=","/assets/Receipt-CQWkGWj4.js":"sha256-K2LqxBURgZnPRBe8uvBN9sT2df3COXsAAs3cf56BBCY=","/assets/Record-eBO57099.js":"sha256-6GI00vidNef10Rx4i3VY6HA1tewpH+yugD95HjQfz6I=","/assets/Reference-w75szJtw.js":"sha256-ggJwNqld+1Pzi5pGcEIYFvkFuh7EOOfKSCx4O74G30Q=","/assets/Rules-Dtjfm2c-.js":"sha256-7gDBsd2grfA1U0qvPn8haIi/RBtX2e45aivDQcF+wq0=","/assets/Season-Qx9En_o_.js":"sha256-nGPG2593JtXDs4O5IzQjedPJNmEjB/iviBBPulyMV/s=","/assets/Stats-uXnTipnk.js":"sha256-eAhhshC/Tyj9dKJYYCjCf1ZQt626H8uK+bk2eTrHL48=","/assets/TV-vuo4nG6H.js":"sha256-hcHwCwR1mjZpyomMtUd/ttZrBk5GyW2NFPXG02riErg=","/assets/Team-Cy4CiXy9.js":"sha256-up3aZPTYOVb06gGlshgbdgsTpl2GqUj/lbck4nGeKz0=","/assets/Terms-DDq_VWI_.js":"sha256-MW0WnkcGe1vf8ggi3dMqc3nMZu4CmEQ25U1Ur02v6x0=","/assets/Token-CjOS_WNP.js":"sha256-U+52Z5meZDs8gcnCIe/+T9j06LzVXzWi5+pqail8oD8=","/assets/Transaction-CKFp9TIp.js":"sha256-AvAT9uiXcL3vaP4rqkP0aeTay/JUBj1eeWd6srEGXM4=","/assets/Verify-1t1UrbWR.js":"sha256-TvxIidhV/h6k9yP+WfGFHM0cXCpXEi6Cp+BaiHx2reM=","/assets/WhoPlays-CdTHFJQC.js":"sha256-rLemItw/Du6jVRWki1PEPICgPl4ZtiUMy3yb7wZfI0o=","/assets/alive-CnF-4gd7.js":"sha256-MXYAaGXqx6gZEhqUuQabQ/XWbCTYC55v4cfQ0LvVxAc=","/assets/arrival-p8JgqQfa.js":"sha256-wMsu8riZYc9xBaW8ahZslc2BPSvqpr5urxQRtDXN6OY=","/assets/bot-4Fn1brfH.js":"sha256-+Fr06JlteL51gguFu8sFXlWCnO58SGJ+L/RrQhbbowg=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-CXCNtVky.js":"sha256-lGUeRj9+On/53Ygb09qK0AL/8HP01Rc3zaoma5fpEeE=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-iH0vmsku.js":"sha256-sNjCV76QI4OfIGf70LgbByuS//+9NBrHbCKytbQnBjA=","/assets/es-B08ep8aG.js":"sha256-D05mUHnQw/jxNkRR4hKB0ePd/AknAp4RiwkrBF361kw=","/assets/first-CIWVGcll.js":"sha256-58IoLc88whz6MJw2eO7jnohlw8QUqx2n9F9z+vb1A6Q=","/assets/fr-Cb5EosWx.js":"sha256-NTaWYt+idqIPARECi3fWZXhNGWTLBHleUPLzMXAcAHc=","/assets/ja-NlXzfePk.js":"sha256-BhYcOWWKXtG89e+5eXCSX1kqQ0l+bUOQKJoTFlWPOgY=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-BoAPAQ0p.js":"sha256-m9CuKAAo8+ibUg2X5F2ZfE6dYz4wrg6e99ai0wYQNzk=","/assets/sound-DybXQNbX.js":"sha256-VUFKETANXShtwQee13sABPfly8DhSVB6mMqD32r7fBs=","/assets/style-BCGG7Kiy.css":"sha256-UbHAy1Pt/8IwTJYlUTf8gKUnAC4n03vgOmZU7HTKf/0=","/assets/trace-C0vX-A_n.js":"sha256-w+r7SSV77+Zqqu0F5u24+czfi4XM/Bp5EuloqpuA2tw=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
