self.build = {"version":"FaUDmEsnF5GX30j0","files":{"/offline.html":"sha256-sQLPKH1sg0KM6H9YyjvW/uK+7KtNyN13/1k3YitWIV8=","/assets/Account-UPfccNEb.js":"sha256-DpUeLMPRJDK6BT4whvIawc/kUu2dHSpRB19qEM5ekXE=","/assets/Achievements-tR81AwK-.js":"sha256-Lx/O0BUNdDFMIeLXeuONMf1bCFwilf2vyySrjDBBIRw=","/assets/Address-Y1BvvRRf.js":"sha256-9L2A5DudhtgqWVmbY1zknDao2lbGmvQX2+M/VfECPi4=","/assets/Alarm-B9zPHpI1.js":"sha256-PSFVGHfHHeVVuH2SF2qWapHslsnOqiHPHkK6FHMOug0=","/assets/Alive-kjiBWzdR.js":"sha256-JjfiblRoWPOOu4n1fJQhi1dv45q2KL9znyKGCQzH8vw=","/assets/Arena-BF9j3vQT.js":"sha256-jNkUdcEl38KifrDZMuuBJHlc2Gq3S70iOrAspCefncU=","/assets/Block-CPZ7kqIk.js":"sha256-o8S7rOw6CAkmFahaPRb2c6WWX2aNadmHOGpkSRO3H0c=","/assets/Bot-C1nk1XTL.js":"sha256-HK88Iwjv4WXqb6vTWAGYHTbL0zP8ZoaiszKLobnP0vA=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-5eEd4ke7.js":"sha256-CurZ4doBdVCVG8TowwJf6ziIENZOpJBJe6SR9hptQzg=","/assets/Cup-BSy_y-g2.js":"sha256-qSPi9kVzgVvmWmF8WR//JbSgMT+PfyWRxaUl7TzThg8=","/assets/Cups-hYita7eL.js":"sha256-/NAlvs+V91tU5e5O5FHgIh2QnRUmu8EtSidYbWIBd90=","/assets/Daily-D9WDbTii.js":"sha256-USbHS5SfIuhB+oU6y+fzcTHUKtyvNjuAI3wRFI2AK3E=","/assets/Developers-O_dRUANf.js":"sha256-np/2LLBwPNuAc4EbVNIMD4PNxCGpwQoKOTTe2r4BYtw=","/assets/Duel-C-qHpIvw.js":"sha256-QswXXSihtd84mGY85XHw22HOHUpePrOIytCJt8vLWjw=","/assets/Duels-URqCVEQG.js":"sha256-DUacTpJN9jZQyToAKRs5diKeTrPok35i8yrVdDDAlZU=","/assets/Feed-BiPv7jrg.js":"sha256-jXkChOqfUQtZbQMVXUjPalW+abUWOJG1LfP+ZhGKTp8=","/assets/Leaderboard-2Co06BSa.js":"sha256-+9JN+dtETa5vCizRGj5ghiYjEC+wCtZlcN7QycqXO80=","/assets/Link-CvfpiZUt.js":"sha256-lv70KG7l6j9Hm5hmcamBI0XsIDIJ+Zhv23JJsMhiFMw=","/assets/Market-taeuTuxv.js":"sha256-5TR5Ph3ZOXxxQk7QcBHQIyXbTd3R4Oqxhu5V7DA7FRg=","/assets/NotFound-DgtD_3Ov.js":"sha256-iFIFM0YKQQobqFKgxj+WkufaDu3E9DD1e0+0Bzl0JvM=","/assets/Player-DikqOpgg.js":"sha256-rtj1Gu5JrkgyWqqBb6MLtsiSwgyCEykHzKhRBgooe/E=","/assets/Portfolio-DJQj-uJF.js":"sha256-19aAH/o6pj26J26kF+h7664iEb8llh/6jjm26ISHeFM=","/assets/Receipt-DX1JntSb.js":"sha256-ar95S5axe1wDIr9BaJ8FbNH8/jQpIgrvv3ebFADexrg=","/assets/Record-DOjZlr3v.js":"sha256-WoGrnCiCVc/GYuvj/81n0eNqLxmfF/LxTmNVo3enhsI=","/assets/Reference-B5TDUtpn.js":"sha256-PtuWWyL6MEBRyJif9zKNNZKc7OrbAG6bKboBLvZ5Uso=","/assets/Season-CXf157ue.js":"sha256-tLYp0ki9F7TClUD1UhVa9e66vdbaqz+rzgK4ZCxbbOY=","/assets/Stats-CLnjh5RP.js":"sha256-AB9e5aXnOkJ+VJBwWpIzmc4uM/OT8319t2qu3F2Ddi8=","/assets/TV-mzfLU9G2.js":"sha256-yCBGw5wIbS7hW58DgMZ1SZbJQYsYIL70VA5S6LbxjWs=","/assets/Team-Dl9ccUqJ.js":"sha256-t2VtUniU475x3LBpO92dsTvwmcUSMmkNxPK6X1VLz7A=","/assets/Token-CY9aNU12.js":"sha256-h+E/ZbDYykb95jk6w/BA4hYlJHybJAL81epo4YmeRyg=","/assets/Transaction-C3UMgPFI.js":"sha256-wOd8Xzcr3m14O2HYfLZuxZ4HLtNV9XEldULQ2R2ZcM4=","/assets/Verify-CU6ev_9l.js":"sha256-K7t2ZfY/jAvSsQIX4isZF5lIsWNFGWla1tOPaXjgbYU=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D46CWw_v.js":"sha256-zHVDpYqPDKa363I8+ve0ta4FAOQyo4zhz5m3v0OIEYw=","/assets/es-DRmjDYVK.js":"sha256-aUFXSokkL5IH7iX3s2AplQxB+w70swHhkfWe2e2Lx8Y=","/assets/first-C9dLL1ps.js":"sha256-1jAbpEJxAjFc/r0EYnMODDjSKWrzfXlm44boZZuE56g=","/assets/fr-CbsyImaQ.js":"sha256-btn6BRnz8FWF62j1is36fjOCUb+vtSVRsAnrJl+VhGw=","/assets/ja-BFqDjGb5.js":"sha256-OrSAh6+L3rlxLZi+3dVMcr/dwRuGPHTFtQIaGCERjs4=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-4HqLMuAk.js":"sha256-eHaNaLhn9W5RPESAeVy9etJi0jmZOPBmtPuUv9qry6k=","/assets/shared-BAjPxE_i.js":"sha256-t4kRx9NJMcoNWryXA6BIBpIp6uKl+3K3k823+Jpu6Bs=","/assets/sound-BFsNtsbv.js":"sha256-kZQavKHMMbFrzQdhL9ojBgvxvVrXlQX3WiD1QBs1lBU=","/assets/style-CmGHbDb6.css":"sha256-Vz4ha1NWdfZdOnCJqipv8bAJq7JJ+72+h8EfRisMu0Y=","/assets/verify-BKl1w8SH.js":"sha256-mWreQwLdCSvZ7OG8prx/6MUUmYUP/hrfKXOJlBWtfSM=","/assets/verify-C_s_Uuhk.js":"sha256-0faDo6fMv1r8zgwn/i1l/lcvA4XtpE/7L1bKz8LPaNY="}};
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
