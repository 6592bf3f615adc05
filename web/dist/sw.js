self.build = {"version":"4Br4iytxiyOnAgnA","files":{"/offline.html":"sha256-fbanz0D+4dsPOxV0Xl3CJrdABG3FyGtSVqmFjNli1Tw=","/assets/Account-B6On77gX.js":"sha256-l2IbmiexWjEifzYP0LA9rS3icRSR55aevu00DocnfaI=","/assets/Achievements-jRU-pd_n.js":"sha256-CzQT8VGA7sGnSFNGJDwZIZpj9RE8Gf8JoohJSCMWQNU=","/assets/Address-CqJeoPk7.js":"sha256-bOoBTW4PyhKmPSRJFHnIts7MNhJHO3OI9lbHBIzOqmE=","/assets/Alarm-BAIQew2H.js":"sha256-FoXrSk8DiAxDQl3aYULuBSlafEqmGxmTN2yXzRT8kOY=","/assets/Alive-DjUybHzF.js":"sha256-eG4I+APAsl8KngME17f1B2joLZUW8pGeWKNNnYCa/rw=","/assets/Arena-DGFWGD-S.js":"sha256-lbRAVK41f+z3qWLiM0hd0hYI9pdfXylmiz5IZKN+HKc=","/assets/Block-BqIiBotB.js":"sha256-Rv9DHUdmcBDts2B4+umzPL8Zqq9MLF5z9hYmfIeiqAo=","/assets/Bot-80DjQQLv.js":"sha256-kbaUuL3k01RYrFKY45W0U5vO1OgCLgWxyUdXVC/0KOs=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-CIHoSS4v.js":"sha256-khKd4jnPDUFif4eYUTnT4wUnKr/F3PRS+qn/z65KSm4=","/assets/Chain-w1vb0Jah.js":"sha256-WLOj3/pniw7JYoDo6ge5s4tJZwOR3y+/5ry8OObGRHI=","/assets/Company-CI9Fxcuf.js":"sha256-+ttjZs4Efl4I/rKCBUUSkHvZNAev9xp6RlQwXLjgPVE=","/assets/Cup-DivxmtCX.js":"sha256-KV6w7BAMS4+BVORUVPvybEKeOpjGz+KATQwj1z4sL9o=","/assets/Cups-CGLXjnGM.js":"sha256-sigOeOq+yszaJjkPO/wyzdnsr0RPyyBM3Or92E3jE7E=","/assets/Daily-7NBCMq3Y.js":"sha256-EqIIdWwkMGo7WyNnhheB+wilqJhfD5ZpXPe+2QjavdQ=","/assets/Developers-DddPUqYa.js":"sha256-MIRgo38oaMKW1Ia0kOhvIcyHJY2qiVa0Vb+PkuIswhc=","/assets/Duel-DhmZDJin.js":"sha256-gA2wviIlB7+bNrMdfT3432GxsvFnLyy2GHZCbpRzYr4=","/assets/Duels-DG4OLMxc.js":"sha256-AwsPWk9kFhwOHh1KRyukzG8ZIr/pAHuA0GC0lyRFur4=","/assets/Feed-C18_N8eS.js":"sha256-EhtNdzlr8v+oSpUq3+qpSf5y7tNYHlD5Us4ifN/ontw=","/assets/Help-BhUizFDv.js":"sha256-+Qd0NW/IILPNdi6MncjJ1FXFtxJ7BuInlxvpOshAExQ=","/assets/Leaderboard-DZ1oKwcc.js":"sha256-RNeaFoKAUeZcR2pGPLmhmZU3Ko14/0tGiE1ecHj58hE=","/assets/Link-BNHb2iRZ.js":"sha256-1E9L0zU/PbRJzuDfD6CfW9aB1+2PwpGIfWyfKtYCdPs=","/assets/Market-RcZSZQ9b.js":"sha256-YNulHPI+0zyWuEU/x+gtVjP0AeXnhyw74EgwgfzOgzA=","/assets/NotFound-DrlAVkfH.js":"sha256-5b+1BHlDHGjYA0LJqvCJHbSaKEuxKZVX4Tdj75Zcx7k=","/assets/Player-gBQqFCys.js":"sha256-rW3VCou5FjWtruI7+Asr291gzrIg0M+Pa9SVmTCx7ks=","/assets/Portfolio-CaakM9fn.js":"sha256-yxwNnqLXlwZY+XlO+941ZH0bi0dzO3tx68cH/cM39AI=","/assets/Privacy-DN3LAVgN.js":"sha256-d/itQCG4A4ANUbMPJLlM3pzfPedJNAGt+CUrGYuWYQU=","/assets/Receipt-BVCx1nen.js":"sha256-DyeC+j+dgZ4gx4+yK9oA2KROqg8yxmZbpq8KxXgi5Kk=","/assets/Record-DVXnGoGu.js":"sha256-UEH8pb3GRaqEhUDWZOVSGzRYhaHZ6BgJHNbxI+9oqFA=","/assets/Reference-DAUod_eg.js":"sha256-qB6Mwi1lSF8NRUEziGjqrIu1cI5+BPu5Ni2ErpTafcw=","/assets/Rules-DKlqT7Uf.js":"sha256-gwlBqx738mxccVyD+QkHKZqaAPlyiX6vJtiW52du2nk=","/assets/Season-CEETK7ia.js":"sha256-9zj0qZxeq2RbcV9rhTXgXQ7qBJ2IHtHU76th4uut9sA=","/assets/Stats-Cb5gvYln.js":"sha256-NkcyZv/+V+3yetvxeF4J4490P1+bPYF82XpAXJxFBEw=","/assets/TV-IvvWt02t.js":"sha256-FheWNmg+ddpEI4SoGh3RrwIr3C82e3v+sxHK8rYIuQA=","/assets/Team-DXUYem-G.js":"sha256-KdDAOuuNrPYbGMcoXhHMGQ0mVqhPWysj3/yvALSMFL0=","/assets/Terms-CBHOstPm.js":"sha256-1lFhZBsmMFbZULb0wkKsaaifrYyuEFwwe8UxrCr/NZQ=","/assets/Token-Dyp1J7aU.js":"sha256-9IQGwRdOrZqWGVeKu8u9lFOwIOLw/55QzlbxcWCHIfo=","/assets/Transaction-FBBbVPy9.js":"sha256-YgOfdJow1l0SfjM+gQxfIaGtup5xrd8PI+xfX7Kp80s=","/assets/Verify-BjqAdIlm.js":"sha256-qkO4baGjEvlNCDCGDxICYpeH8fPuuMvC8HtY32+SfRM=","/assets/WhoPlays-DuvG8FL5.js":"sha256-Gbt3w1Y9XiHZSGhSZR+OCsjX9xTfVKaeQVz+a09K8g8=","/assets/arrival-Dl38_6Ji.js":"sha256-0X6NuIdrzoavPRmjNjEzJOysSJziA1tB8wf3PdFwfBg=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-BvrI9GGY.js":"sha256-+NUqe22I/2hrA408elFlBgrV788BVYmE2/3GEVCd2mg=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-8f6F6fZ0.js":"sha256-VOjA7paiDm3ZTb5wVXyrq0LPUrFXC3YqSUdj1dixt1U=","/assets/es-CbdcHpH2.js":"sha256-VEeOoNwXm+aw6xDOqzTQkjPZ/xfFu/L2sj3paaI5f5Q=","/assets/first-BuiQv1WK.js":"sha256-SJNKa9oELy+vvzN1JoHQQNMXCHXxQctbOVImQLB66OA=","/assets/fr-B6y1sK3q.js":"sha256-mPh+sO1Kw2nBBELCJg+GNF6rZQPjZY4+PxizvGNQjug=","/assets/ja-ynC9nF1h.js":"sha256-MYCNOn3TwalvUMeP8rJndawZMY7lS+6sFsbnsI4NAqg=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-Dml7287X.js":"sha256-u6zBjkGEs8Hun3W9Cef4rgvlP+JRiVVqk28/GgAK/+I=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-BvYe1F3E.js":"sha256-udu80ewNIMJrorYj0KLSQFRdFQ5zsYl/JdJggzxEaag=","/assets/reasons.fr-BeOsMFdn.js":"sha256-ngN55s96icxATmL4QaN9IrfD0bCmS+8HMmDr6KP0gn8=","/assets/reasons.ja-Co0G-EFv.js":"sha256-Q3C4+8VUvfBAC4TpmbmLFJEmbuoEa7X9799o/aNHSBQ=","/assets/shared-t_yZnTKe.js":"sha256-faI5ggaiZXNtVJxl8FFsKUMkzDJPRzBRrthhzfBXoh8=","/assets/sound-CmKYWK2K.js":"sha256-Kk0p/wn9JEtfOG2kNt0Zlx7h4UtzAnkaVRCw/7Y4iMQ=","/assets/style-ClS66KPo.css":"sha256-8gOVia/EO32ibcko3R7mlwtS6Mf0WPGxj4YIxlvN3H8=","/assets/worker-CC4oJU1j.js":"sha256-hi4yO2V+T2WGW1Kyu+cVY/94RMgwvfhCvIdU5mVEyEc="}};
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

/** A click on a notification (turns.svelte.ts), whose data is the path of the page to show. */
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

/** A file with a digest in its name never changes. The browser may have evicted it. */
async function asset(request) {
  return (await caches.match(request.url, { cacheName: kept })) ?? fetch(request);
}
