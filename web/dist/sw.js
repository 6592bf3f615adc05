self.build = {"version":"aIjbeDP0T9rySnrx","files":{"/offline.html":"sha256-PmMdJWoIv29Lo+vCbh0xZzOrnq4zIlrx3zbi8jjQPS4=","/assets/Account-CzrxpIAM.js":"sha256-NeF8azLo9sf3Lxl7wPByN/6tJdWvCS6E9dVHjNrB+0o=","/assets/Achievements-CNa-T_2k.js":"sha256-ocQlhSEN46yRcBBaMcXrcgytxMFKv9LuPoso4qpWIGQ=","/assets/Address-C6pZ39KU.js":"sha256-/9bEYbisoYL/AQLpjo1x5CsOb/6Rd26QDim70keRA3E=","/assets/Alarm-CfbvJNo1.js":"sha256-rSjSSimfqkeWhTckpFfwM0cQo9/mnv4ufWBCyCD+BuI=","/assets/Alive-DzH-Mqxh.js":"sha256-y+sannukxLba17a08GqqZlkpChrUAsuIzjdp1/eb0xs=","/assets/Arena-DW88E7Kt.js":"sha256-nxqeQkOAxa3D5/hgUoXGF/11ghv7GNeVs7SBkXvc7U0=","/assets/Block-C6h61cWS.js":"sha256-/Vp7Pjny4PEVq/yrP2wPGThcbAHfzeHhQt1IP0LzWeA=","/assets/Bot-BPrHGGJz.js":"sha256-cTaLcsVTW72WFuwQfnjEnr9Bc8glQSKFI6K/Iuq/S5s=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-bATpMHoh.js":"sha256-H4tA/Q8tu66xYwVdWyp5NMjpUmCW5PEql/sqARCalnY=","/assets/Cup-BUpJyABI.js":"sha256-TLJqqvQ0qtWa153wDV/vrHUGMgdDRaCiJ3hvEvCXHD0=","/assets/Cups-DQUF0NDk.js":"sha256-RgNAzBVuFZV83jDwdq9WF3DvzcSmZWc+2ZvizHCfVrk=","/assets/Daily-BVtord9v.js":"sha256-i2T8E/hPU9aAIoMPQAGTyvlV5Ku6SrFOQI+D5Evadtw=","/assets/Developers-CTsG2Cos.js":"sha256-94H0JVkvZyH6ZeYkMlqHKhhBHRhoJGBIQZA3jVrmALw=","/assets/Duel-R2qRhIAj.js":"sha256-61ooao2JsrEalMJ0Q3+OkAJw6if2hVnHJjAagLaNoLs=","/assets/Duels-CCnxmhfO.js":"sha256-iuAXQFixcGqfysVsvAVBupvsatGdtZj4VqDDP9I/H/8=","/assets/Feed-BX9Ixefg.js":"sha256-LXI2wAzZuRZGKDDyZ/4EPhGWxG2PLxxWBDg+qTsLbIE=","/assets/Leaderboard-BRNUNI6f.js":"sha256-xV6Z6cNWe+lt7HF7m2VNRdHJjgIuxmPN8kMXs28PlGk=","/assets/Link-CVoL19G1.js":"sha256-v81EiBAAJf2Mo5tWz9BZZm3Jg8UR6pLGDpr2hM5gS60=","/assets/Market-Brwmo9ZQ.js":"sha256-KjpfgHBbYisURO4IXUf/q3wNk49B2FEJQE6C5ARQC0w=","/assets/NotFound-CzsaRoHQ.js":"sha256-FacvlRgXsPNm3oviql3F8pF6M3aoSKsjSqQVi7jdEnQ=","/assets/Player-DVGQlX-y.js":"sha256-ZMDuyf41k7ZLrUfz+/ncNYyGCipxRUpJErnrsdAbQus=","/assets/Portfolio-BGu68Cbv.js":"sha256-5E07Diq2GBiajFRcwnHTKylZ16Exm5lNZ+elPN5N3Nk=","/assets/Receipt-ByJLPzhJ.js":"sha256-JqglPre1EYQsLjtaVjLH19qQeW9w5KldpkSuVK57hps=","/assets/Record-DakM5lTu.js":"sha256-K85WcVqOiq5jUMhu/ZXEdhEJP1UKGW+2nM3WqS5Eu/w=","/assets/Reference-vrPIuid6.js":"sha256-VBGwJ3nG+/I3odAPxaZ+4iFO0jnvawkhIbeyWOXg+4U=","/assets/Season-BOlhA-d2.js":"sha256-k4lzJqezHvLvvDcaDIGX0VPTL2y2k3CaTHbXV7SoeTg=","/assets/Stats-CB0h8Zj7.js":"sha256-S9pmkDyHbxcWqYr+z605JhmVYJGrXSr0JL6OoyDP3OA=","/assets/TV-t5q0OgUF.js":"sha256-bOxXRe76LS+Be/bKj/un/M8h3e+lCNx7sEev1S0RVY8=","/assets/Team-9iY7PXWr.js":"sha256-OgKj4R5IFHqGZkG639vyZ4oYT3vlOZlNOFYs/6pMlGE=","/assets/Token-DTd6E5oo.js":"sha256-bk88C8ZIRd7LMopF6fY+rW+WfNOI1hRwQ/6Ni44Uosg=","/assets/Transaction-DpWHV2ET.js":"sha256-+ErxPs1g/vBWucmZphJdzinTMj2ZNSXlzdM71BBsBZw=","/assets/Verify-p1a-iUzz.js":"sha256-3UgSW2/x0pHujA9nRu+/+Jr9Tie8Ui4Yy3HPks5o5Qk=","/assets/arrival-BaMK43iV.js":"sha256-5Zh4jfohtvh5wlytQlt6rBpJ6LFazzieIiDhOkpF/II=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-MPXFY8VL.js":"sha256-jMfUiIjaYNbNaEqpLslk62frUkNkZZ4d4mG2DIOAwTc=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-CtIQzVbz.js":"sha256-cRiWVhq5fccAjoTUdMhsXIUQQ/qKGsklrQpV04KiHMc=","/assets/es-X2H4kH60.js":"sha256-iLrV39OhMBqoGIYxeFSuiRDseJDP7gHk6vQT+P94rf0=","/assets/first-DQcaJ-iA.js":"sha256-JJ/wDFOIWZn9FhwaSRoA7e9iFWBeMwt2yTP0daHSUwo=","/assets/fr-BFsTzzFB.js":"sha256-OS1+0kH8it1GKV7wWTchjnfJreC1u1nD3ezxIEcoEiM=","/assets/ja-CWSMoKyk.js":"sha256-ZtfkbBvIMb8rn35K+/XDTs6mR37+Bk0sD5clHJzfzvM=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-BVtG0mHs.js":"sha256-+e9btrMkjr1vbMXzMbBswU1R5EYxb6AN9ZKiI2pbAm8=","/assets/sound-Dh7OLZgS.js":"sha256-vLvv3dZ/eqiTDbQSCz0WU9ilVeOA/+elDIvN681luxg=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
