self.build = {"version":"Mc7Pgh/2D1FFW8A3","files":{"/offline.html":"sha256-YS0YBYCs8JBgrDmq+4Q/GkGkIw2BfdBcw5TLVm4BQPU=","/assets/Account-DiR77n3H.js":"sha256-TQ0ilJfoD7j9byFM3F4WMHVjH0paq0RjIPpOTfdH+qk=","/assets/Achievements-D0jBFJ2z.js":"sha256-a0iT6eRF+61z+TwGNAttzbHtylzY0DQ7lXuw8/THqq0=","/assets/Address-Bdd8ggdh.js":"sha256-6/N5urYyDBBVebMtlFvYs5Z00QUG1+oK2KJ6LNkIs0s=","/assets/Alarm-B_l4tgsZ.js":"sha256-BeK/dpnlHhL+2nFstWexdRlGtoOMM+1aSEWuHlAzbxg=","/assets/Alive-BSiMRbAQ.js":"sha256-7jhThTz7OixKElJ5meiYDJOxs7UOKSjzJo6cx9bmVwU=","/assets/Arena-BSdoqlNl.js":"sha256-lABsU/ra7i+WuVRGiXHVw3IMU8yWVT2K4dmjrnHB4TE=","/assets/Block-B2fNvIPK.js":"sha256-6iyZ6JC+1D0TXVErU7C4ftUVzx+VptVuuoS+KQOCwq8=","/assets/Bot-B8YiWsXD.js":"sha256-lAcJsLIxFnFKZ3ImA8rylrthxg31dyNLzalQ7cbQ0kA=","/assets/Bot-CK59WYaG.js":"sha256-I/DZuKIknKkFrUmFUXWYeRtFA7xQnKHDiuxxj0nOWmA=","/assets/Chain-CDkou-f6.js":"sha256-NT0CfCVJefvekc9AdCBIGizUhmRZq2BtunHdRFSSc8A=","/assets/Cup-DiCV5dhn.js":"sha256-ziyr8e11kAcVMpxyfc98IiMOEgH/K64tLRntBM1RsMw=","/assets/Cups-DmO4YNY2.js":"sha256-KAaMOkZmqFhOeBtV+SrD5uBHePrCTQ3Ec3FkWNVxsis=","/assets/Daily-BtSa090e.js":"sha256-5dnK2STFPoLQjD7PhXqGp4rj8sYTSPxEYxMDZTimDxw=","/assets/Developers-CYluiIZU.js":"sha256-Y6ls8ci5QIpYBMteJYNfyLQvM8QC+p0JFYWpycWU/aA=","/assets/Duel-X1FQXdX7.js":"sha256-UurA2QjcUbJKwUYFPKwU19UW6mktIl8FlHplFRVqrXA=","/assets/Duels-Cy7lzyPz.js":"sha256-s0PDZaNCPd9N3d2UBuXSqfz3RLvtNzA1NXf5SyYXdm4=","/assets/Feed-DFQuC3ev.js":"sha256-WFXHPuniGOdwPd60FvzV9m65vsGUwK0zzMJTSsT0RVg=","/assets/Leaderboard-DAJtaB2N.js":"sha256-blbu913ThEmSTWOQ9g4jmbFCNX39GRJ9TpX8NNRpnXE=","/assets/Link-DPbQa6H9.js":"sha256-pyHnTKlk4VqdlkBVnPEXg6oVVBaOZIqIIOSQflcmp7o=","/assets/Market-XJ9SlyrW.js":"sha256-JjNN5ecaqv93af4rl3YECHVBmXU+KCJUtUJcx9NYm+k=","/assets/NotFound-DONP9NS1.js":"sha256-E1/RafbNUdcHQYOw8SZuaLirrZhtvsOIWU0pWJnAvo4=","/assets/Player-BypAPkdj.js":"sha256-VHSiOSulYCAjcfEMBeuAglQy+Mz11KFtckAKyoo8hGY=","/assets/Portfolio-BlQIqcBZ.js":"sha256-vc+pNt9yJ/jrrDRri8gosHiBlcS8VEfWtgqB6ahn2V8=","/assets/Receipt-S0SCaXlP.js":"sha256-HO+Ruttvjv8mNvV/C9AzgUFojzeYfvc/YBo4x9OaJDI=","/assets/Record-CSvZXq6e.js":"sha256-ZOrGRNNoA94lJdBrZQ07UH9ptdOujfh1CpGaDNczy/g=","/assets/Reference-aDL9f8nH.js":"sha256-a4xU2H9wYrpYSWDY5aKarTg/9p6BPSLuhsZOedpV8yE=","/assets/Season-DG7krOsj.js":"sha256-lumeIz5FrYTE8tGC7qT+AlNdCnrXmUex9twm0rRdqvo=","/assets/Stats-BocrUzzs.js":"sha256-Eo4drtLHd7tXfroykaNuzaqXw8d3rbDLelEeAaDWEEY=","/assets/TV-BoMIebar.js":"sha256-f6Ai30w1bEJ1MIalQ/1QkJkcdaKpkLH/307F/OlA2OU=","/assets/Team-DWJygG9X.js":"sha256-a0YcuzeT4AbtNISrLKRxywHkBT8NrTbrWOzzEH5Gkug=","/assets/Token-CD9oDSL9.js":"sha256-LWIchv47R5J/ZIhEBvrs4HWgRmIWhzP0tLca9NdZ/YM=","/assets/Transaction-BedQh9Br.js":"sha256-RBuvFtWL51+cXLwxQQo3yBc97uZhHIJpJhdGzBXLWqI=","/assets/Verify-CTznTNZw.js":"sha256-vS4SGuwCXa81KJAg9NgegND9M6kWCF46bWE/4Obvi1M=","/assets/arrival-BVjQbcIR.js":"sha256-WSOY0PKXUfl6Lm7mQ7FlbbInZM3XYoLpG369au2Tw1s=","/assets/bot-Bo60CT3P.js":"sha256-rn3vD2ash1z9qqu/3ey4/IgmQgkVWv59X0xfiE3l/hA=","/assets/bot-OAGTOCrm.js":"sha256-3jHWOHiUnM4N/VODJE8HZmY2k+XX11dKbLh2w9dH3DQ=","/assets/bot-Se-MQY1i.js":"sha256-V7iNcg8dEyluYr1oH29GhtsWQCdfabqXGQ6CrosihEY=","/assets/bot-sYzajhAQ.js":"sha256-UEBnGu55fyCJNITcdwnaEcaH/CbWgR4DMMUdfJs8Cf4=","/assets/client-CuC14U0t.js":"sha256-sbDbqw5qE97mQZV6OCChHQYeQER2G3daQ8MczMnNh/Q=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Dj1wb3LO.js":"sha256-1TUGgNZKnnoSusTz47O1kRbYtPVGfoTUyiu3wXEnB2k=","/assets/es-iUjjqxC1.js":"sha256-2TGS42q3cDomfnTfOK9Yu5IJFVLuAXsRdkaxGblI1wQ=","/assets/first-ybZMiBbB.js":"sha256-f2tSszRCG4pNHMRcPBceQJ1hYto7Z3yDO1xr3/0+Zig=","/assets/fr-CHLGtUdw.js":"sha256-cf4B5QDZQZhHcxCYdi8iFILYGfgJl5zvr/UiuyRIhGI=","/assets/ja-H7OAf-DR.js":"sha256-2N3v/vuvWQnUJaVgATUJI2x9iBBFcj4IwmAhEOq9Mp0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-4O0ZMMxK.js":"sha256-afKNPVsB+aSWjZGaq++sb0fzuvsexjlkADJ+7trKIWA=","/assets/sound-DlSMyHOT.js":"sha256-hpAOZvIle0wHLcw3vap51oisEWCjbLpSApw8aePb9fQ=","/assets/style-Svtk3GHE.css":"sha256-Exz/7nIhXgf1FyHCvFVadRxoNK1P8lZ5pKg/5NxrKnQ=","/assets/worker-D2l1H9tj.js":"sha256-qj4ZSsg3RIFf0m5uf5BQgE6+9tMkPC9MzpcZzQBgLro="}};
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
