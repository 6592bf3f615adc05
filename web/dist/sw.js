self.build = {"version":"5iek1ZZPtkuM0MSh","files":{"/offline.html":"sha256-o7VICkqDPRqhVaw1FUp47WcDGzYPVzWuXE3i9RJn8Wg=","/assets/Account-CaoFgseE.js":"sha256-5aabgdiKw/342nD0FW6ETthlP0HbOaB3mmSPSUJx+gQ=","/assets/Achievements-Cp_cmkYz.js":"sha256-Ard8EpZmXsMvIfmzPf40EuRwPNU5k6aYVioo7FJtR+4=","/assets/Address-piFyEIU-.js":"sha256-/8enfEI4HPFAs3iUOO6soPShBVP1EJViHkQw/hjFVcA=","/assets/Alarm-Cd9mR0Mh.js":"sha256-Qs+2FSqQ5udzwDcbMGUDdeeE3WUV7MCiCKS7pInfDbg=","/assets/Alive-17_kb_8C.js":"sha256-s2prtjRx5aEny0N8M4LM28KQKjuBYanjqxTOxG1Ez4s=","/assets/Arena-LNcFSSJi.js":"sha256-dJvxNg04Xrtmhi2VRSHqAYSd5qjIMpxIb7rEaPoWuH4=","/assets/Block-D--3OUjj.js":"sha256-mMyvRbyBtZbXJzxfMxZ5c5a4Tz8PxiaLjcoqvnmLoL4=","/assets/Bot-B8YiWsXD.js":"sha256-lAcJsLIxFnFKZ3ImA8rylrthxg31dyNLzalQ7cbQ0kA=","/assets/Bot-Cz_QCLo6.js":"sha256-evffCHPwcu1U7SlbJXq6PhgEAzOgVAhO4enH5DM8aow=","/assets/Chain-t_KQsfxr.js":"sha256-uLh1WfWQYdgy8oL1IhjqHefrm39j/NEsDTA4rtlmruw=","/assets/Cup-BBb3q6_i.js":"sha256-l3hROZVF9GaSNQ57AhNN7Gvt8xsfVZfxMln5kAIQd6c=","/assets/Cups-ILPrxtdZ.js":"sha256-jo/gKtcycL1ylaKR+HiMpQc/zyNYsE1FGV6SMKJz76U=","/assets/Daily-G6vnFxdh.js":"sha256-O8dMtK13sW1eYRhueOQi6M73mbc5bMWwhasH3tJiNaQ=","/assets/Developers-Cc4GavBw.js":"sha256-xg67nMldEBEo/rvj6XeXOcTLYsA4V7aq2TDiUB9E+FY=","/assets/Duel-B9KuCh9x.js":"sha256-9V3boGvYkOR4AU/I0z1k2Il+ZEmS3HYQUv+VNcgtCtM=","/assets/Duels-CMqARnPf.js":"sha256-21XbiO8W6OWw14at98LR64hry6ZZ3x25uzb8Eeal1lw=","/assets/Feed-DCcRxTzM.js":"sha256-hF3Q5rk0aSHFFjCXKWtJUgOgm4SNy0S6gd8RTHd+T8w=","/assets/Leaderboard-CaKWVe3f.js":"sha256-bcoFnjii5U2OAdkaddxeMG6G38vHC2Ilb+CiP9tzNCg=","/assets/Link-DLse0nJT.js":"sha256-U+UgPvvOVIriOH1YS9imLWigkN1vPzhjw4vR5gLaCi4=","/assets/Market-BFnaC4u-.js":"sha256-ghjsfFJ/5kej8nxfmhm695aZaLL/Zi8Wc21rdXpGMRs=","/assets/NotFound-BaIX37j7.js":"sha256-zSbgSy7IHiCcBgetKsbncPjKuwrqpaMIfJwHFuH4T84=","/assets/Player-Bjg2PfOy.js":"sha256-5GgSgZJEPc/NHF+xkRAf2R3gN6B4idZXhpDu0vPOXVI=","/assets/Portfolio-oF39yhRE.js":"sha256-8Ub6VpmCNZKg37lL8sown3x15L7RMEFNk2ILEOZVLps=","/assets/Receipt-RKf5A4yM.js":"sha256-d+TvIMRT5Gy6MfNnIp2+Kp9vX0uvN+0fWDsipv7kW+M=","/assets/Record-Cz-yYSBL.js":"sha256-e/Z0Bx+4nbdIqOdVgTqpVofwYjXf1EcxMTxN7OoU2nE=","/assets/Reference-DZNB0sbN.js":"sha256-zre3tGyb36oWNqhWqd0XPh1ZC4pOgM8jJfBAqnTK+Fo=","/assets/Season-DqoALLpR.js":"sha256-lWf8sUWvEhBNKeuBJu3X9PpcLv8G/2dkZJjXUEOGdNs=","/assets/Stats-7JS0XDQu.js":"sha256-0BxFj/q1U+cyxLKv0a1Lwtt8Xm4YjCyteuSQtg3MKn8=","/assets/TV-Ca_9WoZj.js":"sha256-bj8lapUC2XqbUwtPN/HDsMW97nX0ZST49XNqbhSnFa0=","/assets/Team-BQTOkrEU.js":"sha256-AK8jV69V49NuLULOTwDmNgZ3UEs2wZUWU+O6upFolnE=","/assets/Token-Cog5qtHF.js":"sha256-PJ4XnelIBZJ18Ti6vtqLedL1aOyB1prmcniqI2i/g5U=","/assets/Transaction-BKyNp7B_.js":"sha256-iwpmLyImrEQ0y8swpSJe+EMnO5ZlCYrp8o8luCXO918=","/assets/Verify-Bxp8kT68.js":"sha256-59pDyQ1nwEuDe1/q0nf7sWkkE8/zHGYap7UhIXVSuA4=","/assets/arrival-BiWYnjLJ.js":"sha256-nPmi/pzZJtyd7xXGkmwaDOnzQp43sSS9eOYgjND6DNw=","/assets/bot-Bo60CT3P.js":"sha256-rn3vD2ash1z9qqu/3ey4/IgmQgkVWv59X0xfiE3l/hA=","/assets/bot-OAGTOCrm.js":"sha256-3jHWOHiUnM4N/VODJE8HZmY2k+XX11dKbLh2w9dH3DQ=","/assets/bot-Se-MQY1i.js":"sha256-V7iNcg8dEyluYr1oH29GhtsWQCdfabqXGQ6CrosihEY=","/assets/bot-sYzajhAQ.js":"sha256-UEBnGu55fyCJNITcdwnaEcaH/CbWgR4DMMUdfJs8Cf4=","/assets/client-C0VXTFYc.js":"sha256-uDDPYRKMoG7tk8CfHCJTefIM5P3G+qsrn0j18r7nOsU=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Dj1wb3LO.js":"sha256-1TUGgNZKnnoSusTz47O1kRbYtPVGfoTUyiu3wXEnB2k=","/assets/es-iUjjqxC1.js":"sha256-2TGS42q3cDomfnTfOK9Yu5IJFVLuAXsRdkaxGblI1wQ=","/assets/first-BrUogN4f.js":"sha256-xNDmR7cF86IkbZuCTD8goUV3LGXFOF++2hdWlhP4xik=","/assets/fr-CHLGtUdw.js":"sha256-cf4B5QDZQZhHcxCYdi8iFILYGfgJl5zvr/UiuyRIhGI=","/assets/ja-H7OAf-DR.js":"sha256-2N3v/vuvWQnUJaVgATUJI2x9iBBFcj4IwmAhEOq9Mp0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-D2_-2Oie.js":"sha256-3lwLErRA0MMKI7cZIrplugxgPueerBV/8aYS9jUyA9I=","/assets/sound-DPC_MHGB.js":"sha256-JCtu9FsCL2hkbotjGiyr5/oVE26VAXUsEctJ0rLMTog=","/assets/style-Svtk3GHE.css":"sha256-Exz/7nIhXgf1FyHCvFVadRxoNK1P8lZ5pKg/5NxrKnQ=","/assets/worker-D2l1H9tj.js":"sha256-qj4ZSsg3RIFf0m5uf5BQgE6+9tMkPC9MzpcZzQBgLro="}};
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
