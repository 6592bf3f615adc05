self.build = {"version":"aE2sHSw31fZJ03x+","files":{"/offline.html":"sha256-WAbE02OOfPl+C8Y1uf0OkbxSVW+sr6nrTKAjW9dRYgA=","/assets/Account-CCyJ4Tr-.js":"sha256-c2WZuDrmPTtM4nl4FRIgr98ENeWHpHyI78dvmE21SVg=","/assets/Achievements-CaTfKaYD.js":"sha256-J+Dj27+hh7npoKpDFPDXd+i9gE9w4t4eoQS3B5G/y4E=","/assets/Address-lU5NqxAZ.js":"sha256-pONcI3YBEw8XF5uBaSjdg0a4XxTLmafWFn0gQO7BsiM=","/assets/Alarm-Ctr33f9j.js":"sha256-UCeZALOgD9qsUWnoXtkJXgoYmBbUwiW56ac2re9Om+k=","/assets/Alive-CALj6rFe.js":"sha256-pRB8tUeVA05ipMPni+w6gEZlz0C9AqGIDOTHXncSnao=","/assets/Arena-B9Ru3S8q.js":"sha256-gIJHiadyoRTsf28+xKb/6NpU0jfeoDZdRXXMhcx+uQ8=","/assets/Block-Bhym-gb-.js":"sha256-T8Q+NgabFjyluVBtauq6t2Yuz3XaE5+3aTYD4QD6B3M=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DfNob6l1.js":"sha256-f3nFlBQIECmTbjuXfGwmlLEZuZax2fvblz3TXHO1hTk=","/assets/Chain-BpzwsefL.js":"sha256-e3yTqQPLAsOjUl8O8oH1znI6FzMykwWdFHwYX4iK0Ho=","/assets/Cup-DjwDvIMR.js":"sha256-X5tkYeYrg9CyH1pSD/p1xa+JWulT8EzUsphjWj2Gt4g=","/assets/Cups-2qNHg6Y8.js":"sha256-lsVSCOCFcd4LcGMlKDO9pfcRpBVMAkmvEvvXo89DeUo=","/assets/Daily-DzAd3Pup.js":"sha256-ZtDSs+vjO4UOJSt16aewnKEbyzgs4KmmYLkcfTCwoh8=","/assets/Developers-BnNdjI0e.js":"sha256-/Di0HlCuT57JdAWnQXsFz5LhK7UU+XYtzXqNm0k3Gl8=","/assets/Duel-DUuXc8jL.js":"sha256-RZo24bwq0sMl5XjQLLf7RtstQXFOQA+446N6xIwYAgs=","/assets/Duels-BEEnNGPa.js":"sha256-U2GK2LSrWsC8g54f7df2e6fYralr4b4LJ3bhejdiWLM=","/assets/Feed-COcDMUrn.js":"sha256-YGw/aSaAuaEDPVq7BSnRSh5FSd9Y38mCoB/kYypR/vQ=","/assets/Leaderboard-DIE7YYOy.js":"sha256-ocTrN+Eq28dzrrsbGXbXJCiXtAPMCZZtMKAnCrvEhS4=","/assets/Link-GOVLLjN0.js":"sha256-1z+kLDEIDJv3ZuwV5hRnGLoRvM6DoScHIQyWa52XIpE=","/assets/Market-YzGMdjsb.js":"sha256-54l0yOxyQc9M/FXtKFtCXplkDQcN+8HLPUHlO+WlX/w=","/assets/NotFound-0OapCA24.js":"sha256-TU3B4isIJhcTojg8yFFm3gyQyoP2Rh15cyPtlQ1bAws=","/assets/Player-nPUGdVD1.js":"sha256-jRxcpTBCzda4znoNpdpNr4T6Nc/84bkSWyLHv8JPYf8=","/assets/Portfolio-BxylNMag.js":"sha256-iFARtmO+iMobmRlv7ehF79S7/r4NdY3xrA9MRaL08z8=","/assets/Receipt-BX5KFH6y.js":"sha256-C/3e5rBpx8qvevhEA07yKW4lef9mNxR/yRNBEu7f02U=","/assets/Record-C32UdH31.js":"sha256-7hnaV244+h4dbGYJrSqzSpAQSWQAlbOitXMKhyOxjQ0=","/assets/Reference-DQ68qEWS.js":"sha256-YuOX5EWIXwKFexaW9IW+z8hbolclpWifde5uxROb0Uc=","/assets/Season-C-v9s0kJ.js":"sha256-8MBQ2ymjk75xeSF8+kUeE3HdoVG2wSU0OHD79gtegFg=","/assets/Stats-CQBUgNq2.js":"sha256-REL/vJChf8ETVK3Z1PCuBNKA09xPv5mKNoJx1jDoavI=","/assets/TV-D2FOpFz3.js":"sha256-HYIyxCaBh9CrbBtibFk+cDLfMFEPklb1lQKt1aG1Lw0=","/assets/Team-IWny9s1c.js":"sha256-bxWVEiC7AvwVbGimtovRCS0f7KKBept29Okbpj8/ePM=","/assets/Token-DmQcJ0T2.js":"sha256-pBpH2pA8EnVs7crylhEsp3uTkE0bSxzoKoif/p/VIqI=","/assets/Transaction-Bl82UzL8.js":"sha256-Ql/UTmJvPdHmgz+BDTBxEFAx8mzckErucLpX7LThsow=","/assets/Verify-ALmiFAq0.js":"sha256-w4C2DXMK+wPNj2Ps/3GLUyFmIzpRInr70FVkfaJJ0ZU=","/assets/arrival-8PWdoiI-.js":"sha256-/GKdWVaTD8L74dhfU/AbNpf8RuNCeqt8WjEKpsy5VIY=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-DLY_0BAH.js":"sha256-U2CrwRAxfONLEDLICg1sHVEpL6TH+ZxbSfFDKbWZ/KI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BAuJzg3Z.js":"sha256-wTALOceSnX7hO7Fq4v+o/hQDFxfx8jTf2pgaBpZeh/Q=","/assets/es-BRu6FPb8.js":"sha256-i5huaiFDBfjwn8ly6TCT8V+8fCqIKeuDYxqbM6/Pj14=","/assets/first-CNhcXXtk.js":"sha256-JOdlAY6WveKtR6Z0wb1Tn8Zy552AiwdO0KdksFyb9iI=","/assets/fr-wrejL-63.js":"sha256-jvS5ZY3CIHb+/81CAQuf5iULbCoywmaZCnJH8wpzJDw=","/assets/ja-DGfTbo8m.js":"sha256-1hLy0KmrsQVlEd7hbIdSNp/eO3A9sBgsqVRKrZkRuU4=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-CBCS_DmU.js":"sha256-Ure+tr0S7SBU63I35V1nSGnQkAI21flXz30XmrbCzQ8=","/assets/sound-8J4fWz5p.js":"sha256-SMUTXPxddk6z+thRovsgi5wZlCA1UHWujgJmRts6GBw=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-Crdkk8F5.js":"sha256-p8ApXg3Pwtu19CkAUPb6Pu+gUsYx8qGoeJ3tWqWqLDc="}};
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
