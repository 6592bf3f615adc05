self.build = {"version":"OzLiDwVlBVswxnTc","files":{"/offline.html":"sha256-9OfGktktkPNY+IesiYSRG65xVnaC0Kgvnw1r4laPHzE=","/assets/Account-KRjMC7dT.js":"sha256-niuxwJTYpD98MItfPZyk80t8hlWEKYxb2xXl0LHWoRI=","/assets/Achievements-BTZs_OjD.js":"sha256-uoUWCKwvfvPhkyvtnouWOuo8FpVnOAwcJq+q4Jv2r60=","/assets/Address-UOSh1vNh.js":"sha256-PK7MmnQzeuMS4tFoMXOrFEpmr+jYzPPn01li0L0W19g=","/assets/Alarm-sijfVUwa.js":"sha256-pWqOR5NYZaEgkFXH41lBtQWeZtJhN7Mtp5xp2/ahOX0=","/assets/Alive-Dvz4Vh8Q.js":"sha256-9RXp+xYvs4MNYDePO/GJOTha5JKwMmvBAXuSka3bHP4=","/assets/Arena-byXgHSTp.js":"sha256-68LtbdXM4evj1PbTFryFSgVHUwZHrlphSqHDD2BYRik=","/assets/Block-08IHZ0Bf.js":"sha256-k3NaTJuXpV1DkyqRvkdubO8UaNqIOcxW02ec4WCRSq8=","/assets/Bot-Bn1OsiQZ.js":"sha256-0TZDi2emQ32EP6Xa+gbcbLJ2jR/yhpsWksw8B+X5K3E=","/assets/Bot-CPIsV03f.js":"sha256-49s8bhoKQ8l1aKnuH05VEWuKTTJfcxdTJIgRO0KPCnA=","/assets/Chain-C9YCHqwr.js":"sha256-9udnxciTCTbLgaIbY/j/gcC6Lwp0oTtLJtD3EIM5U5I=","/assets/Cup-DNBN-kD-.js":"sha256-S91RAiaTZmj8nch7qhotLsYGw07FYsbGJ5LxqRbY2l8=","/assets/Cups-I_hq8c_R.js":"sha256-PW+MOj7RIqOGPHiord/uw6R/dN5qveiUmmsQM8BRRi0=","/assets/Daily-DBTm-ix5.js":"sha256-/bD75j7aZ6Hq92Jte9112McHHLntkGRcI3lYfuzqmCc=","/assets/Developers-BBh85af1.js":"sha256-qaMG2PUIGYXCb6yc6mHoIMvIBmtvEv3xtJXn+pqG9Vk=","/assets/Duel-B7gVjMVc.js":"sha256-4Ex3FveX3cqImwXviKKbJkzySNaSMAilP9aRqan2H00=","/assets/Duels-BnXqErT5.js":"sha256-HeVN198GtIolfSDBEuBNfncSY3/vBNbhpw2k86Mg5LU=","/assets/Feed-D9i9iNMi.js":"sha256-it369kqx4vTAtB6uSO/ws+55GNgd5kRlIilqXaIawbk=","/assets/Leaderboard-DOJg8KTq.js":"sha256-tOhhvnEd9nPTPmt+sh1Hzwgn4Q+ALukhsxdLHAWtA2U=","/assets/Link-T9IIXihd.js":"sha256-DnzWdqXhVX/V3UtpMrUZw/N27YkAteMKTWnXqbHEKUQ=","/assets/Market-omAGPZFY.js":"sha256-z2ZccmR1aZcvSm0L4QlsQlAyK1CygfChVd1xQcHIxAA=","/assets/NotFound-DG5KD7R6.js":"sha256-l7TRJ3Z/MrONLr4309+DVcGq7HpsuLbB/9245mZfa+U=","/assets/Player-BQL1gWiR.js":"sha256-aJEWVtoLfvV30/xTusF8/VouPlw/vuZFdpnTj7Cewy8=","/assets/Portfolio-Ba2Rs60R.js":"sha256-I+atsWzxTA1wNx7UBiIqZWgzY3ThJaNCXHR8XkBmDqo=","/assets/Receipt-DuOyGOfQ.js":"sha256-NMvgbM7G+T0RfSOw1vfDkZCBDohTRS1T1W1iE/dcZXk=","/assets/Record-zM04P6cX.js":"sha256-PPONlAEkTR2niipibHMn94GQFov/B7XrASC+FKSsERs=","/assets/Reference-DB183WzY.js":"sha256-/hrYyPWEwqnXaER9HStPlLiQDNCL4F4x9xtmhi0fddI=","/assets/Season-C5mEd_TO.js":"sha256-F4pYBAUA9vOQSHBQkR+VTzvv/XZyZ8NwML6Y3ZUnIAw=","/assets/Stats-CaeQIBUR.js":"sha256-768bLYlEf2EkXZrI+hbdpFmo+jk41K9E4pgHGYU8IFM=","/assets/TV-CpTmqdv_.js":"sha256-7PvEfgVtc4Q63zbEuvz7B7QcrFcJp9TCPjiJc/Rqr3A=","/assets/Team-DGT0xH3X.js":"sha256-BtZP+JnGang+yP7WJzITO+zxZtZXftUQ8qyKFR22Nio=","/assets/Token-1luzcPyN.js":"sha256-LMpfGQv1hxsPP9lhBI9to6OlhgoH+Ru8mLEyQZUdZbc=","/assets/Transaction-Bz9IuC9W.js":"sha256-var8lmmKsOqqHQPb+7cx4xKMTz1Vn4RVGd1u6m/wvrM=","/assets/Verify-CtmcYVAe.js":"sha256-0d6o/e8O8QCl3GgO1tLU4US9/l/Wwbur2d3JlOrRlI4=","/assets/arrival-BPeBXPDW.js":"sha256-xeWy+qKvrMLJVu7T6KCmllVMKMtG1wvu7BI7CP0WG5A=","/assets/bot-BJH6D5_W.js":"sha256-6lAAuZsQetC4zzTbWRvlCLQbfVHu8z3BrXVm2MDImCw=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-Bj_4Tk_Y.js":"sha256-UBXyY9jiTFfxybQXFQ+mf8pyyiC1oWYhNXF1qC20BG8=","/assets/bot-C7YApcha.js":"sha256-++vUMPYSZc0yT5et5tTb7eRdl3Wc0Wm+FYSQ8S25Yow=","/assets/client-BfUtJIV-.js":"sha256-u8COP48rpZiv6u0LMDxayJYi/rCAVPneOaO03CB4NPw=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DyLFw9A2.js":"sha256-pBYm9zGoY8/qMaHTLDOFJ6+xKTkmYflGTepQPM+KmzU=","/assets/es-BUo9HptZ.js":"sha256-ovCuXXB5dK2mI9hOa885Se2/J7TEDM/GjF0FAQ4jjoY=","/assets/first-DoYv148N.js":"sha256-e80Cz0fcBuafJ+oyXkDwoYPaxaiv/unn2rwscAa/a3w=","/assets/fr-BpFKIuI_.js":"sha256-OQ+Q0czUliQFnBJQe70qJBF3QZpe7wS7CYV2wLBYCiM=","/assets/ja-DA0s5GXb.js":"sha256-GJA8GKGpVFuqlUELoYxv/ploOCc4l4cyHrd8vzK/52g=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-Df6suasW.js":"sha256-xZHFcCMACfQ/R17EWU+5mm5x4FPzJ33Ah3zJGJS2W4A=","/assets/sound-Q8Y16-0U.js":"sha256-/NN0q9i6dYPryWT7H6CfTyheSs/VjwwBNE0BH7pLg/Y=","/assets/style-hiaIJD1S.css":"sha256-nALgli5UXXTiG66LmLQdy1b1VDldkHfNhePX0we6cPU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
