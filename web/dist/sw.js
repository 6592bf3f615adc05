self.build = {"version":"EUvVkCUVhNHKtTdn","files":{"/offline.html":"sha256-F6GfuFnEzVZ9y9CM3n0v2kgxpiF8BGs5oPpBVwN2QqI=","/assets/Account-CYp_1qNJ.js":"sha256-8GuTqK20Fo/baLXCW7//W6/N597Rb528V/p3CeHAEFg=","/assets/Achievements-COwuw-te.js":"sha256-RSYrB+Ua13Y8dc/fe5uYdle99lqU5CrqGvctlPSajeo=","/assets/Address-A449bysZ.js":"sha256-oREklYy0ChFIZSUFsBYkEj0eYptCWYTKzI0ptfv7siI=","/assets/Alarm-Bh495bGO.js":"sha256-Kb4fhipFxewO9X8GXEpVsvfolGpLOzBY+R9WKeKidfs=","/assets/Alive-12QJZQzh.js":"sha256-I9q1lvDpbUDnF9SCx60sThwe4UMOBjbMKj7XphVoRm0=","/assets/Arena-BmeHKvcK.js":"sha256-ldc6sdvmLQvHSwXT5HVAv/ZbjfjWbYnZaRbSIcsMmPM=","/assets/Block-DP8CSh--.js":"sha256-UgKy94ni3X6sOo6JCr/A3mKJb3Yk6itkkW1mHCFPkt8=","/assets/Bot-DhsfpluL.js":"sha256-3LOqoa2Ez0n3iw3KkGtI7mOufzxv2LwoybkaeC9Yvn0=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-CCGULx-y.js":"sha256-2vNCd03Tc2hmlI7rnXDQzpHldY+unmlg8eM7M8+Fg4I=","/assets/Celebration-BJy4LPwz.js":"sha256-oz++wF8twiqZsJLwqSW7VrbKq7KzpMoMig5HE6S6nh8=","/assets/Chain-60exYLlJ.js":"sha256-BlzAakAifQ1AxELeDEfGMbuNaXRjSrH0XmXlntc4ugo=","/assets/Company-BOSWafqS.js":"sha256-fL1d6IkHP53+iHqp9iD+miQOHCneA9jiaNDDn8IcwWg=","/assets/Cup-j-3ej9NQ.js":"sha256-2RfYqHiXgGUIvkDwpp5K6QFymuOzJJp63caqJNyWd30=","/assets/CupLive-jUbR3OA2.js":"sha256-EABiLHyeKD+tQhojqlS1WKFAP8DKCm9DrntkFiijvXo=","/assets/Cups-4BqeusGp.js":"sha256-p/qcrpEmbt1fEDeJdsiWRC7cp9ieeus2PYDQ7LqkrEw=","/assets/Daily-9dQ_AaJt.js":"sha256-ddyuPZd807AgRJB8jVTx1cH+bW3Noui9IQ2yd/FesOY=","/assets/Developers-CqjcmNIn.js":"sha256-9tgk3zztraE4dJz7EjsNiGvuWNTrScDoxchbsZInJ7I=","/assets/Duel-CjHq9CdO.js":"sha256-fiH26Leu2NnVhOMaN3xAb3inm/T33++ZwZfrT+NaYrY=","/assets/Duels-XmqlMCkc.js":"sha256-yquiJAHncr2UWs62rVbM5z71dANvZI8yS/XErmsW3WQ=","/assets/Feed-BKw-P7Z0.js":"sha256-ggnPYLCANWEbm0d8jcb2vLmaeshjQwVwHWNCXVxQDlc=","/assets/Help-Ck8Tgvt7.js":"sha256-QW3ZpC52vxHntqmZ7selQ88iqWtoB+JBLCb4xMDreMI=","/assets/Invitations-DQSsoXmt.js":"sha256-TqbPb2j6V3b9jvXZbxyVpCiiajzzi6JGJHDse8ne8ig=","/assets/Leaderboard-BF0d_KH6.js":"sha256-nixNB1usBjpOtwhv/5z9DxvV7jm1n0ZO2GqHHO3vZ3I=","/assets/Link-CLE0t1Qs.js":"sha256-6cXNDEeis9ChMRBc3q6f+jBX9Fjj5LPf7h3Du96V+9Q=","/assets/Market-BEJ3BPl6.js":"sha256-S2AVr4s7DIWtKQb0nVz00kAHa/MWppfQl0y2/kG0nOg=","/assets/NotFound-DcuY4f_t.js":"sha256-7d1qszuzuW1pC1wtjC+XYy5I9rOpJC6eWXVq0yWK9xw=","/assets/OutOfEntries-CuCNiHXf.js":"sha256-zTTeTlJ8MrQb44nfIdc0OUaWwjVgKw3pNuJVDxOB9uQ=","/assets/Player-DWRGxydr.js":"sha256-sw+yxkbYgl8dGJGo1h5zGpP0eSlOtQyRQq9KUTjaGAc=","/assets/Portfolio-CfgxpgMK.js":"sha256-ZqFMsGwxyzEjKuqSLKeMY+cqotZWH3BOESGtAYns2bI=","/assets/Privacy-CworrYy5.js":"sha256-OKqH17IFYJb61EcmqmHrQg1y83G6UaVvY508ePHRIVg=","/assets/Receipt-W37isj0Q.js":"sha256-EOYqDuHJosyKBEFPsLT9L4PCN/Yy9M0RQtpj9vCSoq0=","/assets/Record-nCgIGaYx.js":"sha256-RMbmXT5/oHsp44biUTks0fYmtccBOuiXccIGrBGbGt0=","/assets/Reference-DgVdCouU.js":"sha256-XfW1HpmA85X+v1NKlEOA1vYLjUtT/H7w5Dy0de+/5h0=","/assets/Rules-Dhx81kWi.js":"sha256-qXQANP073SAS1h3vbJgw/TMXvFzf/el7lKzZFuZgN98=","/assets/RunChoices-DQCkniYw.js":"sha256-q5wdE6DOwHUohHuxyTOH4OSX2SRHvCMj0xrfYX5pWU4=","/assets/RunEnding-92JA-5Uy.js":"sha256-hKNy1FOltjTQ/x0upS1l01XlRTs95i4JulIA9krS6aQ=","/assets/Season-DL8JqC1n.js":"sha256-gXOipEBNBwlQT3wNUiLymMtgFwCPOgGSTc4EtL7pFZc=","/assets/Stats-Cx8ODQn6.js":"sha256-1yYBf/pMdLC0qofNo8A4Z3oRHGqt7797dDsAsypGKmw=","/assets/TV-CfuQoNxg.js":"sha256-lZBWwjzkjeFl7h6M5n7zJpEla2loaf3xD+KRzMXx9F8=","/assets/Team-C43XbWoH.js":"sha256-sNe5d0cYB9H8WrThcmpxMldTgoDbXbSycNiucKDnmAA=","/assets/Terms-AnZwQMPc.js":"sha256-PP1EtiFtPlPesW+sRORKEtkqu+xwwcAAk9Fjy80vbss=","/assets/Token-DQrMsgu9.js":"sha256-lDD971KXNgKpYlRjwL02V2juJ+yO5y97C/vXAvwT85E=","/assets/Transaction-eUXlYBBA.js":"sha256-ywcUbhVPwRf/zU1TFD4LayyqWiE/mkjJ87C42KK+rRY=","/assets/Verify-VXk_IPmx.js":"sha256-+u4HpRZMAZJqzhk2WY6N1EdMjR+qkkuQ+PEHQPY9lR8=","/assets/WhoPlays-Bxj_UCCH.js":"sha256-6/bHR07sow5QDX2aNG+WVT+4Wg6cO4HiW4VTAMgPlRk=","/assets/alive-BON1BOaZ.js":"sha256-ipgHMZ+6C/pv9pUX+t3wBz4cRyY0ENAFPqYQ2sysUjU=","/assets/arrival-D78jNGMC.js":"sha256-0YEbzm6IVbonQh2QYVeZCklzkFugSTrhBAU/Pqz49jg=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-Kg0iFrDr.js":"sha256-aQW3IM74iLTsEYwae/pKjF9tMyQd20KGb6Z68Ib+bHs=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DXwgmlgH.js":"sha256-tFoFPabtx3fLVmYV0zRxSF6/wai0HYyQw9OFKIb/9iY=","/assets/es-B9y-d20P.js":"sha256-HxPpYEUYf8pgg8bofslVydak7TW5w1th2k6VPvmZcKk=","/assets/first-Dbm6ECRG.js":"sha256-eyB5qi41o1+ykIXZKg97O6SLHOvJVRlve3UbYXLthp8=","/assets/fr-DTkdynBs.js":"sha256-tthlmT8vuhhH4kkKyNT7dR0ehEuoUEavmwTBZNA/+jY=","/assets/ja-D_-YHV8V.js":"sha256-QKqRNnTbVZJ6KqMUrYfd8bGi53QLMdnDXKffkZHmfMk=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/proof-DWCnmyHQ.js":"sha256-0sSScX8N0sR+7+NhxVKTKnhKTIg5Zc4dMX+UIeRif2g=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-CDDwNVqN.js":"sha256-TOXGwE41WGLwOFnnS+d4Zu7jIISm+NPC0SlGuFIUouY=","/assets/sound-C6ZKhsoS.js":"sha256-BpNb/j1zrJFcDpN91d7JSOvSJKP0szQQ4UZw0GfB5BM=","/assets/style-LQndujwT.css":"sha256-3TULkFZVJPglD2jQdremuwdaF+RQ+DF7M3BHtq1BMVM=","/assets/trace-BP4O5sug.js":"sha256-yZUq2r0iSfVhf55QPIPhWOsjd8nfaqKdX2VCEMF+DsE=","/assets/worker-D85i6-Xd.js":"sha256-cKhszxvu9V0B6ZGFhAI7v53yv5DJ6YL+prd15nfkrhw="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - A document below /docs and its pictures are kept when they are read, and answer without a network.
// - Answers of the API, the log and pictures of previews (/og) are never kept: an old balance or an old block would be
//   a lie.

const { version, files } = self.build;
const kept = `roshambo ${version}`;
/** The documents below /docs that were read, and their pictures. */
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
  } else if (pathname.startsWith('/docs/') && event.request.destination === 'image') {
    event.respondWith(openText(event.request));
  }
});

/** A click on a notification (stores/notify.svelte.ts), whose data is the path of the page to show. */
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
