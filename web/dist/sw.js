self.build = {"version":"XFcgNkFpiqKDEg5R","files":{"/offline.html":"sha256-e7SDa3q0Kp6jPP6mTbUDCuElz+MackxFg+oD8JhDvr0=","/assets/Account-FS6vlJpX.js":"sha256-NX1nOrzrwVk+3zKw0ZlLaNB+AgMj9qoPsItt/uJ4Oe8=","/assets/Achievements-DgOAlGrS.js":"sha256-9FeJG+liQ5firJZQpgDlmXDmAHIs0c1c6fd3D0A/73M=","/assets/Address-BymsczYW.js":"sha256-Qgw10/TfcxEYiX5v+yAt6ec0vt56A2smeahQAu/c4MY=","/assets/Alarm-HfPtz79R.js":"sha256-tQpx+1q/8352TXdq+p9rrtpJ6ykMemx8ys1n7EXHo/E=","/assets/Alive-lnyLWIQv.js":"sha256-h13Hocy5X8tdoLdby0DfS0XukJZJC6H+nFr0oGNXx88=","/assets/Arena-A-BF5uGH.js":"sha256-2NUwG3wFLRMOVGTslfcTM/QYuDpnHy16keCdQhZHR/Y=","/assets/Block-6ojuIw7N.js":"sha256-uFhXa31pXV9hLambLZ2d/QAPUS3IxfgFa7tZ8v9SFpo=","/assets/Bot-RCehaknd.js":"sha256-sbkB+XUgBR2cnKDS8po4/ZW2ausx7PxoEW8xtI1eu84=","/assets/Bot-Ra2Ad3AE.js":"sha256-jB95uEMg+oUbCnI6Bg8gs6/XQd73H28y/146+xwzoh8=","/assets/Chain-Ml5Ye1CK.js":"sha256-P36rtx19eiT4uAfuJCTUPw8S9C9U2b+WV/VVR1OY7/4=","/assets/Cup-6gtGWont.js":"sha256-lfV/DWOUJKSjTbXQTOe2UKSnWVy6PRArtqoqi+jwJd0=","/assets/Cups-y61OL8dO.js":"sha256-qfn4zNtNrMHSxI/g3pNa+RJ+Bqd3rU8+QTL1igi9g3A=","/assets/Daily-bE9G8J1g.js":"sha256-/uZ9D4NR843VOj/MxtorShjzN9/QRtWguKy5v6EMwnw=","/assets/Developers-VvzYd69l.js":"sha256-cNK3XEqEi8NuNXv/9RJopoigIqGphTTAJYl8amhExDY=","/assets/Duel-Dy-Vb_2f.js":"sha256-fDA0zcZXSLPANAL7lT2DL/Ly0B4Ty0HGDnPDQKVCil8=","/assets/Duels-DnKZI37f.js":"sha256-S9mTcvKY7+Fh7TinPlmaN8glvBsICum6n9RjYUvi5Yw=","/assets/Feed-BhtMTd6e.js":"sha256-3TjfWCaXiW6uu9hTEN6/t55Tm2M1CzSTVcw9CqIj62c=","/assets/Leaderboard-Tf1mcpI6.js":"sha256-aa4ZxreDTuta/GiY+u3uqfn+gvYyGR8xVpKntejNtYA=","/assets/Link-DjDXUIwe.js":"sha256-zzLyPqhehz2z8iae7EjIz9HTtlWMkSFonKODP3Ddwmw=","/assets/Market-BOdvI-qk.js":"sha256-9zXvBAREt9+QHGgpbPu2BIGGxlkAOmmL7OlyKnY4J7Q=","/assets/NotFound-aIYeyGhm.js":"sha256-FOxGXwI5gvpaVgr8LrvenzYVjyw9QAMSh2EIF17BP6E=","/assets/Player-F1SPwdAy.js":"sha256-2ytehYYrgPKkSwBFNBOjiC4Nj7UIqQX+cm1+OK3WtpA=","/assets/Portfolio-BCioqwF9.js":"sha256-nXW5wdqJvRpKl0HzZNNoh8TS7p32Jc90MNMPP3crZCc=","/assets/Receipt-DLNBE9gX.js":"sha256-NsSGwuH38ZKtgkPyk4vRiH4sHodhkFEKVvI/Qij6JKU=","/assets/Record-kNUC6XXt.js":"sha256-ET1T9tnCGWu/+muObV2x1RIL7AgnLsfv3UbynjZYw0M=","/assets/Reference-CMmPP5kW.js":"sha256-t+WZIgGs2uPeF6rBca0WI2KgF8i+1GdqxFCKjQxXALI=","/assets/Season-PY0ogJCJ.js":"sha256-6LoeUZ7UpVlR8oYNgRI2+y0YFXOgClydGrhX/DWPJGE=","/assets/Stats-MG1cHpC2.js":"sha256-wpznnwZ3JERZBgQBUbDTjpoMo6dCSOMwSnSpQduwDSc=","/assets/TV-DdEXaM4N.js":"sha256-Dh+r5/d1q01Z/J5jJFkcMnO9GfcfWdnwd/vrfeebFh8=","/assets/Team-ClU6G4dh.js":"sha256-rmxzwd+TiZUZtKbdEHgowAwYRRuCfg5FncMxW9vN4dM=","/assets/Token-DkUE-sdg.js":"sha256-HjQZhN/LJC2d0E0bbhqHUAfXdXk4nfES82NBQLX+RB4=","/assets/Transaction-BjDOQYK-.js":"sha256-ZHPXE+5KShmQ2pvQB0ymGCChqzlNfeI3pRj7SDks86c=","/assets/Verify-DqVlaXFS.js":"sha256-TN+BFqFk3nbkK1nj57KqFQEynn1ueIfZ6SZWFv6QzBk=","/assets/arrival-DUtggcPt.js":"sha256-qUY5Mny2eaj97HTsnzH4zs4m0xnUOXC8LM7PyuriYYo=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-C2DDOoAC.js":"sha256-bBOev38XjBD50aEQSmx+9lBMqOfMefYI2zzyj6Eanys=","/assets/bot-C2l7auCy.js":"sha256-yCeH0tXrSpnLqUDw97Rrp5qGo8qTroIEC8GR6kcucJU=","/assets/bot-DEOSDJz3.js":"sha256-a35r1zl8nb+xja/oSCNhv9IEW1TxugnK9769ax/ElnA=","/assets/client-Dfz8DsrE.js":"sha256-TxgUULS4Jre87tK0BWA+TBozna8u8dNu8P4pRSQqn+E=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BkHEdZjv.js":"sha256-tSaKUapm12+3GPv1/+OJEwW+cFV28e80hhoZ0KKakDg=","/assets/es-CGkToAeR.js":"sha256-RiKffmBBriCGLDHtH4tW9TD7BD83kAstZZ8saRcBVOU=","/assets/first-DJk-_owZ.js":"sha256-18T9lTlJoeGWvinmXz3uDlgiXNHphCybz/49BNKfXZc=","/assets/fr-CKcDBriS.js":"sha256-Dwn124jnQzFKc7kH3MOSE7TfaPfXosmfKb0hPzXv1R8=","/assets/ja-BpGy-7Mg.js":"sha256-U3+KXYDI9DD7HI3IzWJkquEF64GNptxk6l6HcJ1pqt0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-8ty3EVx5.js":"sha256-ifjoD/uokNNs7IQZ4tythDaLvNijmzifmap0NlX5DWA=","/assets/sound-_8N35nkw.js":"sha256-fCszhZSv7LLRlI73NIMI5sejUZmNEtnm8NgsIIFFU4E=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
