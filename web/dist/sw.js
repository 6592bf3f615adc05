self.build = {"version":"wEjUq4kxcF5PTyQm","files":{"/offline.html":"sha256-twhBR3aQnGWEoQcf8zcynjKjCTOnJuZM0iXMG8kZ2D4=","/assets/Account-DPQO5au6.js":"sha256-4SVsB7xCgkmMsp/+LO5ntZQMuxM3KEI6EmbVjfYxGkg=","/assets/Achievements-B6qDKux1.js":"sha256-WKZsRXEQmh7eZ8lxyk5lyj/zyyNAusuAY/nmbcO+MKw=","/assets/Address-DB0SJmXU.js":"sha256-TSWPBhQHL5zcfN7TjGiUJt5PwPkMBxvAY52zgYvjWZ4=","/assets/Alarm-9muJ4D1j.js":"sha256-GnPJblOFizNcldUPwUpp7zCVYL+JVPMrosyUXD2p9XQ=","/assets/Alive-C20wZsvU.js":"sha256-LmB5w4ZzYAHdiMHtfbrgti7Xyy171cYwElnC83Dzku4=","/assets/Arena-DDCxGjA5.js":"sha256-dtKK1Jp3ZxUbIxaNTqrsqm1zIBKNtPRUqpq3+Nly+QQ=","/assets/Block-BWcTzyIQ.js":"sha256-HWctEyIuCN7Z1U3CO00Zuh3MvYNsIulX8sX4Z+0zPWA=","/assets/Bot-BZGwsB_I.js":"sha256-rm0pArz/BDMuRipvpaPlehnxwnoSLvVFwNGHPRX8aRU=","/assets/Bot-CPIsV03f.js":"sha256-49s8bhoKQ8l1aKnuH05VEWuKTTJfcxdTJIgRO0KPCnA=","/assets/Chain-DHykZTIJ.js":"sha256-/qONMgVWwUraBuB/EMDEsCdVMnEM8XtvNXb53T5L1Rs=","/assets/Cup-DHJOwlBy.js":"sha256-JQCtc4b/MLiXdScY/wkcrQRWGD1HNTqWuaIRQYP/EYg=","/assets/Cups-CTldS9HL.js":"sha256-ASXBf18q/R9sWyVXDrrEEwf4l+EDIV6Etl1UeCz9690=","/assets/Daily-BM2hBM61.js":"sha256-pP+pv9ag9ZSgE1azM719fhnZQu7tCThLR3eULOK1mt4=","/assets/Developers-BK7c5Zfs.js":"sha256-zUDlPCHHmNnhbcL06Li5bhl4XFHjgnMdsbpdfm/Ri5g=","/assets/Duel-DUAzt1ce.js":"sha256-q/KClmmvCdtrPCwG6SxYOM7vQm0k76Ekf9qZtQiAFE0=","/assets/Duels-BqPHS9TC.js":"sha256-A2C27xp8WBehgHndL5jl8yEcOUUlyO9DnkWw7ET3vUw=","/assets/Feed-BOUKqiOL.js":"sha256-/cXs63vX3AkPgyVsGhn34OuZa6qs5lkGdFF2hcdocnc=","/assets/Leaderboard-BHs0M02a.js":"sha256-dOSDy9OBIn3usnPiBEFFDaDJY9mnaSiRoKiYyEeIKz0=","/assets/Link-D5SPEj9V.js":"sha256-Qf4lleh9Jy3nDzqNyQemcydMBNzYwVwjxf5G9TNFBnk=","/assets/Market-BaBAu32i.js":"sha256-/9A6HIl/hl2QvlMbQ6Jv+BHzSwiYPfhxlBaYyLTIvLY=","/assets/NotFound-dtAtWqRK.js":"sha256-2R5JymOarSeSe0LMifcNgaYHI3Gv5fBs557w6LjsFYo=","/assets/Player-BWrytzM5.js":"sha256-vUOJMb0/9diUO6Gv/Jf7l6DiZ2ycyf6tx3vG5hM1ny8=","/assets/Portfolio-D1m2D9Ob.js":"sha256-9wUXQ4DuouglUqFuTHUqRQWUgfk+kLTept+y9MoTntM=","/assets/Receipt-D4r7S1HG.js":"sha256-704U2RaMh7y6onT8jBtl1Zb0hQAYhaW1frGLKyqGLCg=","/assets/Record-CIJdk_Re.js":"sha256-Eqwu6ptB5v5NgIwIvACgonkPQllnd5e32ffcnaTZzq4=","/assets/Reference-JafNExUA.js":"sha256-GNHD24rZiYkaREpRMbvgX3jKKNafJSpFhK+3A7VAe4U=","/assets/Season-CKkd8dzX.js":"sha256-skf4jJhYKORdwNOu0YQ8R1BBj8a/fyy99IHJvXrH3cM=","/assets/Stats-Cln_DPdu.js":"sha256-qNecK+//vdLyWa4zD2xpWf2idn/UQZOJHeUab4N+BKA=","/assets/TV-iGPc4Nbm.js":"sha256-WcaYTtKRW3+AgXFGiHgRHqZH9s4T/UU8M1HbD26/0NE=","/assets/Team-CmXl6sTm.js":"sha256-AOmyezwDQHT+YfZr4MNg83e4UiDJOH3z6/PKwDrmkdE=","/assets/Token-BbDnnzTh.js":"sha256-P49feTvTpFneQ/IrMqlwZZl0bwAv82dDctuhsQSep1U=","/assets/Transaction-D2ev-FDR.js":"sha256-6wc1W/gExHPM+oM8DwBK/UvWmBvYPauHtSdA/Kx5tP4=","/assets/Verify-Do-n_Ha5.js":"sha256-5hPDKvq4j/Q2K1q5zjbhKuyuR23cVZDFekr2tIVNUJk=","/assets/arrival-DnNNwVXY.js":"sha256-8jkoLR9OQaBIgNaGX3m5mlzl3V09EllL9TGafqcMhDE=","/assets/bot-BJH6D5_W.js":"sha256-6lAAuZsQetC4zzTbWRvlCLQbfVHu8z3BrXVm2MDImCw=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-Bj_4Tk_Y.js":"sha256-UBXyY9jiTFfxybQXFQ+mf8pyyiC1oWYhNXF1qC20BG8=","/assets/bot-C7YApcha.js":"sha256-++vUMPYSZc0yT5et5tTb7eRdl3Wc0Wm+FYSQ8S25Yow=","/assets/client-C8WWIaRc.js":"sha256-4oFsbJfn8mciIrdMbS7UhEKug41GAzmw7ZV+9W5HK8I=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DyLFw9A2.js":"sha256-pBYm9zGoY8/qMaHTLDOFJ6+xKTkmYflGTepQPM+KmzU=","/assets/es-BUo9HptZ.js":"sha256-ovCuXXB5dK2mI9hOa885Se2/J7TEDM/GjF0FAQ4jjoY=","/assets/first-COfYphPn.js":"sha256-YhzVDvfmJo+wJn8ewXG0LfndMt12xi4ZnW5ed/9jajo=","/assets/fr-BpFKIuI_.js":"sha256-OQ+Q0czUliQFnBJQe70qJBF3QZpe7wS7CYV2wLBYCiM=","/assets/ja-DA0s5GXb.js":"sha256-GJA8GKGpVFuqlUELoYxv/ploOCc4l4cyHrd8vzK/52g=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-p3xTfDV1.js":"sha256-aFPVBS93KzitsyqbW4vXBqflg6Lp1sXGi9NmjulPvEU=","/assets/sound-CWDYFpgD.js":"sha256-Xx3OohcUq+cHT9EWzQKYfaRQVR1jKqbZb6yagC8pO1o=","/assets/style-hiaIJD1S.css":"sha256-nALgli5UXXTiG66LmLQdy1b1VDldkHfNhePX0we6cPU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
