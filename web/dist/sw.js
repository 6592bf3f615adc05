self.build = {"version":"cpiqZowekn8QLiLB","files":{"/offline.html":"sha256-yUmIhCbDHIZWQgd+hHtwWW7C4eRTM0qqAcPqQbg6aLw=","/assets/Account-hMHKMGpa.js":"sha256-I/t+2k7hmur0DjuNzgi6sreN1zNfyGziXA0NzK/hfJ4=","/assets/Achievements-DeAz1wSB.js":"sha256-1hh4eHFBAnrsCrUzm7CFaMvgfGxUIEWPTi5RIlYSNUk=","/assets/Address-BVSFM2__.js":"sha256-WimXYz4I2pwjbiWx1RbvzLTL4+/MXGSG8jhvMYmUQ+0=","/assets/Alarm-CQ4Lmnc1.js":"sha256-rP4z27nJJJ++GeU6M8eQLH7tJlpqc7eNxCW8nbIbxHA=","/assets/Alive-DKf-0DIL.js":"sha256-pfVhKR/QbgazntZLuwlSTr9ZthDI5odfb8yPae5o99g=","/assets/Arena-B0m1YMqp.js":"sha256-+qxRaBd4ErrXmUr2a10rfOP0phUbeBq82LoSXGlgdjU=","/assets/Block-BjPgQMmv.js":"sha256-uvB1K1QnPeEQPt3n/71CYh7eCDIe2tkK9ZIFs43+as4=","/assets/Bot-Cgvycld3.js":"sha256-/kH9EyEI7TBYKByd7CNrBPlWE4rio0yGW0f4TzTE6+s=","/assets/Bot-Ra2Ad3AE.js":"sha256-jB95uEMg+oUbCnI6Bg8gs6/XQd73H28y/146+xwzoh8=","/assets/Chain-DGu5qJDq.js":"sha256-i5uWU7FnJBd89dwONtogwgfzHPgI2MuXrY1EoXDHZrM=","/assets/Cup-B5ihZ07j.js":"sha256-X8ohADbrztXPgLGf1ikS2QyFJN1Wy1vJYbTq/fmiUV4=","/assets/Cups-Br50PAIz.js":"sha256-3YZ3xDsj2/OjMOEmjQryzrnfXzjs3yo+UhjiFNpeiLY=","/assets/Daily-Bs0R0qm8.js":"sha256-ptJ5+mAk1lr2YO/1RmX5OVODm05JpjjcpIpD6mYZxY8=","/assets/Developers-BVMjjGwK.js":"sha256-OuTqoKzzRXYbdkloD4zc79esd7420eM55GU/X5lGs1I=","/assets/Duel-pzqCUKii.js":"sha256-2moPSR/jxusxRFwuDfR1UbgxyngM4AlcEPmjJyAMvAw=","/assets/Duels-BoFZhAwa.js":"sha256-GtjeojR0UyjlWUNyGBHeCqUB6i/x0YKdF559ZkKetvE=","/assets/Feed-8ZWO4Axx.js":"sha256-BDoytVeatu4HvKcQTdijmZ2EuldleQsEvx8dTF6Um0c=","/assets/Leaderboard-C1aQcPVe.js":"sha256-9fobcqNtVf6axZ3QGORjbr3w/Lq/BbWPvpRpODwZyGk=","/assets/Link-ChrBUkjg.js":"sha256-Rdi0nyu9SXWNGOQSI8yXY3nTW0Yg0fmB7nof5MXY9mk=","/assets/Market-CdGO_FX-.js":"sha256-xcBUtWQbs9t02OvGDZDUhOqsSoyT4DhJV0liUqBltIY=","/assets/NotFound-jIZ6Vh_j.js":"sha256-icRvLkkdykNkFTc6De+nF8cCWpb4PZ6FpldSKsjeN5Q=","/assets/Player-6KW588cE.js":"sha256-GG0UrIB+rWbYhh+qsbb9rBVeLnIO6nCZcVBnmUtbULI=","/assets/Portfolio-CBqSXosp.js":"sha256-cNplpB2PQWRMtK8Yum7jl2tYz5A3p/3JnYXaCOcNwXE=","/assets/Receipt-hT18BcCT.js":"sha256-idgEjTvGks+rZ7otN4bxzH7eoMf5yrdk4H7/J0lT3ps=","/assets/Record-BBdBvXAz.js":"sha256-Ga4P0fH8XgmuWIbba3bGzaioJpjRLzgnnUiMZPOqkaU=","/assets/Reference-wExtnBdD.js":"sha256-K49ZcPQV0sSY2Z7GtseWbP3jSNYL9e3EE44cafP3bcc=","/assets/Season-1t-8TcF-.js":"sha256-hUAognEFo+YiD7nAQFqCSItTBih4psyYMW2H7O1BnFc=","/assets/Stats-0b4PQgRA.js":"sha256-Kic2WWCGoiOJzsmM3z36Bs2Ytn+2qMlOJJzFye7zzrE=","/assets/TV-DDzJ-VSc.js":"sha256-lQQdpORdOjFEsdP6PZdraKe/ATO7CuWwcV3j7pWoPMg=","/assets/Team-CjcVGVpt.js":"sha256-U8UwJkRQdjiTF64ckfSpdFI/DzeEX4UyfqljadLcOEc=","/assets/Token-EdP7-JJS.js":"sha256-Tkg2vT2eGnxUCVpuaJ4td6r1knDMZfcRWh3khY9EzXU=","/assets/Transaction-C6dPF3iG.js":"sha256-qhGq17w+EJkTNGmrsw4Zpa9AnijNgPO5MqbOfZB1Sd0=","/assets/Verify-CXpGUHWM.js":"sha256-ieDi9uGhZIGhkqNRFKhjTz3nnoSVX9mlx4ij/sMev0c=","/assets/arrival-C7BxzCYt.js":"sha256-tLSU2k+Pk9s1SsjzeH5Xb93QAO7bzbPPEfsl2vjgt4c=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-C2DDOoAC.js":"sha256-bBOev38XjBD50aEQSmx+9lBMqOfMefYI2zzyj6Eanys=","/assets/bot-C2l7auCy.js":"sha256-yCeH0tXrSpnLqUDw97Rrp5qGo8qTroIEC8GR6kcucJU=","/assets/bot-DEOSDJz3.js":"sha256-a35r1zl8nb+xja/oSCNhv9IEW1TxugnK9769ax/ElnA=","/assets/client-Bn9m827S.js":"sha256-yFvlMllKtWYZkChhxYOd/I86JHkuUg00PCumpg+uh60=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BkHEdZjv.js":"sha256-tSaKUapm12+3GPv1/+OJEwW+cFV28e80hhoZ0KKakDg=","/assets/es-CGkToAeR.js":"sha256-RiKffmBBriCGLDHtH4tW9TD7BD83kAstZZ8saRcBVOU=","/assets/first-C9hqaQLl.js":"sha256-ztQPi9TIwK8rJkD529pO8LnqCF6ABm34XRe/ODJdK2k=","/assets/fr-CKcDBriS.js":"sha256-Dwn124jnQzFKc7kH3MOSE7TfaPfXosmfKb0hPzXv1R8=","/assets/ja-BpGy-7Mg.js":"sha256-U3+KXYDI9DD7HI3IzWJkquEF64GNptxk6l6HcJ1pqt0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-COTkzHvs.js":"sha256-Vuq/jFSibQrI8JY9lb93w4wZyV1x1Sg+FEfCR7M+PY0=","/assets/sound-XXbczS2L.js":"sha256-v2rR5mS4XR9Q6mx+gIDa6CEquhspQPXVf9H93HdqOpk=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
