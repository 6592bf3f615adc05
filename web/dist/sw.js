self.build = {"version":"8DVGsxa9GVM0F7Dx","files":{"/offline.html":"sha256-q9RgVFT3auFtzhCBqNRG4H1NrSAQ2NeQs5l436lyfFs=","/assets/Account-DBxw-VOY.js":"sha256-sKfPATbN2yS24gniC4Gu0CIvFSPc0dRBLWBbNuIoRHw=","/assets/Achievements-DyOUbFdh.js":"sha256-8tDpLABAKNMmv2Xk654LYgzFd4wTBEsUFmVmBnrUqnA=","/assets/Address-aRKfyDjr.js":"sha256-Fx1qgouamvdPHVhwVGW6FuiiHuwHEvwCXG9yBDp2PJg=","/assets/Alarm-D_ayUkGu.js":"sha256-mnGnotboqNu71R+LGxHa8K1oND2pRAUHxnVDxAYfMKY=","/assets/Alive-CAhvB9NW.js":"sha256-R50jD7HjC5xeFlOx/2QI3pj0F9liEMMeBoFWRMjhWEU=","/assets/Arena-N4Z8VY32.js":"sha256-lBIDklc5RT3z+GKkGFtoVkLRkUxoojJo8JE/drJCnew=","/assets/Block-B2t1df8Y.js":"sha256-u02spIeQTm2wxdOkeTYgejhcwMaFBq27SARsJYMkMQA=","/assets/Bot-Ra2Ad3AE.js":"sha256-jB95uEMg+oUbCnI6Bg8gs6/XQd73H28y/146+xwzoh8=","/assets/Bot-pFoHfP_-.js":"sha256-1MdcOM/uB9pbJ1QaBo+hTwTCeInROpR4o+L561hA3pU=","/assets/Chain-Cz36oIPm.js":"sha256-buFvQWlwSeJ5wVw4PwIzeEugfmSUu1jLMqGLC3/OQTk=","/assets/Cup-DvLrMjX9.js":"sha256-k+YfiAEiMUcRP9OnSNHH42I+GBuV4J5U/z3G/Vw9/f0=","/assets/Cups-BrprNaZy.js":"sha256-l4bnGLaZoE+vC9SwjqNv0vKLA+v6BU+fBqwBu5vnZXI=","/assets/Daily-DyRS_MAx.js":"sha256-O6xG+BG/htz/DuXdveLq7ivPXj1b2rWLdA3ZAGSSgAQ=","/assets/Developers-By-rJQXn.js":"sha256-OcM28bP5xsDfmY9goWQYXDVhRoIOTRFjpjsD9DT3n+8=","/assets/Duel-BniDMU4C.js":"sha256-TWBPYB/Yyi3/syW3MHAz7FS+5AQCGr9/ybov7BUg5Uk=","/assets/Duels-jrFwndl8.js":"sha256-HJK6MPbNdOvTdGJVnmgK9j3i4RYXsXmpRwjqGvJpSsg=","/assets/Feed-CIap_VSW.js":"sha256-gpKEJi7pbooPxtNxXmxGssWJ4WvemdOPw7Dz8ODjYU0=","/assets/Leaderboard-DGZT89AL.js":"sha256-PNt7qIA+0YokMy3De3qXB30YzSmiPE1BKs/IBZKSZhM=","/assets/Link-BjDJYpJM.js":"sha256-ML/P9Sr6ih0Nr/VbWJ4D6h//JwuzWBghBoZwUKBe36c=","/assets/Market-Skf0YImJ.js":"sha256-/xtvin5OnHVdB/AwbZn7urO50oX2XCXms7zmn0YMlvk=","/assets/NotFound-BCd5sxg9.js":"sha256-hJxYdh99GEdTAPXtmJtALwAe5u0x0JWLApIf0OPy6FA=","/assets/Player-tgenh9X6.js":"sha256-ke0aM5slmV2WTonhECMxrci6v3uCivx+y57Kvm1fLrM=","/assets/Portfolio-D9-1P-QS.js":"sha256-ROEHIjgppEE1LQfNEaAyCjDaHF3qiNJMcLztOX+XPdo=","/assets/Receipt-D9YLgXuK.js":"sha256-q+WikOekcLsqM/L8Wva9OgWo3X1TAA4kMh7cUd4D6sU=","/assets/Record-BOZ6NFy6.js":"sha256-/HERG6AwKwQ6o2vJ8/fwIqcESTFaY6nmE+fPB0B3PKw=","/assets/Reference-B54_7X4C.js":"sha256-W0B+Q1A7EPUOjjPHBl9kgJJwK+OEOOCc5vnkVI+QV8E=","/assets/Season-D_PYumFM.js":"sha256-XGGoz7lO00MGODWyZlpgmiRLq6Ajt1ZuYgPdFtApaEw=","/assets/Stats-CCBT-FyS.js":"sha256-5hqIsldEJVMmy31zn+Gi9kEFwF5EgdMdqxSX94rKrn8=","/assets/TV-WqzgBptd.js":"sha256-Bgdzi/qW+zEey0yngt/yX9sPoLFVWi0dKCw17sQwIpI=","/assets/Team-5_YB3d-d.js":"sha256-PeoEeDuvYfOySCoAzt8u0H3/iQfk9sM7l13Egf0/CyE=","/assets/Token-_tZWHqco.js":"sha256-YDOZtXuF6kUfj3+xyhUwY8owDPsDKwmKEsBJB2Ua1yg=","/assets/Transaction-C8w13y-W.js":"sha256-h685229tP6kXij+F4JsjHPiKP6/HCBA7IaqZG0qDSm4=","/assets/Verify-DHhTvz1_.js":"sha256-3t2dJTlWHb23DLJyXfS61rWBJrtE3K7D7dpc0yohmxU=","/assets/arrival-Cyw5S7Eh.js":"sha256-uI3qTeCDI1xzYNb4FMVKchzcILEvfSgZZqMwDqW1KK0=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-C2DDOoAC.js":"sha256-bBOev38XjBD50aEQSmx+9lBMqOfMefYI2zzyj6Eanys=","/assets/bot-C2l7auCy.js":"sha256-yCeH0tXrSpnLqUDw97Rrp5qGo8qTroIEC8GR6kcucJU=","/assets/bot-DEOSDJz3.js":"sha256-a35r1zl8nb+xja/oSCNhv9IEW1TxugnK9769ax/ElnA=","/assets/client-BGIdYnUY.js":"sha256-51K6QRFgK843Ze4OX2GgnRoN8P3+rJ8+S7j9/WfUzH0=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BxtgzVUD.js":"sha256-zhRGuE++r9xxOJxjd3Az9ATSwlWdCsI3RpKORoh8Tjs=","/assets/es-7auyo8tg.js":"sha256-b0R+5WQO8me4XRMEoyw8S2MwGXSK54WVuCGnNmdN0CQ=","/assets/first-B3CxGrmm.js":"sha256-eVubRddyYqme5POByrx0chshgjByt+SBS8vD1pGkCy0=","/assets/fr-B7VJp9gN.js":"sha256-9YK/5hILHMt4tPVgqUH3yjHvjqM+f3KeR0joINkr6+k=","/assets/ja-DE-OroHB.js":"sha256-rF031fTMZroQX+wM0iIHCKgruAHK0M5iKTSK43rPQl8=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-T4v5lmls.js":"sha256-Kjxp69be+PK2cSwTLLX2w3dCSock9hC934F8oLm9sNo=","/assets/sound-DXwG-AVP.js":"sha256-McEkHgdFeeeoKPVJYfROz4KUq7sPWztaEpDWACfKMZY=","/assets/style-hiaIJD1S.css":"sha256-nALgli5UXXTiG66LmLQdy1b1VDldkHfNhePX0we6cPU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
