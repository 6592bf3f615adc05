self.build = {"version":"uYGvAfYzS7DJ9EM9","files":{"/offline.html":"sha256-7UvDhAU0iE2P1XjhOn9hmKL2v32WNkzcu1MlstUmyz8=","/assets/Account-BIiWH9Pt.js":"sha256-3ElrTOyVmluX5OuGVhCutnI9EyVRsXQJ4aP+hQbxjC0=","/assets/Achievements-BJGtLbXC.js":"sha256-oYIPYGEcvzSi8VS2ez2lv6UtlUiwGA+OZVxti5zL5PE=","/assets/Address-D5yEIvL3.js":"sha256-5W2Z9sXCw09FxFKUj+lA9bNRsOhXB70V867X6J1y4rY=","/assets/Alarm-BWj5bVXY.js":"sha256-TjwzMwz83EQtheJnNCYQci2KNpkrSN65dpOUzH635fU=","/assets/Alive-C0bh2-zr.js":"sha256-5h6SPmVi2AX9KvayJDy+gFl4RfqOKmDkOM1t7pb3rwA=","/assets/Arena-CFupmHi1.js":"sha256-XhUcht2vv/uv/IQDTlZ/2O8nkIrrJzSdnTFZUgB0ybg=","/assets/Block-CZsCqTO5.js":"sha256-ux/NeXr/PCF01Zc+yWWlnscFzaVb5UorN+b/y9+IkSk=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/Bot-eWnN6k8e.js":"sha256-dRU+I0ribHtp24iwFtzDZIj9obRPNidcGHSVgHuc0q0=","/assets/BurnChoice-Ce1u8E8O.js":"sha256-GHei8i7wQLerrnxJ+Haxnjn20F3uRoZcnxjoeNRzjNM=","/assets/Chain-99uspq2C.js":"sha256-7SJUiaSJ/PCv7SpbSMDQyZeRLth8eOQzlv+oxfY8dB8=","/assets/Company-CsjAH9Uj.js":"sha256-xSUXVitjRSNgdWiSIJQLtbof/zOK/WSfJfFdT1tevio=","/assets/Cup-CLIMYOE3.js":"sha256-SwCaFoWiA9yN/zbr6OYXVMuDNfDfhvzocf5nlKVAqjg=","/assets/Cups-C6J0LvLl.js":"sha256-FJvQuOywLf2XAlSvir/aChcWc0JiSd6n11HZZH+7vJw=","/assets/Daily-nyXRMbUh.js":"sha256-ULL8iPbIS8wnEwgEsoYkO00RakmgmKJAEaS/a2jeGOI=","/assets/Developers-CZJsPBQj.js":"sha256-xarBvrcbr66u2NvvrlT+8D2AgMvk5eBroecyRV/jcO0=","/assets/Duel-Dkf7iD6E.js":"sha256-tLrk+2uvTse8Rduhq2KQs+XNDVuhdR9W771HqhWPF5A=","/assets/Duels-BmLlz84Z.js":"sha256-TbnuGTycUp0xyLuO0C95MUd3q7ZfSDdTDkVjPn9hH3c=","/assets/Feed-DWzb7_Sv.js":"sha256-KGEenlh06tdec25oJvDMWnHG+xVerpGnyhgd+Mnt8uo=","/assets/Help-DsH7Z3uf.js":"sha256-p3ROLJ/p9iJNCl64EgBsCmJPUGDgZf5JQWN9dozn0o4=","/assets/Leaderboard-QCpA2MtV.js":"sha256-7jYcUBb8ooM8lRb5cQvS4EV6gSqbIDurs/vG1d2YuOg=","/assets/Link-C9QdSxrq.js":"sha256-CLjVH9uo4gniL8Z2RnZ7WNZ3wmav4N4nsUbH0FwROrQ=","/assets/Market-DqdYVW8X.js":"sha256-4B2UMfpfTk9YyAacvyNTQwtZMEFhn/vQB74BzQyid3c=","/assets/NotFound-Be_5vSOa.js":"sha256-8J8PY982094MsXIYpetrJYxGV6y3+x/GIvFX2u3T2nw=","/assets/Player-Ci-8jK6z.js":"sha256-ktf3QAkmk1IJ03oXlZuDATW5QqrJkaHuAy9MCyn5jgg=","/assets/Portfolio-CKCPbNwq.js":"sha256-YRG/2XnKclq2wqJtW/64+YK8MkN94WHDbIZdbz7qwNA=","/assets/Privacy-Cm-MEokw.js":"sha256-LZGt6yJFjabTZ9LCwBjzdRVKWMN5vbeoQu106Le/pwM=","/assets/Receipt-CKDFx5RE.js":"sha256-FSx3KqZJskeUkY/y7wfndbrzfvJbyNHjUYYLkxEs9f0=","/assets/Record-BVAvSs14.js":"sha256-6Xhmw0BDVDWJ5gGJoOhFnmaLsiH7jOa4nfPXerFHdl8=","/assets/Reference-TwI0Mnc-.js":"sha256-bUF5xdp80cqKvutWYNfcPHXXVKuNeZzmTRyl5e0vjKI=","/assets/Rules-XNdXoET8.js":"sha256-S4kzQvCbexdEDO0iuDxnfzv5Q8sfh3MqEdEHIWWCBDw=","/assets/Season-rc7tkkBY.js":"sha256-6zujOV7TRxSGq5mnNxN8yBkyaa6QhkkjsUSUdzf/qFA=","/assets/Stats-Bk5_4gJ0.js":"sha256-Kn4nPNl8JO6V+QI21/v5RJ9M0KZcinXZe+XVg+lyA9E=","/assets/TV-CllbtewE.js":"sha256-AGDlt/4I3OqiULO8DA++6dM5kikuCt4cJX+Ah6+Zpck=","/assets/Team-CRxFdQUg.js":"sha256-b88nhxn0j4g5EqlgbYJ72qCR6dM5F8RXtsQ+YpOXlwg=","/assets/Terms-DgsR9InR.js":"sha256-ucHKBY9Z0oOdBpMS64Wz2njuc7WNKvK5qhC7O0HHDP0=","/assets/Token-Dtb674g3.js":"sha256-RSzbK3QkEfeIHIXyhusPfy7xMtjDhpKYRHGaWp4Ewcc=","/assets/Transaction-Bnb3sdaC.js":"sha256-66/h6pO60MPJ0d2sCBDm0PzXNui7oai9AJgmksb0lYE=","/assets/Verify-Bdn-Mx_o.js":"sha256-frmN7oQpZdNO6YlNDYKAFe9ETI2O8/tfbCEA4lM75ik=","/assets/WhoPlays-D6e2usKu.js":"sha256-n9sdKGrqnuxcnXQbEb5dmyXRwoESGCXMwCUOjbNJ/Co=","/assets/arrival-BD4FCyjZ.js":"sha256-QiPy7uenmlbfuxaxtfLhPR7AUsMZYYZknh9bOO+Ho30=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-BiVSzEu1.js":"sha256-7Oba/t7jcsSYjoEq8pd4BDHkQjVJwmSn3yGqbGucJ38=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-8f6F6fZ0.js":"sha256-VOjA7paiDm3ZTb5wVXyrq0LPUrFXC3YqSUdj1dixt1U=","/assets/es-CbdcHpH2.js":"sha256-VEeOoNwXm+aw6xDOqzTQkjPZ/xfFu/L2sj3paaI5f5Q=","/assets/first-Bmct-X3c.js":"sha256-4l7rZMI0RV9WCsdimPc5x4AQdQd3UHuHTUP8BFEWgFU=","/assets/fr-B6y1sK3q.js":"sha256-mPh+sO1Kw2nBBELCJg+GNF6rZQPjZY4+PxizvGNQjug=","/assets/ja-ynC9nF1h.js":"sha256-MYCNOn3TwalvUMeP8rJndawZMY7lS+6sFsbnsI4NAqg=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-Dml7287X.js":"sha256-u6zBjkGEs8Hun3W9Cef4rgvlP+JRiVVqk28/GgAK/+I=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-BvYe1F3E.js":"sha256-udu80ewNIMJrorYj0KLSQFRdFQ5zsYl/JdJggzxEaag=","/assets/reasons.fr-BeOsMFdn.js":"sha256-ngN55s96icxATmL4QaN9IrfD0bCmS+8HMmDr6KP0gn8=","/assets/reasons.ja-Co0G-EFv.js":"sha256-Q3C4+8VUvfBAC4TpmbmLFJEmbuoEa7X9799o/aNHSBQ=","/assets/shared-CAkRv6rO.js":"sha256-zIEBb0XT0YTplDjBWpHC467C3s2goQEZQwNgyaPdVi8=","/assets/sound-C0T_VhEt.js":"sha256-9WjQq/hH0fXjLz6L/+wjR9lD6hOJk4tIxuk4pV72iNA=","/assets/style-ClS66KPo.css":"sha256-8gOVia/EO32ibcko3R7mlwtS6Mf0WPGxj4YIxlvN3H8=","/assets/worker-CC4oJU1j.js":"sha256-hi4yO2V+T2WGW1Kyu+cVY/94RMgwvfhCvIdU5mVEyEc="}};
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
