self.build = {"version":"VKY3l/gulVS3adG5","files":{"/offline.html":"sha256-6zXB8EDKmgSJ1JQLJX1NUNTI4zVRnaySoLCa05kkilU=","/assets/Account-DEqQ6iMV.js":"sha256-+g22F0lfPxITFhoWFND0BIk9NGWHYVHCAkfTz7pZa6A=","/assets/Achievements-DaN824uk.js":"sha256-rGxNCzBhXjrwfK4UF6D6Y6vFSiIj2pBq4qB7068uysw=","/assets/Address-JM_0PNW6.js":"sha256-KQSjbsBw0q0W+Y/a9kfsl8yuBgb8gR/4m/ZXRDosCL4=","/assets/Alarm-cHapzOjI.js":"sha256-kwcdM8UAsaaOoed6toUi+83Y1JTGVeV0eYogSfRua9w=","/assets/Alive-D-J2mZOz.js":"sha256-f/Gor8JE82qa2ulzo6zpdqjZSAAZQgb7UNCzZ86h7kQ=","/assets/Arena-Bx50Day7.js":"sha256-w52ukb/2FqgHWmMW/qnZIPlOLHY+YqZj7Ou78NLvJbc=","/assets/Block-DJcyVYDa.js":"sha256-bQHTh2eWqTPL+TGbgmjYSGLXAk0Q7Ws5/Z2u8aoM2H8=","/assets/Bot-CYrVA489.js":"sha256-s6NsOv+/BkauDWwCKrcguXrHs5jaoD0uBewNBfUoRe0=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-C2S9BPWp.js":"sha256-wRbkVPxikjMdpnJvEdX4BDOHJi2JeryZcQ8w3fLdeuA=","/assets/Celebration-BlYF9N3h.js":"sha256-7cCJtZBtpYosNQrOllOOYSBrCJDmd35C36P6jNIeO+E=","/assets/Chain-CcotEBm2.js":"sha256-BAkPF4XKVI9QJ1lG6wCyqsXjU2IABF29Lol+dCdiGBM=","/assets/Company-Bft-hKgf.js":"sha256-0TVFNieTYi0PLtNEDvJifV1VUzHc6Vk4kyltghh571Q=","/assets/Cup-CQNEXwh_.js":"sha256-eBjnGB1CfpuWOIGb/ayzjeC91uYf7a05UzTzAz4HgxE=","/assets/CupLive-BlzQOQ4s.js":"sha256-AUzgsWMn5Wwz5LLgupHTubIMZ/TIKAnngGOi98VVGgw=","/assets/Cups-fJP8kQwg.js":"sha256-9mBCINivUKWJ0C4M7dQnQFzF4uxY7CGZVnE7SB7OOtg=","/assets/Daily-BEU-tXMz.js":"sha256-bNxk6c94lH51NtgO6pBMSblrvYkhpMG2SbLkWPb6730=","/assets/Developers-DufS9eqh.js":"sha256-Dt2F3G2hxhF91tldtnDCNne1DaH1ymwvEneOT3yNzX8=","/assets/Duel-RJJ7Ps3g.js":"sha256-jbM3xfF1DRvZF6mMhKZPJm1Au1ywO4ZTXZwbqBx6ftM=","/assets/Duels-DYYG7g4Y.js":"sha256-KDWZ+3bnmKIQix/7eGmpU6J9vt72Q7qWkF+MkO6s6zY=","/assets/Feed-BPprE4wz.js":"sha256-OLNjiWSfkVq9wFO6NwcXMwiKvyvM07McYRDKhhwcos0=","/assets/Help-QShyij-Q.js":"sha256-TQcY5cY++9/swOLzgC82CJr4kl7X76ZN74LXjwuAER8=","/assets/Invitations-C-f1Zv9k.js":"sha256-rSN39emO9MDT/BEM0Y6BtfsFU1XRQx9BqfSJjRC4lcE=","/assets/Leaderboard-Dm4tucar.js":"sha256-89+HutqZs1TfbyIVSXi27rFywwJQRp63rZB1Eh134Tw=","/assets/Link-DJ6nIbxy.js":"sha256-nJhwVpSDivrc6cEKLI3HyiHaj2gkqBJvU+NQWPQrCo8=","/assets/Market-Wr-nf3t_.js":"sha256-he4/XOLSmIVEM5Kk9JndHcONQu7SvX2MGasIcbaMDqc=","/assets/NotFound-DSFcpDS2.js":"sha256-rdrAgzP0p9AsVYM0O+buFAhp4IeVRJKoacvgIftD29o=","/assets/OutOfEntries-DCx7x7_X.js":"sha256-l0sn4wqq3fmi/0nCUSyhxJCXgHan+N2Fz4FLvoHNfrQ=","/assets/Player-eTBIh_NW.js":"sha256-q2Gg91SputSJbmCeMoqsCQsxbCwKlmgR/Ux97yepK5U=","/assets/Portfolio-qbHbADbJ.js":"sha256-sDZxiSinCLo6TxPDJAUJRhw6+ZS/SA1ik1S87oaQNSY=","/assets/Privacy-BLCNa75e.js":"sha256-ybSkbQG4NaKrtddNQIuCeYDYcZ0bmHILUzTJe9F4SbQ=","/assets/Receipt-BoehhtMg.js":"sha256-fUV1JszRePtsW1VwzcsyhRHwzCX//op7+732KZaRUN0=","/assets/Record-BVer6dcn.js":"sha256-jCEUPmim5jWJw/tzKawdU8CP9CFb03az/SXLhI7dVPE=","/assets/Reference-DVdpMizi.js":"sha256-yg0CfwhUnb8FvrCIpzjqni0Un46nbcYxq+srBySSYF0=","/assets/Rules-DK4uwU2N.js":"sha256-JuB8K7HV61VIkPWz8tHDqdyfltF6NZb1v2Sgi2aubMU=","/assets/RunChoices-6y9MaTqL.js":"sha256-VjMXLPbmacwiTt4qAEijFCjKrJD89XsVlnPwCsS17Kk=","/assets/RunEnding-CF5Lek6S.js":"sha256-DLCpKnxC68KwhcS27h612UnX6sENN96OzFyRfr2+bMc=","/assets/Season-DYHwEBoV.js":"sha256-AnUqqqqA4mbIk2TebeiZBR5JrJa+BVddSZ8w2PaenEg=","/assets/Stats-Cv4ltUbZ.js":"sha256-hRvh1nRMFJ/ToiqKsE9jBHFyM/2ULyKGKBic2+JIvls=","/assets/TV-BFNXL15G.js":"sha256-dAztCU6l6gzXJVMIVwrp+3mDrTh1jNnqR86ZyMEbKKw=","/assets/Team-DBP5SrFd.js":"sha256-p8wT8l7ZeoMPr/iMV596ggDCKRxC9JsTDyhq4UkDv5E=","/assets/Terms-DtgrasjD.js":"sha256-umg6QDcvqVIzmjG1TGuDFVDAnNO/5LPjervPyNRu/pU=","/assets/Token-CzBBhjeA.js":"sha256-tSV9m2SYDAbDRU63bal+Aw2GrOale6kOsSlX33OzxQI=","/assets/Transaction-C5ajRqDe.js":"sha256-RRX5FhjTGICsbnXluKEEm6IIRH15mVYWP72YC4cSszA=","/assets/Verify-DG-FKPM7.js":"sha256-9YYEmJ8ulkca3TxvCwXR8kVaGikHv9cRjFp+HOM7Qho=","/assets/WhoPlays-B6HgwqUd.js":"sha256-AcJj8Y76+5ClXAS3/lD6/hAMtTtbOeHVSPQHpwR5c4g=","/assets/alive-C9dbNMWN.js":"sha256-LbPNP8CjNtqr6a9K9zqCseNnhcv5ZKmxYJmpky+IyKE=","/assets/arrival-DKDewPcQ.js":"sha256-mrSe8pCNd7jrblvPbN042yovtVm4xY7GUb8tbSRI48I=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-BZUae8Rh.js":"sha256-CiKwb25bONaYQhc7IDIyEaqn2Y5GnGfbG7uI2LRh5KM=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BOHih-m4.js":"sha256-AbCOnIZMNEwtHFeVRPgA1wun3daZTNimdEeqyQ6CwRU=","/assets/es-BPmsddnP.js":"sha256-4hOs5CaQLZTVgZ/6TywYVwp0tyNpNYVnqu1RUT//rJs=","/assets/first-Dve2FAn8.js":"sha256-l5gIjbiaZHGDuDhewtv76P0T9xA7QPL5KlophGWbUN0=","/assets/fr-DaZq4If0.js":"sha256-Q+8Y0gR+aZhA6kGdmSZX+K1shnTOsliFtkQrWkhzpFs=","/assets/ja-CV6l_nKU.js":"sha256-TrZLWWVvPB/gOe8K5wflajZGKBi5eBFVxcZYSIekrS0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/proof--QDiC8Zf.js":"sha256-HiSXKMnIOX5z8sSXzNVUHGh04OEVtMzvr0EKYR9QrcQ=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-BxnI-QYx.js":"sha256-9KR6iHPsu2k87eiR+KjLmlg9sAVkauJQ9MMWzeATxi4=","/assets/sound-BMmcjX6t.js":"sha256-Ko2g0Afn2GgXixbgJ+/cbtvsU8SgPnK8EL8z/IJtLjs=","/assets/style-LQndujwT.css":"sha256-3TULkFZVJPglD2jQdremuwdaF+RQ+DF7M3BHtq1BMVM=","/assets/trace-tOtC5Bor.js":"sha256-1ceWPdf+1egMLy7CcK/rWk5VIhPvGlPrYkVuh98Z9KE=","/assets/worker-D85i6-Xd.js":"sha256-cKhszxvu9V0B6ZGFhAI7v53yv5DJ6YL+prd15nfkrhw="}};
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
