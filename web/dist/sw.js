self.build = {"version":"Uh0KHkjgqWtEiVIA","files":{"/offline.html":"sha256-ohkhDN/5fe3mj9KLec4FEGlBrTQv389l9hgS4K35vRE=","/assets/Account-C9-8DH2L.js":"sha256-IBiPpWTnPgc4iiaG1IlOtYIJ3BT5xJdb9qBUnqrYVmY=","/assets/Achievements-Dbri8dzs.js":"sha256-rL/nK9KoMzyVv/9vlXP1O4oYF9sUh6lzR6qpXlgqyQE=","/assets/Address-O-DsT-Vp.js":"sha256-D8s4vckxe6zYLGJuRMUQF9XooqOFaIHJC7kPB00zW1M=","/assets/Alarm-CqJSy1Kx.js":"sha256-kk7OjFJGm5bV9S7jAuvKK4SjOKVYi8r4le8nR10+gIM=","/assets/Alive-C55XUSkJ.js":"sha256-flR3MWPLg5dUWmNgrroSy0qpUZvcrvPdDpO3avU/UUE=","/assets/Arena-qvAfQSuh.js":"sha256-8W/flAfxPJwIUT5vH79hlpiuI3y5bwppHP1nrh6DwqM=","/assets/Block-CtGqZ_bj.js":"sha256-/iiYykaDrhcvR4gZmBYNLpeam/rfpf953OFCSJhEyPM=","/assets/Bot-C2UuTnKC.js":"sha256-5hGeMxO6c7W2wxP317rH9mlBGkJcUKehorvRMfzH4Hg=","/assets/Bot-CPIsV03f.js":"sha256-49s8bhoKQ8l1aKnuH05VEWuKTTJfcxdTJIgRO0KPCnA=","/assets/Chain-BINJtKXd.js":"sha256-uGRsiQYiGMsgh1tF/v0dPWcFSm0cqSuQD149qnh9nDs=","/assets/Cup-DM6Hh5-g.js":"sha256-ySeL1xqhmWaZaci89fVWeovgazArTGuL/RgfbcEnbgM=","/assets/Cups-BaVeAKPt.js":"sha256-E+jCI4wc1O656ACaKhlEchVZ4ucafGcL5VooLK49k/E=","/assets/Daily-B8SmG7WN.js":"sha256-dNMlQhPKYceT/eZmXEjYZRn3jBK5Ngl4czoIwEJb5ws=","/assets/Developers-xIyj-z-T.js":"sha256-IyvttQcPQZ/SlUHDhzgp2+ikdEjKmJeTR0q7oG9bE48=","/assets/Duel-Bpc1vVjs.js":"sha256-IP28h8wG7ZmAVUNVyRoV+vrljA3+3xH8I/ffTbG8Eio=","/assets/Duels-DjfgNaUD.js":"sha256-8gCMdvQjoP8Jq9Bwh961k9aT5o4UW4GB8soiVJwyfXQ=","/assets/Feed-DkM5x_MY.js":"sha256-LgY7zX9Iw2U3FsgFd+lnRg+wpJwVzcsNuUUnmcYd3Q0=","/assets/Leaderboard-C-9edTnY.js":"sha256-DAzZ0bzkA9WwwciMQ2zDBAPsUmyw0M2mGKzEFo5b2jA=","/assets/Link-D8RnbZUb.js":"sha256-32m5EsWTTuaEbxHLof+BHykjnG/sZQGpyjeKyrn5XH8=","/assets/Market-rFLkzUP_.js":"sha256-cvaTpomIGhXHUMpdVETzsQZxtNtCncZ1Zsymzi58UaU=","/assets/NotFound-EL0cqoC9.js":"sha256-XXVmn+FkAEceArfDMtqj8+gmLtmyCE6/hg9rA2jIVYw=","/assets/Player-CWI9YhTj.js":"sha256-1uMEmEXSvEgtbmZ0u6cN3Q6g0UE3tUOElvkTAaATDVA=","/assets/Portfolio-EddNV7AM.js":"sha256-dgpRr/ndyASOg04OtzJqJM4airhn10A2US3wevXBJsk=","/assets/Receipt-DX0iR4Qn.js":"sha256-b3ofIQjNvkhiilh2XwU2kXamfHfKCgovKxOl2lERwcU=","/assets/Record-CSniOexq.js":"sha256-IBCB5u0CDK574pYWv64M5/iyBUtVNVZAFeHf3cIt/14=","/assets/Reference-7TCq5m8q.js":"sha256-UVTmCT2BojWCQim5Ng1AN4omFipMo8aWuMwgGpDIajk=","/assets/Season-DsvBrawX.js":"sha256-H4b1/Q8SC7tvvyGnYG/fUtizkzT8zQFI/B0y2/og56E=","/assets/Stats-DrmCeiSS.js":"sha256-58WI2Sqi2dKEHNZFdVYsig3x2kQaxPIggtgJs58U5Ig=","/assets/TV-CrMDEoAt.js":"sha256-nRI1A+SItJTRn+BRJv8RfAMISXYflVo0lNdMo3sta3U=","/assets/Team-NZWtsZiZ.js":"sha256-ALLQeS9AzKlsePuJ9ORPpWE8wpj7RQLV2Ece6nDp1ZA=","/assets/Token-DUEjIxwS.js":"sha256-uBhepjF1V8AMpxIYQVqsG8B9oDz6vudBpDaV9aMJfws=","/assets/Transaction-BPBp9daY.js":"sha256-3HfX039pNIfSlXtAcoRv6cLxL8Fda3uP1u8tl2xOzPk=","/assets/Verify-DjFiqPTe.js":"sha256-YCH8dvT1r2qjN5cwFRkWeW6p+IwEWeYF2vSLe42wpK4=","/assets/arrival-61jDYAZR.js":"sha256-74HsoHaoKwQH9MFpYlzbAYwSMOtp6T5dKT7B9WT8DA4=","/assets/bot-BJH6D5_W.js":"sha256-6lAAuZsQetC4zzTbWRvlCLQbfVHu8z3BrXVm2MDImCw=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-Bj_4Tk_Y.js":"sha256-UBXyY9jiTFfxybQXFQ+mf8pyyiC1oWYhNXF1qC20BG8=","/assets/bot-C7YApcha.js":"sha256-++vUMPYSZc0yT5et5tTb7eRdl3Wc0Wm+FYSQ8S25Yow=","/assets/client-C12jk9A_.js":"sha256-D0kmDChruA1OA+TTI5Qe3lcNi0ioVDphqIWVQMHaIos=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Dj1wb3LO.js":"sha256-1TUGgNZKnnoSusTz47O1kRbYtPVGfoTUyiu3wXEnB2k=","/assets/es-iUjjqxC1.js":"sha256-2TGS42q3cDomfnTfOK9Yu5IJFVLuAXsRdkaxGblI1wQ=","/assets/first-DuoHJwCU.js":"sha256-oqicdedBwJEZ418YxiL3n11jKRNTy4S2KZHPLaTNob0=","/assets/fr-CHLGtUdw.js":"sha256-cf4B5QDZQZhHcxCYdi8iFILYGfgJl5zvr/UiuyRIhGI=","/assets/ja-H7OAf-DR.js":"sha256-2N3v/vuvWQnUJaVgATUJI2x9iBBFcj4IwmAhEOq9Mp0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-CQ6NSs75.js":"sha256-AEEM59ZcJYQncBnr4xbGIKekUs7fjKTEfGTPZcCRmpc=","/assets/sound-DYImXVI7.js":"sha256-v0RtYxivInLbBEL39in8rSCls4iW9S7pFX3gVAoK8Q4=","/assets/style-Svtk3GHE.css":"sha256-Exz/7nIhXgf1FyHCvFVadRxoNK1P8lZ5pKg/5NxrKnQ=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
