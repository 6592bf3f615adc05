self.build = {"version":"p3KZUyFHUvFwpJJT","files":{"/offline.html":"sha256-IAIAr/Ao+T6470WHQadBmA3lFdfHKs+CaL7672n0ffg=","/assets/Account-s0TFy3Oz.js":"sha256-3yCuyJkMejoyQeH4VcjlIhsJIpfymylsNQ0NrTrPzro=","/assets/Achievements-shRKN0Ve.js":"sha256-zOAZInux8PdHWeYVf/RZzRdgIcKAF0VUB1R9Gv8DfHo=","/assets/Address-B05F-sMN.js":"sha256-/Iv2pJS31qSBIzNlPBvH6vvjJstfqVTBHjuQ+bfI9nY=","/assets/Alarm-CS8ugv3n.js":"sha256-WZfYPAuzxZtI3D9gOqXrkm4eLVmsewwXb9GmfMUzm+0=","/assets/Alive-DjDqkqTX.js":"sha256-jGuVGpvThg9Sa3AeRypkYePvGiERAdKpAf4zCdqg7fU=","/assets/Arena-DdwsP8Np.js":"sha256-u+tPPDpSFoPuR2J7TbwcEAQQAt7rN2Td1sOx8ca8ELQ=","/assets/Block-C-ba68wy.js":"sha256-fK8sX3At4iCpedPpxvaiyP72mOHGpPdtCGf0DqH09iw=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DotDpJmA.js":"sha256-jYqtLDEdaGRgaucD/51OVizlqztdX+zHp9rb6iRHok8=","/assets/Chain-Bp5uv-Wm.js":"sha256-I5knNxzTXggV/eZb98DwULAhqpok99PZ9wFesP0H2w4=","/assets/Daily-Cxd1DLje.js":"sha256-miBWhMb28S+uhwcq3wQdcXaQdtxLC0p/hPdQFud8M1M=","/assets/Developers-ClSvV1Oz.js":"sha256-7ABqZgaWPklp8tomZSZpaiKRpPClP9qHiDr3SoThb+w=","/assets/Duel-D4Oiic3k.js":"sha256-B5vt4gdWb+lUA+lhcRWmR9B7ByVh+gX6DC4HtWIs2+s=","/assets/Duels-DyLsZvSQ.js":"sha256-rF+8x8AZVZMhsx+G1jyBLiMkVRcOgE21uxyLLE3zPgk=","/assets/Feed-Dd-Py7l0.js":"sha256-o5MpKbnQf4mi1RW/ogfElOZPY5ZMx4XbSP4ue17IUmU=","/assets/Leaderboard-D6morEo4.js":"sha256-4QtljxOeOY7DktY3UMROThf/l32477Dze5nmay4z3jE=","/assets/Link-BdDv7fje.js":"sha256-t36ZrSAwET+oy+cL2WU238H4U/BfpHG5gNd2YbB1o3o=","/assets/Market-B-5W0kXo.js":"sha256-w1Dkdk1PtGXIJ0lMI87Rp3n5R/C5f4fRGNHoPHvl5LM=","/assets/NotFound-BEFrkPlb.js":"sha256-47h6Wf382uafOiloMHRVYkqkbbEGcisCdErWf/El74k=","/assets/Player-DYpy52Bl.js":"sha256-Y6Tj+Gvcnw/ZKnYmJOjquMsidm2R5IgVjN0xh1s2cLM=","/assets/Portfolio-CbKbNkcp.js":"sha256-YUHyJhccQVb3mmkDbeXQVdL2leSCG6P6vHcRGmFyFZ0=","/assets/Receipt-C34L15vg.js":"sha256-BvBnZ1YQp0Zq7QfGIaC8DrYHAc40sNntF1az8syD7cg=","/assets/Record-CA1DrBmu.js":"sha256-ii8mbcGeiQCr/PcVQn4HtFfsioYzHb2c2TIRXJCQTUc=","/assets/Reference-C0hXrieq.js":"sha256-jkOUG8PEp0+GVjhpIqpTsB+8ECpXRGBYaZ4+DQUWdKs=","/assets/Season-BcPKTCha.js":"sha256-zba4JXper3Ht1b4hNabp7N0xU5fYSZ6cAmQ8l8cR8+A=","/assets/Stats-CHrg9akp.js":"sha256-g4fsC9TYDj0ugCou6LdcvfhD27rEKJ6jYi18Q/BG+sM=","/assets/TV-BLbMiMC1.js":"sha256-FDL5ztam9Uk6LgIu7sAnDd61hBnS8WwFMfdtfZaFDHg=","/assets/Team-C_xvNfRf.js":"sha256-C+qR5beMVK3oFXcyOunjwdwDgl+ZKj6GNb45X70qGBE=","/assets/Token-C16yonXv.js":"sha256-aqHSHksEalBDmAexw9o8b49cKhlPveOZgf/KIrJT8m4=","/assets/Transaction-Pna2ygVY.js":"sha256-qeB8JeL2jintcDVpWpL7K9UD8QR/a8axj8rr+iNmJWk=","/assets/Verify-Dn9FWIzP.js":"sha256-VY9HrLGoyEfCM2nL7GkWs5yEYo/BF3ZqyjqpaP+Bstg=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/index-D1A3C7K8.js":"sha256-5e+PPqHLMm3t91rnWtNB/j8mYmk7RxyxOrFTButu34Q=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-Ftj9ouGX.js":"sha256-J/wCDtcW4OCxHVF3+ktGm/biXqcT+LZE1ioNw2lDm4Y=","/assets/shared-Bfpia4j5.js":"sha256-fwAHGzxbfIIu9dFwt8BEMGlpHKfONUVOhKOxRTSAtc8=","/assets/sound-N5EpsPDC.js":"sha256-vo95LZ7q7yW/fAcidGb00ELVfjSkwEe4LOFredONbj4=","/assets/style-BUeEza4M.css":"sha256-rdK6eXqze+mqCR820bbTkbpM/UbjFu5Mo4z6PeecKgU=","/assets/verify-DXDmrJiT.js":"sha256-tGdQmJwOOph2GAvVsbTmqLZRGBiIEvP26wkvXrVepiE="}};
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
