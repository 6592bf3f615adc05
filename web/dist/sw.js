self.build = {"version":"cpg5zbR5NH6s72XK","files":{"/offline.html":"sha256-nUrEAxXnUPbUFXs4675HAIseP1O2q5vf1VFb+ellR3w=","/assets/Account-D1kQINyq.js":"sha256-e7rHW+zV0e+tRC5psWhWY5PbGRjArKicQrDn6pbjp6g=","/assets/Achievements-D1gRw2l2.js":"sha256-qh5f4LjgasQWpL4PWbGrIbogaq6Hqd8kFVhVpe1tut8=","/assets/Address-DfSBbE20.js":"sha256-yguD3pPcIA/vmC+CBWwF9+QAwavKMJwqgBkh3KGOI1Y=","/assets/Alarm-CgY6bj-w.js":"sha256-2STt/WO1oOZRAq7737fV/xG8Jn9nzbSQYyO2wmrvsnI=","/assets/Alive-BZx69IDM.js":"sha256-y6BSHCR816itLTG0665DBd0v/T2Mz+nv5l7NmQXHKVU=","/assets/Arena-OJchlidJ.js":"sha256-3OBwZyC5XuFrRTQz3UKBC37tCEJVvttqW9MB/8+7uNY=","/assets/Block-BU53ocoR.js":"sha256-fIKbsvzCmoYz0sqX52mrZ8Bw58T3kat2PakdmPRtWm4=","/assets/Bot-_tQLtpic.js":"sha256-rIpijoVy09q6IE49NhQbhUuEqkatnOskIZ36e73F6m0=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-C0eSA2Ro.js":"sha256-7KaxJkcbjpgGH7W5MgmqLLxRDXnPbnKUb3IYav9nREY=","/assets/Celebration-DEQUFJPj.js":"sha256-x3R5taxvQLz6A3MyGNVv4jL2Mx9EtQIgvpjO8cc67SE=","/assets/Chain-CED1lg_l.js":"sha256-ulazE1Y3MPmJbFTTsrVt/WqgXYkeUL9dvLUDsY0lLZw=","/assets/Company-DDeoq9-f.js":"sha256-QwBzL8VGFOMTmSMsiRd0MBjQXJ90EyaAIiRI/WqUC1E=","/assets/Cup-C6PvP0mf.js":"sha256-e3XhwwpaUpoqf7bU+5QGGDW/73WZ5nbHUb3StvFOyBI=","/assets/CupLive-DxlIIlVL.js":"sha256-OS3ph0QM9Fx/mBxYPIeGYJHQllw+63NllY87nFY6rWg=","/assets/Cups-C0YEksYw.js":"sha256-r3WVdejeYo8Nt/f3Wyn24yjzR30IQ8UejORvOzoGcKA=","/assets/Daily-iWUN7jPA.js":"sha256-42Pm6ltJ1eat9SYPIpOEkzNJKuoS1/e70s3sDoWZG/s=","/assets/Developers-CUXdhGYB.js":"sha256-Ke8S3tyZCD3RaYIoImm5kd22UUnPwZXNnUzc3c7TqGw=","/assets/Duel-BWS7HFLX.js":"sha256-pX6pnZ5Qbaj9rLHFR0o+tKD+WxjQs0rrP9LITQFlcUY=","/assets/Duels-watFfEiC.js":"sha256-zV/3g/cSkXAXwooBpn4xWe6PRRq0qZog53hlu1LYprU=","/assets/Feed-BDaOc9GG.js":"sha256-dc2dYkhKtgnIXSuV22hPzjv56almW+5KxYumGTqQWCw=","/assets/Help-tycOoeh0.js":"sha256-xLFxBTLHmsanhIn/Pp3VAtcGsDrp1V/b5g/l9SNXIoY=","/assets/Invitations-B6o6IudD.js":"sha256-bXIRmIlHey0UwU18WhdHryKdxPb8zhTQsjRLOGE3K2U=","/assets/Leaderboard-C_RAGu11.js":"sha256-cR+LEH3wc/bcOjvhfNiAqAdd74thB6LByXxhGYe0i7A=","/assets/Link-CM6N0xY0.js":"sha256-StwBDhXHRHQ3HNhMcb9i/5ij4wP1H5FaxJ4nguZtAck=","/assets/Market-D6rqD4U1.js":"sha256-q14qt1Eewy4SrpVokdjUsYG3cG9k+bhcqh/cMk9OPgk=","/assets/NotFound--nhdK_r3.js":"sha256-VUNrbPJL6PI7cHT5qFSxJ3gWNvKWB3eqctSJZHtn9TA=","/assets/Player-D8diLW3J.js":"sha256-2ydFJqjgESaXUw0fJ12DbtOalLi/j9ElzQNv+bZqM7I=","/assets/Portfolio-DRLp4zdr.js":"sha256-F0QcFVpTvm/Hcc86AOiGzwgWbZ5cU4Rr/+5mdrj/1pQ=","/assets/Privacy-Dhy1Q1-1.js":"sha256-oFKhY7VfK9NGUcJnsZUdpPMDnwlJKVccGkIfFCXfsvM=","/assets/Receipt-Bl7nT0hw.js":"sha256-2sJCUG4RPQBAZPkCJN4b9sveBLNNc1frJUPjTqqYfLs=","/assets/Record-BK34dUqK.js":"sha256-nz/K3qsjjSFhg/cXhQCjVt7lyB8q/ckOatUgf1tfo/A=","/assets/Reference-BDdZDQSD.js":"sha256-DddzajhivCZP0BWai+aTgS5Ys2pIpGCkrDpRo0o+SgM=","/assets/Rules-I90134pw.js":"sha256-GJR481k3XbhteGkyn2EGhXM+PGwp9MlgB1v099ZlqRU=","/assets/Season-BKebUIw3.js":"sha256-jSHEXL8UwTvnEPWnlrg7zmxBmuv9E3CtRcFri0UL25U=","/assets/Stats-DsdcGziK.js":"sha256-0ASrKKn/mnNzPs6PsVFlr6K9NkBUwm5FVOTmMLRP0/o=","/assets/TV-IexYdorC.js":"sha256-9Q3Q5wOpOpBx72O9QrqvjvYL+zT7jNx7LxrXZfuJ0bI=","/assets/Team-CzumIb7v.js":"sha256-SDzPmfPufFnKlucP/nqUeVM86XiXgBKY4mq0Ds61E88=","/assets/Terms-BJrYbaCK.js":"sha256-6AMJhB5B2fpsSNfEcOSsignTt81Msc3Rl47qq74o8e0=","/assets/Token-DTxdcVZS.js":"sha256-u1ZZZdQfAP1a8/vFY885nF9FTrUETNyubOFoI3MdKkQ=","/assets/Transaction-C-TDuyjq.js":"sha256-+C6GdWxq2xUgKpeKgeOPtjA4XSPSESKaK2HrgTVt/uw=","/assets/Verify-CtjT65fH.js":"sha256-Ucg60YVe/LS+aWdaUB7fjBFRpm3GMn27wAttUbGInj0=","/assets/WhoPlays-CNzGD7Cv.js":"sha256-wFLo9AeGreMOIiw7qMgW1oVYmhuHhe8QZt4vsS8johk=","/assets/alive-CU87eXp0.js":"sha256-gY/z/iGPBMXy7n45xAuIylb1Gtax3tgF7iha2nxMP0A=","/assets/arrival-Bf1Ot636.js":"sha256-zh/NppIWXSAiJTJIUuUPX2sEwjMk5l7wIuliaTVkYwM=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-C1q176Nc.js":"sha256-DAgSxqq/eZembP0hkw3VhBj36mXdhVmu8SSuh7VL0MU=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Zti0cFg5.js":"sha256-BtbD/EVcmNuEwqdse1L6W5QhLAPTd89/JMDxmeLLgQk=","/assets/es-K2ogjKAL.js":"sha256-Bref2CfyNsjd1v2S7TPuG6/NpxDph76U4rhE753FgGY=","/assets/first-DBvRm-em.js":"sha256-KBvVvcv6cbImBEgaqi6UR6ilAv3SDjc+ASdmvVZcjOA=","/assets/fr-CFON_uEr.js":"sha256-386SXQecdJjG44RhX1jOpEkOxG3FsrzXgpztteaAsBk=","/assets/ja-Gdqi6VX8.js":"sha256-m1q0LdZKTZNjJLreODXjhRQxuEhsuAeZ2eVAqb3/Efk=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/proof-DWSMZNPu.js":"sha256-lL992Qm86AB+sI90myEq+WdlbYAcklB4Wzu6QhStnhw=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-9MRkJo96.js":"sha256-CuHAtQVjAqwhhBcw0Bph2AVKDIRWQx185woByICeL1A=","/assets/sound-CZamUjYH.js":"sha256-NLwlymKBJoUwVJWZGtL3UtmMW/ZYiVQ6t1TM/YNzD5s=","/assets/style-C7wYITPv.css":"sha256-Q5bm76Hc89WyGntyHhrTXwiYMkuIZFxbGZzJp1dcsik=","/assets/trace-CnNdl3iA.js":"sha256-6r73s5L28M9yuRFayqOTa27q/7H6f+YL+4e6c9ZM1U4=","/assets/worker-D85i6-Xd.js":"sha256-cKhszxvu9V0B6ZGFhAI7v53yv5DJ6YL+prd15nfkrhw="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - A document below /docs and its pictures are kept when they are read, and answer without a network.
// - Answers of the API, the log and pictures of previews (/og) are never kept: an old balance or an old block would be
//   a lie.

const { version, files } = self.build;
const kept = `roshambo ${version}`;
/** The documents below /docs that were read, and their pictures. */
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
  } else if (pathname.startsWith('/docs/') && event.request.destination === 'image') {
    event.respondWith(openText(event.request));
  }
});

/** A click on a notification (stores/notify.svelte.ts), whose data is the path of the page to show. */
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
