self.build = {"version":"l/IEPtziv98J52zO","files":{"/offline.html":"sha256-bEw5MGHjoTMYEfHwzTTV8WApOzuYANd9u+T7a/u9Bq4=","/assets/Account-CwjX42CY.js":"sha256-aix9w1m8IHaAM+H8uHhTzb5aaCx2UMsKYX6urSbddM0=","/assets/Achievements-jLig1nyI.js":"sha256-3fAnCRK1xS4G/DQt9GwvTFV6T5ZuOqKNaClDnfKVblc=","/assets/Address-D_A83koC.js":"sha256-+LzzWhdWejHBv8y1TGO11GlDMmygFWWsLVKZzTfzULI=","/assets/Alarm-l7wDUj46.js":"sha256-JqZ9Thm5adcNBr+D6iz5EkTaA5sS9HlcUZQO1CpWyo0=","/assets/Alive-CzALT1Fj.js":"sha256-hLr7vtV5mioRs0S2SNqq2XPxFC0h71WeKZsR78JXR34=","/assets/Arena-Bap9r_Nn.js":"sha256-iIsskx9NwR2qf5H44IeOzO9dK7e5G9AKdoqxcUylhco=","/assets/Block-CT2rGo2x.js":"sha256-ljcXFfBi9Dxd0t27xhUGTO/6hpA+kUEwtJ+IaqxhGrU=","/assets/Bot-DfCUb4B5.js":"sha256-tubllS9pZii71EDpOvoE967fvAo/nvk1uQnUvQYsTZk=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-BJAIrsEd.js":"sha256-UPZvWdHPgNUfiFDr/nszycmcEKDrSFrp0ynePugIUgI=","/assets/Celebration-Cegt7Iik.js":"sha256-AHNaXP53537nRIYkpv8bkFFudFlDUF6YSpVhKc5gFVw=","/assets/Chain-jVzGFQed.js":"sha256-SQPKnb1cHcwT5DMdizSKS47qdznLvBtB24O3kOhocWI=","/assets/Company-Dg6YdP3V.js":"sha256-oXLOBqUXHFnP3bk4pXsY4SQeaAMOqx5otprDmItixjc=","/assets/Cup-CL5fLpNp.js":"sha256-+7LDNGkmg5/t0Z9zOg5kHlBQ0l7PeHlub4w0s+azFQc=","/assets/CupLive-DW3KGWIW.js":"sha256-KG0/VGvGOi/j2sizXYwk3FPIvtYe7UDrMAoTNaJhNis=","/assets/Cups-C-Wt8LzA.js":"sha256-D7/pbRJc8GCGRBzBdlm00Ki/celC37JtmE7nIVvQ1c8=","/assets/Daily-BokoQvSG.js":"sha256-7hinoEPCn8MzBeenBuojgYnLJvDsYqcHTlHH3qnz0Es=","/assets/Developers-BUOqWRg_.js":"sha256-41Ge9yseSUYU9zJKR2jimZWO7DPiZn8qwxvyCmfn2i8=","/assets/Duel-_PHwZz1e.js":"sha256-1Lm+P2kMIUooPEuXYDnIsNxqrJQIHKUztkY0qhWGFqg=","/assets/Duels-DqdoAVrS.js":"sha256-04MbwYRLBOryXdLRuchMqavIWZjQbzsJVM0l6lz89Js=","/assets/Feed-BueL6fc5.js":"sha256-AwXIlq4+ZJNUl9tcAz/HHl965m1euy0PueA5Esed9WI=","/assets/Help-BEmdPs0O.js":"sha256-9hpBybFLCBDbzkxWKZcJpGYopKIUY8473/Rt7N5CiMg=","/assets/Invitations-DYdRTvDm.js":"sha256-wwhGCKON+0Pmlkm9JwBmTui2S2Thp14NRDCbOsR2xvg=","/assets/Leaderboard-B0PZ5CDo.js":"sha256-g1IaO+xgj8qSH4jH0GLWRH6QJ70JnLI73f2YduAgrrU=","/assets/Link-BmLL0Haq.js":"sha256-6hx3xtBmWOI1V5CAOIFIKsMDmZyQ0OAdERmO6zyTgoM=","/assets/Market-BgMvDr5z.js":"sha256-FuWUWpM4xwivGLfSNf3lC/qF/1rMQpVBznq6CSH4FVg=","/assets/NotFound-DhW3rlp2.js":"sha256-nLMytEDN5v9LJuP9ly1Mf1nwP0UJlxpKvdprEAmuSkY=","/assets/Player-Bn00XUMU.js":"sha256-R4gTIiNLe9tc4RObHKR746XTSQBJKAopsOh9a1QhwwI=","/assets/Portfolio-mj2YJnb7.js":"sha256-W/Hc2nuOgYlhFvfg5dkfQTq16JLJAoVJMabh8BHJJQo=","/assets/Privacy-DqVPQAjK.js":"sha256-zPQzbJSSWQGNQBd2WJI2gSyhRBV3wfz5LH5AbvZ4y9c=","/assets/Receipt-B1YNIbEl.js":"sha256-kdQqbZlugDRkwQpg5e7FJmN4cc2k1LAlMM3KahtZpvU=","/assets/Record-D0OexzlZ.js":"sha256-BruU3BrZuGX9Efl75mi9hIhbxHbIktMAclh8NpiIZow=","/assets/Reference-aOC0ymIp.js":"sha256-N1kPh6eQupsLVBN/JxA9UCmecVB+S2NlvYqGOAVo584=","/assets/Rules-Dp6nvNYw.js":"sha256-eklEHLbNrHms+2WKlLZxxaRi1ffgZ4j3cxGkiXE1P0o=","/assets/Season-DZ0RQEHR.js":"sha256-B4yRei243kT0WylTf2SvgJAYhYGx/KRW8xes55SFmqE=","/assets/Stats-BIUOOy4a.js":"sha256-DnApp+X4mK1ttFf9LK456XWzyAtD9yBYFrb5u6OnXyU=","/assets/TV-CFS45rtz.js":"sha256-zRGAGovDlFHCRvq93a6WX7p6WM6EUsuS8ZsU8OWNYSg=","/assets/Team-DDCzTv2F.js":"sha256-0w+RAcipRhp3T8jpIQspreXGk/ZotxqiAGiVvRZiLhU=","/assets/Terms-BQiDhRi2.js":"sha256-0ari0vXIPZfoeb6kEPNVn31krykzTl46jLRfNkVcR/g=","/assets/Token-BNs3kSjX.js":"sha256-ugcjUn+y5JeEQvlwCkCIgajRT6KY6VEl8rQhi4/GlM8=","/assets/Transaction-DHEnwtEe.js":"sha256-MR24khNJrtdqeqS4JPBvB6jeYl2WTwlCFcEGbCtFLUg=","/assets/Verify-BE-nU28F.js":"sha256-MeM935ATalHsXYv4XCf7n0Rpxmn19i+STIDW/E3i6Dw=","/assets/WhoPlays-BhU7LMzV.js":"sha256-6E7rOGYxVp5zc28aN8LOPm0dFzcdBnKfkglhYJY2eRA=","/assets/arrival-gU3itr1y.js":"sha256-qaHN8AYStV3bfFvKGCoyML12kY8kembPI1nUDUaXIDk=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-Z4PLWIBb.js":"sha256-/Ayb7tg/kRlSJRb0pRbpmKkxaA1OaYsVodQu/Qa5ivs=","/assets/client-DMvOC5ou.js":"sha256-KPSzEQw6v5XOxxdxE5VDM770Gz83zJ87TKRpTY7aLGE=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D1LnVFHc.js":"sha256-1cEaMWwrkma3rNHpC148DaaazdDqAQobienqq19EzzU=","/assets/es-DIMIkiur.js":"sha256-N9IsY8MjdyMxCwJ8Dw5/kmSY72htk6TlR+AxwN++afg=","/assets/first-C_INtsVf.js":"sha256-uqfWYkIlYADcyq+Z8dFERFCpEH77zirnZRh+CndZBxw=","/assets/fr-BOfNO-EQ.js":"sha256-sVECr+dpCVbTSMhB3PoEp+2X6hadrOIIve86JfjG/U8=","/assets/ja-BMMSZn07.js":"sha256-h3xUrxESHvJHowlJtp1kStijr0TjLZ8hupvS/eSGk3Q=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-C5CiSMmn.js":"sha256-IEvEKkYWnKzxabI0Wxv3vTKNXOiGxxub/UOgVpYOVJs=","/assets/sound-BB-jsmsY.js":"sha256-mer2f+DfJ6vSjUqcCE0BghXl4fdzjI0pH/eznC1TKPk=","/assets/style-B1oBpWbB.css":"sha256-gVC0wqugeLTcZisQF6ZsO5uzN204SCW7enZtx/L8JpM=","/assets/trace-CqpvmiVX.js":"sha256-i/bQh/0AygQNYh7hmt2vyIWxIzEUTJXVIih1c3cmlKw=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
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
