self.build = {"version":"jgZkNaPxi8yJL5Sh","files":{"/offline.html":"sha256-OR7TtIJb+dJx1aanxgnPudQHixEu18VXav7XeunVos0=","/assets/Account-S5AyJT2z.js":"sha256-ROlIpSk8V/lLsIWn70yCZ/ZyCymKw9sYGX6bk0dqvos=","/assets/Achievements-2k0vmVCj.js":"sha256-UvjFQY8FSXHIrGreAdRxae4PBI9LWPEJn8Q9YkNEX8I=","/assets/Address-DCtEz70p.js":"sha256-8tXM9gklWmD1ZzQjRRLYScUVAh8VWnMZE/mvTlF0KO8=","/assets/Alarm-o7TFB4BG.js":"sha256-6XzhMpZoQXopzHH+1tpH193oK48ZHA/LtTtElBHmUdQ=","/assets/Alive-CSNZxRd-.js":"sha256-6jEFc2Upg65kmrsxcHzC4Lfx3hml2jYrqVI8c9OR0WM=","/assets/Arena-CD3NtLk9.js":"sha256-WB3XzJ/rV6Mc00msTDpCvraA6lwaptkeoNeo6to+w2g=","/assets/Block-DfQ_pByV.js":"sha256-m6tlGlIc/WX1mpqxgKRIguhvdZl3zXujqniFTinLj3k=","/assets/Bot-6eL3UD5u.js":"sha256-fz5kcmOnX2oGBhAQNKsdd6jysH9MTD2q+lpTIZ457EI=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Chain-DSgTq1yi.js":"sha256-NNDEduhMWs/cVVsqPk/qbIOOqHcb4zQ2NWUmg8yzdmg=","/assets/Cup-DjDl-GLB.js":"sha256-NWVx4rDXBUrie8n2WbbCD55lgGn8dwUMEyoXJw/nXxo=","/assets/Cups-D1ONs5HH.js":"sha256-dqlk4CXAph8of58vFBjRs+cpuORmG7/Fi8xw0CwO8+8=","/assets/Daily-ow4CJ-kw.js":"sha256-jEzuDZbLGpimpAMeWXpnvK298BeBKaxsLmYjxwDecHQ=","/assets/Developers-BurN3YE7.js":"sha256-Zg0OP5bMILduGdsod31dkZujKiUPBuXCuXNi3krdtg8=","/assets/Duel-DuEB7oru.js":"sha256-C8VkZZ/LY/9HcZYXtKUglDTG5JBZrYIcoTBTrUoLr/Q=","/assets/Duels-CKgkbYoY.js":"sha256-yEAgI4XiQJg3lzC6jqQXAotIqboXP18xUw+oztBnFc4=","/assets/Feed-BnOfU63f.js":"sha256-2ADVbSHrvyelrFG2AQKMKWJnHd4sCkRTOctd1qIKpaY=","/assets/Leaderboard-CVscsidi.js":"sha256-8rnxMNdSw27jxrx1IQD4L2POg47vqeAJdoDUM7QswiI=","/assets/Link-B7JzxuYp.js":"sha256-U7HQ9ddfbNNAl9wzi1PjhNF44m2KiRYaeDF8Ncmo/ls=","/assets/Market-B7uZasPN.js":"sha256-DglNBWBBlB3PAVqtQqIWFRtdrmAuef6jabEDfwAQTR0=","/assets/NotFound-BxwvjZLm.js":"sha256-bGI+4VSucMoOGcE766sDdxxsW/frjLKeFNtc8lRb/OQ=","/assets/Player-BiCmQQVG.js":"sha256-4wo1UwfIVpM8JMf4xQTtZH7l1wqfQ1cFoM4EAIhj8KQ=","/assets/Portfolio-BYopew2u.js":"sha256-mdXg8PikdzDcTbWL1+D4Gg8wjNl3ibMeXnqoo/kObyc=","/assets/Receipt-C4yo6rrW.js":"sha256-fuN19ia+S3gQNBdiMS6hdBSurSpDD6k27mP5xf1IKg4=","/assets/Record-DrcYXLEF.js":"sha256-EyxY8KTluLXG8xQ70bSzpyGcGENdH2igxJ8budQT7FY=","/assets/Reference-CuT_QHs2.js":"sha256-REHAoAs41tuocGAOKAoUl0mtdyDE2LFjadqJf/s5qjI=","/assets/Season-CbKIHGVt.js":"sha256-qpAO5P3arvXTmSH/16jOCOMMtu3wyntnIJ3AT+PmqHs=","/assets/Stats-07eIkc-C.js":"sha256-tLObXtrMkw6LkQYrhw0VjHZRyIynhaXVebFM9IaJKUk=","/assets/TV-CFSbgRk2.js":"sha256-bak8xsJ8CZk+9gGTNqFnb7c2Ei6/8kDVBcKArTYthaM=","/assets/Team-B4otP0_z.js":"sha256-VWne4tWw8hlwDFvqHaCjsshpvkXZTxqVaIlvUQx/2Eo=","/assets/Token-B-kJOq4Y.js":"sha256-l3crvng2ucQBkYXH1tmdFFK+LUUzFNNEv3VGOIGlTro=","/assets/Transaction-B1OlkkWk.js":"sha256-VP5R4oXD9XEJ6VdUseaoNgWJVj1FTSjc2HPT9+TnhmE=","/assets/Verify-CUiJ4wUl.js":"sha256-NDlCvnQu2oIpaW1TSN17fEFzkgOEuU17rmEwRguj44Y=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/index-DVrhmAQW.js":"sha256-qrabyqpvIDvvCtU2PU3Aa7qjPrQuUjm8jrR9bd0Od1c=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-DWwhnrAb.js":"sha256-StQVXHm2PgWme/+JY63qSLRAVOdymWeSKOzS4ZTYKPA=","/assets/shared-DW13_HBH.js":"sha256-ZP3qHxGW6OvS3badCvyPST1lgevlp5sqQtpZo3tNOJg=","/assets/sound-DJyvDHze.js":"sha256-Bv5mWvZAsBqvzqLt+htbcJZJrATYGzhXKK9mDK80ZBs=","/assets/style-DOL8Jv38.css":"sha256-JS+eP8r+HPQnBNS4gKPkhbBo8rwRMhdjRdWblG+zAaA=","/assets/verify-DXDmrJiT.js":"sha256-tGdQmJwOOph2GAvVsbTmqLZRGBiIEvP26wkvXrVepiE="}};
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
