self.build = {"version":"LFlnjqgLr5m7Oz5p","files":{"/offline.html":"sha256-+sIeP833H7/2O4yiGFG6yAaB7eFa5YZdckPaNayJI3E=","/assets/Account-BnOab1Oh.js":"sha256-DB9gM/mrGqF+eRL86aY8Z9UXwfjuIbMeL+Yg7z0Nyeo=","/assets/Achievements-DWa5nuTm.js":"sha256-EgS7z6oKTSpetGj+ldIS2zPc/5DRbazla0PxBQo3ufc=","/assets/Address-772g34rG.js":"sha256-awetaWYcCfOxin6OoJS4upCQP5qUQQNliDnh+bm/DZU=","/assets/Alarm-CEGLscqZ.js":"sha256-QqUe2rrpLjW6HmyF94Lmdhubrem05ym5QF4JxNWtATg=","/assets/Alive-DScSy1Wo.js":"sha256-rf3DDpVPFtPPj1uOerEuT/XhqRv1pTyeC7NZUgYCDB8=","/assets/Arena-Bt8ene4Q.js":"sha256-elTYdWbSHLk2hW71g29IbWLBRFXSPnBbinZAol+cxj4=","/assets/Block-58WMgBIH.js":"sha256-A5DEJs5LfRC1G8YvK3f16fU+D6H3+rZLGX/7fOhmjQ0=","/assets/Bot-fH-PMyiT.js":"sha256-n8eCtQVJU6QSdaXEkwo3Wzo4HW5a16349d9od+jZmOM=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-BtKivhfH.js":"sha256-kGXSnYWiVT5Q3YwHTA/eyYasUSlgSbLmGUtk3SA/b/Y=","/assets/Celebration-CMuPE3n7.js":"sha256-G2vOZBPIudeP+uHK9grOSTiVM2wfP6SuBwOcR9uOBmU=","/assets/Chain-CDrnqe02.js":"sha256-lNQGHV3gRUPUdHuezs/IfFsRIHsZiv5LrKmaHkct3nk=","/assets/Company-DuE6-v6n.js":"sha256-iiPLmO6HY5kxVe3f9WdAau7N5oPgaLp2pB2QCMZ4FcQ=","/assets/Cup-BHpGs1QN.js":"sha256-jjgzNiFH1ZtQwGFVksu6m4gCbUGjc/5rwq2k8I8WDUI=","/assets/CupLive-BicEyHCt.js":"sha256-WYa5H0TEMWp2qFlndJVy+lNwDomVv+FcflRNMl7zEUU=","/assets/Cups-CY-MzrDL.js":"sha256-MPFh1hvY1NMBE+iQJFFugA7TB9IGGMbItF24oPUS2NU=","/assets/Daily-D7-K3cir.js":"sha256-7qrl9CXXB1hv+U6Y5HZfuvcYjBBOrcgCIwMLsfA5+Dk=","/assets/Developers-BYF1elff.js":"sha256-HQGPAKePvA4H+5qwTpy/AewrOeiLSbywmCpmPl9pA1Q=","/assets/Duel-hYzT4bDF.js":"sha256-7lWmYM7clLlpIjswjlY/VS52YWlskTh9vz3IVVjJkws=","/assets/Duels-DFU5w8js.js":"sha256-aN4g5x2vPmYsRvwepLuY5Y7TM2KdgPXgkT3mhirNq6U=","/assets/Feed-B9f7wrFv.js":"sha256-9gTP1hgfwWk9Th9/5Ev38r0b5OARUGZkQsiiV4x0Q78=","/assets/Help-BKgNCoAR.js":"sha256-wsMQKLQ080R2V04QqBX9Eqh6wCXr8FpbgdRXra4BBBk=","/assets/Invitations-Dd2qNiNo.js":"sha256-xySFvaPXABwLIC0uqwU5spP1NFjD1GffcHDCcLq49a4=","/assets/Leaderboard-BfqA50if.js":"sha256-8UTik41xaq4HJZjI/E3pnSwdhH2V0Q2Qvwi4b+LkZvA=","/assets/Link-BcFz11lu.js":"sha256-T7PVAXkgOLEksoxxHfMxmE/Ahr+PTHXHJYJ0skv5dnM=","/assets/Market-D9SNzTnj.js":"sha256-PB0C1YIevC68rV+8UHaluuyd7whHcZJL8JjCH0cazEI=","/assets/NotFound-D3xwaBWM.js":"sha256-ezGRNib82MjTCJZNyOCSGxp4SdsyVGJk9IueQ+NYsNA=","/assets/Player-nuaQO4oz.js":"sha256-USpSFqA8krPeEj6En34gOL9tvcweBv9aaJS2GAElt80=","/assets/Portfolio-CiiLF6bi.js":"sha256-v2P8/kcIC2SdvXxDa5kQvmC6nIEpbAZnyu9BBF+M2q4=","/assets/Privacy-B_DRHs1N.js":"sha256-BBs8nVGyyNPcfg5qFy9nUy3TANjRS4G7IIXFO5xayWY=","/assets/Receipt-C4HZD0fU.js":"sha256-SbRIU8UJIFcFN1gCR0UkzJCLEWc+KTwm/rAB+DL0AL0=","/assets/Record-MQaWYgpU.js":"sha256-rWMQpf37XmhYzjocLtr+D44NRrKUImaYT4KZR5JS/Oc=","/assets/Reference-Dvht8bxX.js":"sha256-gKmY852FMUMBbGjnRU/Xc9doAagxrT7ZWRuTxGgSvQs=","/assets/Rules-ggGfB6BV.js":"sha256-xGk8hQoXlcThGq2dxhUCDTqt595lLxvG/EfY7WDGWDo=","/assets/Season-Cf-53JmU.js":"sha256-J9b9++wbFjdZYIhicp9gIRM6/UD8BrzIQ+Cf/UDXrIw=","/assets/Stats-ooKlay7R.js":"sha256-V5hWnpCNP/I3FCdyRmxIBcprjJmyHzGAhopEt1SL+Yg=","/assets/TV-CDdAaeGx.js":"sha256-UW9lvSmRFnfJarHlfM5D5Q10J1+ek/uzkldbYszFikQ=","/assets/Team-CVwu4xAq.js":"sha256-bONzpVnAWK8v6Gc6SroIm55JowipDgs0UL+ufwfKhkU=","/assets/Terms-DvfeGo4b.js":"sha256-WGhqensTMHvJTVS3fQy6qA9opzOaLpKagv+2zn7e9JA=","/assets/Token-Ba_qkwvh.js":"sha256-W1mmD5L9vIKuIOkAHztXqKBfX9BEpDPSGjAqSY4c/Mo=","/assets/Transaction-D3DSquxO.js":"sha256-yZFMl4sYzLYIpxYgMJHYG8LyRUAgHKr3t0TArhL21BM=","/assets/Verify-DJI0Bvt6.js":"sha256-WOOD7S7rQPN7133O7rECFTv6OT5ubE1Qfrto/LJ/Lk0=","/assets/WhoPlays-BUETp6mP.js":"sha256-SvLaSp3FiobFo0yS4h+9+BSXw7RW3GkV0vb883hAD3c=","/assets/alive-CQB4VIwa.js":"sha256-2GSW3x8GDIDSJzT57RQu2XYB/+gDaZHmPkJoWVHupY0=","/assets/arrival-uWPA-IcI.js":"sha256-OlA4lg/CuUbbcnWOYGBFwSvYclyt2sQjvID/YXLRcG8=","/assets/bot-4Fn1brfH.js":"sha256-+Fr06JlteL51gguFu8sFXlWCnO58SGJ+L/RrQhbbowg=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-DknodKqD.js":"sha256-cXlblunQ7PqcPGOQ6ApnyzwfalEvXVjI61fTMMRP+To=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D2DU2fj3.js":"sha256-H//nLGKhANU5uztr4Fy9YvVWoKVpJ5f+r0AdM2H0tTM=","/assets/es-BbW-t6AX.js":"sha256-YMM8qdzCADwQien8UwB865bqB+mV2CLb4fYHDJbuo2w=","/assets/first-D_rbsdyN.js":"sha256-lz5Gx+zpa+HL5LiLdeCBDrOTAgFPows4OvrCCcnlCHc=","/assets/fr-DE5RxFh3.js":"sha256-O4QsP/VpQ3a0tAVjvNYLeJxv4kIDMqA7jw0WT3JNRnc=","/assets/ja-DH135ZvQ.js":"sha256-vH3SxP7ttscxc5VE7Io9DfkO/8zM0aWmfNizUgh0b0A=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-JB3MHPLI.js":"sha256-7WLwjWCp9+yzOXX2v4ztR1KEDVi3qI39GxpCIKBhdSU=","/assets/sound-Bw38kL1g.js":"sha256-tYtEcsqvZvm9jhJU2lK/bUnIW01tdJ50rrmFmV4t7Zo=","/assets/style-Dtui1Adv.css":"sha256-K1phO+jSl9V+kFeShrB51RqSfrOVILvp/PbrNiZuWZ4=","/assets/trace-B3nE_0HY.js":"sha256-9jTd/L6CDSP7BhmXEHFMHf3QrnrozmikE5owXymHXUk=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
