self.build = {"version":"axD4NCCIt2Y3GX0f","files":{"/offline.html":"sha256-Tsb/YfMDOXW5QGgEvv2+SwA54L51QEbMM7jX0aWxafk=","/assets/Account-gHe3mCT9.js":"sha256-Ev9o1yliHBAW3klg+74PqPZBy14/GUky1b5t4TOpnhM=","/assets/Achievements-BJ3WhJGY.js":"sha256-xZmnTNmC4U9qV/ypogLFOQG+Ut29VfISmG7Vlyl4+qY=","/assets/Address-hRoP6TKM.js":"sha256-SpeNE7ecE6cVLlzv8mF9oPXfiGrqAu0m3bzPbiTcT1M=","/assets/Alarm-W8Iut69x.js":"sha256-SI88fz9MQLZPgqIpO85ONgSAG40pts0JJR8/rR+Lr2A=","/assets/Alive-B8D9hgJC.js":"sha256-wokxvZknY3mfuB45KHuDrt5FE/NWhaL95HxCcC08e6s=","/assets/Arena-BdiHp4KM.js":"sha256-7V/eoSoXXx0DqlZWzfK1QQCBniFOjvKhSD/YHt8pREY=","/assets/Block-CeSSprjE.js":"sha256-mYar4qb1MMblBhMGY5aA9g1ZGr0LX+pqUAZ71y7bjAk=","/assets/Bot-DAgkhKVQ.js":"sha256-Ta4//YBqWH7Cfbbj+gAN04YG7H7KPy0wQGib3aC3imk=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-BZGolcA0.js":"sha256-HAZCNcf9h7jhljddQHrLW6co4LdQ1O8SpljfFz/YdCs=","/assets/Celebration-C3uNeCkq.js":"sha256-MnM4Ie5/24KTSay7+lTNEs2ng2l+4Tacm7D4YfivHG4=","/assets/Chain-PDjTOz0t.js":"sha256-aBt76ngchZ+QMRIgflTGlHHqxY4R9k0XXM6WM9vprrk=","/assets/Company-CvNfLEQw.js":"sha256-hlrojdErOUw6WrSSv+J+SoGvGsSICVj9ykWoq+yJ0ME=","/assets/Cup-DAxxzVpX.js":"sha256-hP3EoWCphe1ZMNry21VGrGNIN580KpepomPZ5LtOYcI=","/assets/CupLive-CsJ1FlvA.js":"sha256-aAvuu5A9pcxj4tSucNMola2LX7CdojxOGZazwH935ZQ=","/assets/Cups-BUQnBovH.js":"sha256-sFnFFa3u48Ly2lb9jGFQwO9jLEuoXhwJGNUzzwhLT3o=","/assets/Daily-5kwNMPMx.js":"sha256-YTyVRWzyUb1cNtQk6GjPRizvJAcy9jyG8EGku9OVuD0=","/assets/Developers-rbihybcU.js":"sha256-hfUNESasR6n3c/ZXgpGJdq3S+J5jus16Y4Zy2so2qgY=","/assets/Duel-BrrhJQzo.js":"sha256-kXIvTuhnCXocJnXtFdbRG4ZX6nTHetCZ6ElVLKk3/0Q=","/assets/Duels--fI2Y50F.js":"sha256-erVTkd+FC/KqipsQgAvt3WnN9x3/7py4uvsWOatOaTo=","/assets/Feed-BP0ikdyt.js":"sha256-weKM9W/2AUBy55N6fj8Mje14i3HqXvo87CVcFSQCFZE=","/assets/Help-BgsTiyD7.js":"sha256-a7hBCmVw3dvZIkerbhYCCbgOkKXZtpCXvEjJgxXRd2M=","/assets/Invitations-xvOeigEg.js":"sha256-4gMJR0GWpkP7hZRxX/rIJ3YnjzT2iQaHnqRp1Oj3Ef8=","/assets/Leaderboard-VIX4GQdM.js":"sha256-lsPCOgz7NPZn11cTNawLz8CxYHHFEpe0UKFpvw+CmCY=","/assets/Link-_tgiYVwu.js":"sha256-vFO/n9UNgLzlDaPpBhOmvGbUG2+gJq6nUFEKbbpFzqc=","/assets/Market-CbAJxKDN.js":"sha256-v1hK5EJucEyMv5JMfeVyxPVx+i4CGM4Bxu8sYrWqgIw=","/assets/NotFound-BZJqmYd5.js":"sha256-7wAuuFEUeHX7JhFBw9nR9fVHDOeI2lQXB+qoz0YFmJg=","/assets/Player-D0HkB1wq.js":"sha256-Vxt7TZnh3YFXqPf8Mth0kW8/EyyO9Tq/Lr1DjBAY4ZA=","/assets/Portfolio-DKgXm-Ok.js":"sha256-tOGTJmyTUx6aLLFujUayzhbU5VdM07W/OxJwD3JuvA4=","/assets/Privacy-e2PhphE-.js":"sha256-JhqpMH0xMI1UIsu1qUOCw7igDzXi74vlfQSZca3JHmA=","/assets/Receipt-BAneH4VN.js":"sha256-S5LoXNn1jc1HT6uStdG1JlyQbb8DM4QwlE19AybmXVw=","/assets/Record-Jwjb2Z6D.js":"sha256-j0AOsNgCzsoGGQOaM/4z+Q7B2JU3l2gGczXzL3fG/ho=","/assets/Reference-EkPVVJfJ.js":"sha256-aSu6l7rluYAUkZ5zbACtnkoGMBAnA95kHfCoB6T1Uu4=","/assets/Rules-DmbqP8mh.js":"sha256-5Bq5gYJE32tDYB+hoOLikNUNCf2zlbvUSY1zIdBKg5M=","/assets/Season-DsC-UhbX.js":"sha256-ECViCzBk2evPbvbP/5MgpfBMntkHoVKkJGT4jd5Jew4=","/assets/Stats-ChyQDX0I.js":"sha256-gmdtmvgSooNo6jrlTK1EFO9S0eswq1XBHs9ld4j6CLM=","/assets/TV-DvbDElg3.js":"sha256-32LNTrffwEgYwnL9fSgPVu2KFFOOZycdwFI68V/bPu4=","/assets/Team-Ui79teG1.js":"sha256-oDgV/WKMMJHhr4l2ZRMwpnH4j9mBlHYjX3gDrXscMuY=","/assets/Terms-7QNDDVfk.js":"sha256-dI2EKZB+BwMrUsHVKik2OzMFPg+NBtkjWdw6BfZ7zKs=","/assets/Token-PwCCX4sG.js":"sha256-6u65NlZolI6kYr6l1VYgZEIkmL+nQXIIQbBHJo52jCI=","/assets/Transaction-CkmcmmjJ.js":"sha256-kxk+IbWFr/uqOUmU8/pGpzZmIsGJAgrqJ3W+jr5rWhI=","/assets/Verify-Bven4c5K.js":"sha256-5Vj06wSunxFlE+49ltOxhHnlo8Xf0vywjiC/Pd/fE4k=","/assets/WhoPlays-DxYMgjih.js":"sha256-EDwzi2D9Z++G8Vcc6Pmd/XlEy+6SdzdlgczerGZsG3c=","/assets/alive-CAOUaNgy.js":"sha256-4RmiavypeXFXklabidX7K+yROxkoJ6WQbBnv7chtO0c=","/assets/arrival-BLkmP4ev.js":"sha256-6at6Xv5mbkMwVqvyLPiM7O31twmA3kAjjFV3zuIOIgo=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-B6wSIVc1.js":"sha256-YwnnI18IbvAAbPymy7NAxdDukFHGqze/nEOp09iSkis=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DT84gW97.js":"sha256-q22ScLjRLyEXyzy0n+h0LARxeK93Qf3vTyqgA4EA/bo=","/assets/es-hOgb6HY1.js":"sha256-m3dCzcCAIJ24awa3hfwPWNzPBii2m+6lohslQoKfwYE=","/assets/first-DIwGImPc.js":"sha256-roscAzB2mhC40O5/TxX6qUfgW3CNYZilU0llsoyCKaw=","/assets/fr-Cd3jDBCS.js":"sha256-Ozo7xt4ioSKKT8sIyU48wBFeslpHc9IeeKT2tUc5Wy0=","/assets/ja-Buwp4gKg.js":"sha256-vcKVpP9s9WhI/zcG8rTsj8RRrO0mjr2UaFuUjzKqf2k=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/proof-HodhYvS9.js":"sha256-aM/05bfG6UQQ26MS9gaETenz+h+pklpvQz2oX1ltWvo=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-x7Ejlh_G.js":"sha256-Z4yYpf/K6B7G6JsTfacLunmIsWL3Enz81XlXIJIKVsQ=","/assets/sound-CRcrhPzU.js":"sha256-cRKz7UYMl3gHt8Zied/YYysAQy00zF6tvd/Xs/ec4D4=","/assets/style-C7wYITPv.css":"sha256-Q5bm76Hc89WyGntyHhrTXwiYMkuIZFxbGZzJp1dcsik=","/assets/trace-CNSinX3_.js":"sha256-hpWMCk4tLflFSJtvTICCNcdLgVlE4fHkdDnQziVumtE=","/assets/worker-D85i6-Xd.js":"sha256-cKhszxvu9V0B6ZGFhAI7v53yv5DJ6YL+prd15nfkrhw="}};
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
