self.build = {"version":"UQC6kJjy3f93BDKZ","files":{"/offline.html":"sha256-0UFkFSkuQQLIyGT2qHjHDiD0ObS+EqesDOpll6qoWOU=","/assets/Account-D2rxzj_6.js":"sha256-LO3oje1D2O/g5RaXGQIdupk0B4eSPIElaKHiv5CMUKg=","/assets/Achievements-g8inttdh.js":"sha256-hOILRwiPOjE4xFYpVVug8v96R89ynUW9D0ZZRv9ziY8=","/assets/Address-BoCKbzdu.js":"sha256-+lP2jxoN1AyjOWm/EXa/MdVnDnGF/KFY46LX3Xvmx+w=","/assets/Alarm-4awNTNZm.js":"sha256-jrYbEnbMHSyW3of0y0rzymGL1SXJuiTrZbEguCdvc9U=","/assets/Alive-CEeNkCcE.js":"sha256-xSwT4hpbOZNiJxa2MorVye3qY4XOj7wdNapbU40ybnE=","/assets/Arena-CeGPl97C.js":"sha256-2n32g+uIEenQ2DTMpvUmcPxBFGialflBIOTYZ6MOQCk=","/assets/Block-C45sSUVb.js":"sha256-28llzwHDH7VzDKZi56Fh0TFdKBrm5c89WhhjWIqXCx8=","/assets/Bot-DYd8-oXA.js":"sha256-/fK84MeiaKO9Gv6FLIULuPNE8kbE4PYzDWtFXAcRcXY=","/assets/Bot-Ra2Ad3AE.js":"sha256-jB95uEMg+oUbCnI6Bg8gs6/XQd73H28y/146+xwzoh8=","/assets/Chain-C7tSpI9c.js":"sha256-CNpYOGgHm6pahwnUEcVDh1Qt51Yh5t166eyNXdXFkco=","/assets/Cup-qx7-JhAN.js":"sha256-KxugXjNw9OCaTPZ+7TdiRcCh8n/YWMYa5tMlCY8eVSw=","/assets/Cups-Dez4c2Tr.js":"sha256-fh8yoH5bGhmQwPDs1RGmIHjXknLMLlRf55F0zVfnsYc=","/assets/Daily-Dp7QOE9L.js":"sha256-DDoB5zFbTGdxlb7mdKb8cmBpRKQhdxq+A9khTiBrKPk=","/assets/Developers-DS5tQJrJ.js":"sha256-G/0+lQTdb5Zx7IUbuCHEefRuffxhQi+wr/eoIuhxehQ=","/assets/Duel-BZu7a9s-.js":"sha256-vnrdxARvTxSE0GGn3UKqd9cRf+lxJcjbOc9v2pR+ca0=","/assets/Duels-DT0P7LwA.js":"sha256-8Lqi70oF3RKSfVY9HLFPx+/ur9wg0WBXbkZ8Aj23b64=","/assets/Feed-BB0NDVDY.js":"sha256-ZPRP5+U1sUl6QiERS9D1QgMqeCOQ1FoTSogGl+2HmdE=","/assets/Leaderboard-B3_lUrBt.js":"sha256-zK2VIDA5FmiDyKPFkw46htu7rIQ9zTBKnt8xSW/SurM=","/assets/Link-BWWKeCvU.js":"sha256-VueFCBLGPRXAT9kxBPAMBPZIMx0T1E79J0UA8rRz52w=","/assets/Market-CwTmJS0s.js":"sha256-f0j89GVoYclN/FCuOvmETyyquDIHZh/6lqct8utq5kg=","/assets/NotFound-c4CPK04a.js":"sha256-9UJygaHQcAYTiykV+vhaleCLKTcgpeHdhbdvrNAG7HU=","/assets/Player--WCFQ5-C.js":"sha256-hYnMtZ125ndxRiNyKqSTkDliGCHV5pNQKiCvFVBCYjc=","/assets/Portfolio-DKj8OOM4.js":"sha256-cjzdMBiZO4P58pQRYjsotBVdDZxzarNPAvkfjFcAIFk=","/assets/Receipt-Dxy0Tpbh.js":"sha256-WGF29h6RnVYPcaMae434o+MQLyJbjLNvzhX5O9sdRDk=","/assets/Record-KuA0A7Jk.js":"sha256-2qLIGzx/ns6+RRktSTousM9d70n+WgypPmzkgvksl2U=","/assets/Reference-BhnGrYJp.js":"sha256-jGIS2MfW23xBpKhZJ/bY7X9ZCgkXvHZxVZjg00WfSps=","/assets/Season-DTtnQUJF.js":"sha256-/I0h+UZYPU91hVCXJmxq+Zpfa1kGiVCf1hbnen7sj9s=","/assets/Stats-BY32CteF.js":"sha256-oKpwDSydnlkCHaaMyFu3SS27ETaaOS/Fa9NQcgYC+6M=","/assets/TV-JUJ9OGjx.js":"sha256-nDDixU8k2tYPOx/zfodk98zZR8RiUkgUanl3ziDzIkY=","/assets/Team-x6-eJnHd.js":"sha256-hPqtdPgtzQP/d6bggpuGGkCdWE0xqNZj4XMuaqFOiD4=","/assets/Token-DJTwo9XB.js":"sha256-EQSD9C96q88y7cH1Ol82lN1EaXsNi++yyJEczix7N3k=","/assets/Transaction-DXp7fjmq.js":"sha256-s9AuHJaOZD1a0msOBJNu0e8IZCwk6A/zK+dDDQHuhZ0=","/assets/Verify-CC1Uwbg2.js":"sha256-1n0LlDFvafXOWefZisLkCVi4eeHDDg9fnwNCZ7V0gwg=","/assets/arrival-DVmzFeVJ.js":"sha256-tWRHqdvl2YKc5RBnaFBE1BAIomTqDOhz75MPJM+CNXU=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-C2DDOoAC.js":"sha256-bBOev38XjBD50aEQSmx+9lBMqOfMefYI2zzyj6Eanys=","/assets/bot-C2l7auCy.js":"sha256-yCeH0tXrSpnLqUDw97Rrp5qGo8qTroIEC8GR6kcucJU=","/assets/bot-DEOSDJz3.js":"sha256-a35r1zl8nb+xja/oSCNhv9IEW1TxugnK9769ax/ElnA=","/assets/client-CNxRNJUk.js":"sha256-FKkMpQvfQpv2sXfPyx+MaD/sQlflyhFf0D9HSSAyGyw=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BkHEdZjv.js":"sha256-tSaKUapm12+3GPv1/+OJEwW+cFV28e80hhoZ0KKakDg=","/assets/es-CGkToAeR.js":"sha256-RiKffmBBriCGLDHtH4tW9TD7BD83kAstZZ8saRcBVOU=","/assets/first-DERhVmU3.js":"sha256-TJtxkYj4PVcwxoACbPwWRAnoraIxqW8Q8eBoY+jqh9s=","/assets/fr-CKcDBriS.js":"sha256-Dwn124jnQzFKc7kH3MOSE7TfaPfXosmfKb0hPzXv1R8=","/assets/ja-BpGy-7Mg.js":"sha256-U3+KXYDI9DD7HI3IzWJkquEF64GNptxk6l6HcJ1pqt0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-CwlR9faZ.js":"sha256-xHN7CYnKoCsei1nWghyT5kJeUM19yKvz0a1A+d8IqKk=","/assets/sound-BuU3i70o.js":"sha256-xNPfyKZE+lF8l9mWOMZ+juKeJbmdCp7xpu+AAD9V5+c=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
