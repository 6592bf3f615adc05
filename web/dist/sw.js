self.build = {"version":"J7cNYiZAbWFIIDBC","files":{"/offline.html":"sha256-znPu4+G50p8NeUW4qSir+UXZz3694QQhWwnl51GeciQ=","/assets/Account-DBRj-fhv.js":"sha256-4YcnyjzGYVL0cfoehA+DCRHXaOqukmsfvaniLKP2FZU=","/assets/Achievements-CE8dA4C7.js":"sha256-EUsHprPzNL0yHF767aXbmuaJBTECeVLlBP1NYM+Cw6g=","/assets/Address-DvFaVvG5.js":"sha256-2WYKxfAvYWOTgL9NxOdcXK8v8p62KH3fE8IFhENiBg0=","/assets/Alarm-BHXb8pRN.js":"sha256-Cjq5lYeYmaikqReSeGzE62PlgWf964J4tJtMmZTRLyU=","/assets/Alive-DlMGn7d6.js":"sha256-nZtUN+Fe/mO1v8HOrLlQs0zV7awulEH/sp9rE2ggOcY=","/assets/Arena-DQMcUcPF.js":"sha256-Uc3+SiIVVmpHyfzmxARGdoo2t3ao32S33RAenLa71X0=","/assets/Block-BmrWYKrv.js":"sha256-9owdWACN44oRezXd7eL+mnv3wxU/In4A94mansJDXn4=","/assets/Bot-BJlCSPdx.js":"sha256-8UvpAdhmYlxX1ckz6B1VwI+BimnVtQnj7Zftc681yIU=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-wpEMXiE5.js":"sha256-HyOK0nENNKwWVz4BiBw64GDeKG2iimLRDlWw+x5so9Y=","/assets/Celebration-BRMe4-Vk.js":"sha256-DkhSkZsspd8PC4mmGdm3XHbTnL2BPDe3pdzG7WlQkew=","/assets/Chain-DveXsSv0.js":"sha256-X/1zvpyWfEzKaVBtCMyP3OF43O5JHFR3cd6TP7li+Ww=","/assets/Company-1gkvd9Pe.js":"sha256-emZ4O0u/U/zYcz9AhhXdp+nxvbFNI5XT51ntjqtES0c=","/assets/Cup-BE_of2n3.js":"sha256-vCe7c9u2h4WTu/n9NQQpOdBtxmPiT5wUcy1XWijZvMo=","/assets/CupLive-BK9CowlN.js":"sha256-xK56WmUXgCd3rat52OvDlke7y807dYv8zWYTM9Yzj1s=","/assets/Cups-CFk6Ak0h.js":"sha256-3Maf+6It17znPWtPPEwtSOCmvWjHcn3SsqxbvJjcHOA=","/assets/Daily-DI2Ku4F6.js":"sha256-iKISbJKxhwhg7n0CFGHKr/VgepbGf0RwfYHYsKShxZA=","/assets/Developers-DllQGhFu.js":"sha256-lmnzCo7mKoK5aFdoZPszt8UDBFYAzglQ/7RGdWxHulo=","/assets/Duel-8Qc_AMCw.js":"sha256-RsvmeNCsR7FeLku9Hisbvis3ox16CE+sOs7vdHEmoxA=","/assets/Duels-D-GLs3bl.js":"sha256-S/9976Lz2t80+FbI1Ur3uFuzM7m9eezDDsHFfUesVOg=","/assets/Ending-BpoKsWRY.js":"sha256-1URDde9SwUb5PCZWqfimzrwNqRnxdeQ87xFqGtJ2omg=","/assets/Feed-Ct3rsxC1.js":"sha256-Et3wrehDtwuPCWbJKl8o61f2KU/sXfkgUFs9GxrG9y4=","/assets/Help-C_GUgt0w.js":"sha256-LyByoPqq+nHQUQFc++jVSfXWkNL1886UpKmPb5NR9B4=","/assets/Invitations-CZxj5ELc.js":"sha256-Y5IFgcGSkj1P5bHq89eCMQnBotaMRAOHexS+9VP5EJE=","/assets/Leaderboard-C9RKo6Ob.js":"sha256-wAuYZZqnYIRz+lDkvg490q7ase4xcw6IsureVynibB0=","/assets/Link-ChPEZ61-.js":"sha256-dRLRvw7kvCrZtDi1hfSPmv7QqyCVMR7GQM44QPzPm1s=","/assets/Market-DwBpEmDb.js":"sha256-SA7qzeoZ4M/CDshHTzPdBSTPnAVuEarFSxEAuMaT/DQ=","/assets/NotFound-B0tE8aHE.js":"sha256-j8U2XncZNYhXgTLQsGEA0FVIqaJ9+XsFkBHSdcr3pZ8=","/assets/OutOfEntries-Dn0vv4DF.js":"sha256-EwHw1pwJZ4Sr+s1FwdB5Y6NfbXSUGwkWRHrVElAhL7Y=","/assets/Player-DxbIBJgo.js":"sha256-kHqjpSJLVCX0EBZssfbLO6E6gVdllVtEw/r/iqEKrGE=","/assets/Portfolio-vGkPIl1d.js":"sha256-dyij43CnCQVDRhnh1JjJmym4JC+Br2RgBuPS/ArutmU=","/assets/Privacy-DSKzpVsa.js":"sha256-fsYyNLMCf04I4saW/glx1Hq1mpTnmKhZnZX0V7JoEDc=","/assets/Receipt-TgYHpRDa.js":"sha256-eTeawEj84B6Rgo/v3fJs6c6pOB1cnLG/pcBGE18hCts=","/assets/Record-Bk1d1lJM.js":"sha256-8hYREufyzwcArnJ2vjaVMUQ0iQASPbu/vuRxiej0bkY=","/assets/Reference-CxHXFP7O.js":"sha256-txxw+oNr5+kUIM++E94bnDRVT1lZAEkXoPbxyOJoM9Y=","/assets/Rules-_94JLoon.js":"sha256-bwYs6ykveYexPHU3mMLOtsxp82AkCIcvYB+P58OYM3A=","/assets/RunChoices-CC6sD-mF.js":"sha256-IEpDRpLcXNVoGRpFdmep7dvNuFbrxKTff85/z0ocTlE=","/assets/Season-DLRb6pFy.js":"sha256-VV95ljrJMt+gnIPiVq+p/OoBwYbre0f6vYrFKpIvO5c=","/assets/Stats-BmzuLbVG.js":"sha256-P18RlBlUnUqhlz1Ai9nWP7nkr5eIFVDzxPbVKNrkkDU=","/assets/TV-C7h_7cuA.js":"sha256-a1bI/UHbK4APAuyu0ZzPZoeIO2Iu3US6JMpyjABlZhU=","/assets/Team-CZN6DtI4.js":"sha256-pD+2/PLL1evGmqtyKm6O9WmndMqieMwuipcbzcnsv7c=","/assets/Terms-CgU1KGNS.js":"sha256-rn0P6ARAkMgLQn7EXtAFSpKiwkQJjJ419I6eEm56G+8=","/assets/Token-BXgHQgVc.js":"sha256-Itpw8vChX5OyShiz16Kv+9MmXSjnELOPPm0KPt2nPgE=","/assets/Transaction-C6HMBL3B.js":"sha256-88zH5whE2jDOxyyRbzoK5SPE/aEe1dbZCasVZJjp/6I=","/assets/Verify-d05Db9Gw.js":"sha256-QJGAk8VTixSaS7Il/BnLY7bvTSS9FP0M3e7xLQEeJTY=","/assets/WhoPlays-DUSpHaUE.js":"sha256-6cls81Yq+VLt2ugY6L9EQ1ZEfUMJDpOMcd3+cK8sYc0=","/assets/alive-DYQp0kdd.js":"sha256-+vMkJkUcvKCO1KSHtj4ltjYPgZVBpmuqDOFkk3znAhM=","/assets/arrival-_X7FhZ90.js":"sha256-Rtr2IcMgcJjVJJaZuxGhmDwZNk/27RRbMTd+bhsL1VY=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-CMIG8hgQ.js":"sha256-qXxO6OZnh5i/fpjTv0zZnjNLXwyTKP/8R0qrcN7pkrQ=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DXwgmlgH.js":"sha256-tFoFPabtx3fLVmYV0zRxSF6/wai0HYyQw9OFKIb/9iY=","/assets/es-B9y-d20P.js":"sha256-HxPpYEUYf8pgg8bofslVydak7TW5w1th2k6VPvmZcKk=","/assets/first-Pnfec3W0.js":"sha256-bhqkfr99tmhw3kpf0NpAV+/+A6boiTVmDvsnvfGbB34=","/assets/fr-DTkdynBs.js":"sha256-tthlmT8vuhhH4kkKyNT7dR0ehEuoUEavmwTBZNA/+jY=","/assets/ja-D_-YHV8V.js":"sha256-QKqRNnTbVZJ6KqMUrYfd8bGi53QLMdnDXKffkZHmfMk=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/proof-BpyuhoaQ.js":"sha256-99U5irtzZHOAOsy4Plr9+Le8XsJ+CIru/xhxr27/sfM=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-1PBxG2Z0.js":"sha256-+LtezOVrBlj4eBKYiQkxM0rBlC6vgNsZHZHXRf/9Vgk=","/assets/sound-Dq1aC4ZR.js":"sha256-VaUcKtWZ7Gp6TmtLAFLSgJSMDGZQjzpPpNyDJc/G4Mc=","/assets/style-LQndujwT.css":"sha256-3TULkFZVJPglD2jQdremuwdaF+RQ+DF7M3BHtq1BMVM=","/assets/trace-BScrtVzF.js":"sha256-C1DRJ2vKjVOl0K1a+Ya/GgJ6UhfLuKoF7GiZ4+xkbYQ=","/assets/worker-D85i6-Xd.js":"sha256-cKhszxvu9V0B6ZGFhAI7v53yv5DJ6YL+prd15nfkrhw="}};
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
