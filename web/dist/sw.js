self.build = {"version":"3N6mArkgmlACUofs","files":{"/offline.html":"sha256-OPLXR0/VmQc0kTi4Nrl1Ssj7RW4HXEAMWY9aeGZES8Y=","/assets/Account-VomTjfyy.js":"sha256-2AXI/mcByf9s6yri/XjOuwR82X1124NASz+AbwVsgZI=","/assets/Achievements-D82WKlZQ.js":"sha256-vf5/XABhwbAzjE9rfF9IF4EinuPnpnTRYa7eQUuZ6Pk=","/assets/Address-DRdL45XZ.js":"sha256-StzZbd79r7ePn5JYZXzZGfQZhuaLXCTpQURgFI4+zug=","/assets/Alarm-DF4b0CO6.js":"sha256-gT1pZVzpK3yC76RirwcHW7hsC0ev0zbAM7nBvJgyV3U=","/assets/Alive-D--jabJF.js":"sha256-bE42yxFDE+B3kxGg9ixTtSyDCYkk99eLrUFmqyKAiaU=","/assets/Arena-DwkfEgXA.js":"sha256-JVu9qg01SeJIPUZIQ/wne42Uj4UNrnvBrXDLz76I4p8=","/assets/Block-yKn9eDMs.js":"sha256-mhRzds/+f4u0Vl1W/+afhdOVu0QHnFgXMKS2vJHTY5Q=","/assets/Bot-Br6kR4DC.js":"sha256-sVc5oZ0ojfn0Hfdf/D+xLOTHP9In02Co4JhzwavLR8k=","/assets/Bot-LB3TumP4.js":"sha256-FQ3m5/yZAOP0/nS50+UfV7BJhfFM/o2z7kKmmj5TuOc=","/assets/Chain-DRPXKrzi.js":"sha256-28qdoFBNDlBJorw7rjiRznMZ5IxQ0F8UYFNHHA220l4=","/assets/Cup-aIiNoZ-5.js":"sha256-Gy0kUfXMkLJicu3CaLGQEdIVpN9uBLxYC0iHRAP2SPw=","/assets/Cups-Cl0w0at9.js":"sha256-jYNI5TDGR+cWgaLuRslOAVNlB6VoQuZal0qA22RYeKo=","/assets/Daily-Ca5tJs9l.js":"sha256-zbbyhJQR4aMpsoqrKzsvvmeZWZOHOQ+3M9bcfMESsi0=","/assets/Developers-lwL1qYjX.js":"sha256-JL5dZTDIZen+HM99sBl2r7Un1xuBuqfZjSC5oVxaHpE=","/assets/Duel-bKPAZFZ-.js":"sha256-g3Tjg6IthzKUzrrwlKcwX6JdkrRQV1AuGWj9FFbgxJc=","/assets/Duels-BZb-dv7c.js":"sha256-Cm6sL4YbH7w8ehkwwRdVVMaYGuU1wnQF+S1fdcj7Iqo=","/assets/Feed-CP3nE__L.js":"sha256-ejF2K2isNyIdzosnikYbpTGuuwakkEdlkKQ3gbJogj8=","/assets/Leaderboard-CZ_yS3qk.js":"sha256-8zymAkbcSCcY8eMmOq/LA2kqjLIqUG5lHSsuaSGx0So=","/assets/Link-5VY2n2gb.js":"sha256-QMYtvchFxn4Fc3yp5M/fNqD/hJOdY7SSlxzm9t432q8=","/assets/Market-uWihcPUk.js":"sha256-khzycW5l96kUalSUzAVNjp8V8tOyjzSTc2282zywvDE=","/assets/NotFound-B7-_9ysG.js":"sha256-RIFmMbi+sELwHCaFmwKuFhxqkec3GlEaL9WXYN1B5TY=","/assets/Player-nRxWMhcc.js":"sha256-Jrn7nrtmUmexEvRnpsHzGKlSFaMJgja215gy/eXrPGU=","/assets/Portfolio-y0w9VoOq.js":"sha256-2Y/dAZzNjwMC2p1kqNqm7JKw/iNHI+y04wm5DHHBTHY=","/assets/Receipt-F_6ZcYfH.js":"sha256-ljROfmzo0Gv5G+bxlPt+zCh4y6BHvWwrB6a2EPqui2g=","/assets/Record-CXC403_e.js":"sha256-an7Yege+lD88XjaYxFsEZ7gHTAhUHkswTg4KHBadwcY=","/assets/Reference-DeJu-FOM.js":"sha256-Pr4Lq6X+RCVQ02yQVOQ4fzWedfXF2F1wWjwgfHzaGI8=","/assets/Season-CjB6hWtN.js":"sha256-8N5ajY3pBmK3qEZ/qfB94h42mARm8ZlwFbdZt2jI1b0=","/assets/Stats-DbTODKwt.js":"sha256-oeDdLnlnr7q3m8D2y67YqSh16ocT7wfDxUwsx3Ut2Ec=","/assets/TV-Ct6btsJE.js":"sha256-WdDpMeTz8UnoT9kLGIIyjnElNYx3TqfPSbexcXWIwLE=","/assets/Team-DVhxF8em.js":"sha256-KosnKcpfyxM3ANWVqYG5o1kQ7fkO2QDHFxsCFSLiJJs=","/assets/Token-DIHFJ70K.js":"sha256-l7/Qo1igfxMAfovc4p7zMfaLQaZufqWEfKTU2ihiwKU=","/assets/Transaction--VJPqd9U.js":"sha256-u2AuhRuHROZbomk27cckX38umtYhRtXmy5CF/cOUlK4=","/assets/Verify-Ca4yrtbb.js":"sha256-myt2AJ7YZ/ZqRucz9/quwq82r0yJABwlhCKyJ4P8DY0=","/assets/arrival-CVkMrCdT.js":"sha256-wu/28WChQOngCl4wrDdeiyIdtUgtA39eg2UO0zoO5qM=","/assets/bot-CCom4MYS.js":"sha256-FkGHc3+22FO0b0xp3/zKzugOl8EKC6d9g2pOpiuJSPM=","/assets/bot-DPNUwH2m.js":"sha256-B1LNqf0LzxmhfySBpcx9pcybuqqx255PLm5G7cKqijg=","/assets/bot-Mm2heoDH.js":"sha256-/shhYgScipYPjkCv14bBjVvhJxHUXxsaB92uKPyrQ9k=","/assets/bot-qp5T-cKB.js":"sha256-xOuC6YCBb4fi1/AlhIdDxYOSFzTd5J1HMOR5j6Qx03A=","/assets/client-CJW40qjL.js":"sha256-gUNvwhUmdJnNsisADiw9l0rHt6K7TA9x4MQ7NVgvVvI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Dj1wb3LO.js":"sha256-1TUGgNZKnnoSusTz47O1kRbYtPVGfoTUyiu3wXEnB2k=","/assets/es-iUjjqxC1.js":"sha256-2TGS42q3cDomfnTfOK9Yu5IJFVLuAXsRdkaxGblI1wQ=","/assets/first-Cwplm_Zd.js":"sha256-k08sYTqq11omMhVtdh0RnDemRFOH6k/QhrI9EmKAdFI=","/assets/fr-CHLGtUdw.js":"sha256-cf4B5QDZQZhHcxCYdi8iFILYGfgJl5zvr/UiuyRIhGI=","/assets/ja-H7OAf-DR.js":"sha256-2N3v/vuvWQnUJaVgATUJI2x9iBBFcj4IwmAhEOq9Mp0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-DaH2RquV.js":"sha256-1WXKCF+k+Asm23FvJCmJWb46asU/5k27acj7IaPtZdA=","/assets/sound-DArxO1is.js":"sha256-SRq/ucoEzFmWLDADPH/Jr/xxRv2+kR0sqHVJ1gU9Omc=","/assets/style-Svtk3GHE.css":"sha256-Exz/7nIhXgf1FyHCvFVadRxoNK1P8lZ5pKg/5NxrKnQ=","/assets/worker-D2l1H9tj.js":"sha256-qj4ZSsg3RIFf0m5uf5BQgE6+9tMkPC9MzpcZzQBgLro="}};
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
