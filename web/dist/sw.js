self.build = {"version":"CAFUc/GGR8J2FADK","files":{"/offline.html":"sha256-8HcTZR9WT8u43q3U6hwcy/DoK07hcDQPBTzrLdWQS7E=","/assets/Account-CS47MLsp.js":"sha256-3UazZuNpTEUH+6juYo2TzbK4EXuZ8lEASSIGui4FJ+U=","/assets/Achievements-Cmcr4rbt.js":"sha256-CPLkN4HnMWNzN4uvdTnfv1uCKFvmXdHAjkOSAAJp1CU=","/assets/Address-DnPUB1wA.js":"sha256-WiuKUTNQGqMLklLjl79FwVxSyk948spbzh+0zKdJen0=","/assets/Alarm-C_Ec1DgO.js":"sha256-4dQgckDLysfikwDU8iPMRlNb/JrDJcxU760OqycOTEg=","/assets/Alive-CvGerEHn.js":"sha256-VMbOWdulxnDnAZgRiKDWM7FKEpQncAlknLIdxQIyzE0=","/assets/Arena-DoBy8L9U.js":"sha256-Gp02Jw2ZNCCNJ7amXEwR4Qm0NSyn+bM0ev5xUCpbuTQ=","/assets/Block-CGH4dv01.js":"sha256-Yrpqk7+RIRARojRF6iJO4DxqazWVTHdddgrpuDveZkA=","/assets/Bot-Dvu3lvcH.js":"sha256-XpuALX8dlB0/tNTA/spOi2kowpDf4ijIkfaGYh/+cUA=","/assets/Bot-Ra2Ad3AE.js":"sha256-jB95uEMg+oUbCnI6Bg8gs6/XQd73H28y/146+xwzoh8=","/assets/Chain-ChIxAfzT.js":"sha256-lF4oPRLwC4NPaxcKzOKgp+QD+jnI/kEyqEgCfkHwQ4o=","/assets/Cup-l4lIhCdW.js":"sha256-uibrkvnDcpU9CuUE0kZOemvSRvYEAl2b14EUxZIaFpg=","/assets/Cups-eiJk8YLX.js":"sha256-rnujqpaE105L/SoecmNr4CIP8Ye2gG1nV1iveLINDN8=","/assets/Daily-Cm7Pl8Ll.js":"sha256-DOkcD1k5dsP0jYHgIaT5+rfdMNveIaIMrriLUaCpv28=","/assets/Developers-BYdc0Oeg.js":"sha256-KTTmmJPPtwWxTj/38c01JZYOHsAC1jKmMHkSuefJ96M=","/assets/Duel-HWlX3u0W.js":"sha256-Ntwcxt1dd+Yjb0XOS6O6S8ktt+2IgfXE0YKhNtNZAH0=","/assets/Duels-CGVPMA8Y.js":"sha256-Rqur1hoSiaSJ43Q/iWEIAHmLkzYzQKLa6HfUhtxqeBc=","/assets/Feed-CPRpMhYv.js":"sha256-neR7b6B3763Yp4DdeaaKqBc4HKx1VPV13xEra6fDzuE=","/assets/Leaderboard-BbqDmrA1.js":"sha256-xaP/Qd589wRcUrx4Y4YbKMPctJnSJWJ2CqdyQ5Q+rpQ=","/assets/Link-Ex8Nl2ku.js":"sha256-kEbAoDgGthEVgguD/Thzdo6A3we56aYggcIk35sXTgA=","/assets/Market-Cr3M_aum.js":"sha256-r3gt6NBCFOk/TAzZz75CFkkUYX3dxWjX0OK/RaEJKtg=","/assets/NotFound-CvRLI92o.js":"sha256-Z2skeZrgPNvtwxu1Ts2UAZHonW6s4DWvzotmvfJ/55M=","/assets/Player-q0imvj86.js":"sha256-lSaxH+AP8oh+iMsDLFZvG9RPxE1g0rDB1NRyrwuQbjc=","/assets/Portfolio-Cfn69cty.js":"sha256-9cz0jlFQrE0LN5spSJKkw6lQBJ2BkqrmHhr95TFJxNc=","/assets/Receipt-BmvOAno1.js":"sha256-VhdAXjvnpO+R9YcPkLfpCUX4GMYZlHrhybP6hVl1o14=","/assets/Record-Bl1owgYF.js":"sha256-lEjg22cxKAm/mv9pUMk9R3kXW6SKKNTN04mL9r+uzT4=","/assets/Reference-Dq1MT6cM.js":"sha256-wEi3lSgMsckzOvC9+5w5LfG9Bn5wkEzPwg6Q2AANz7s=","/assets/Season-CTTzEITN.js":"sha256-XZjAJmtHzZVVBJcV6pbW/DD7HAfAAthEbUVfmref0pM=","/assets/Stats-ByJM98_Z.js":"sha256-NmV/+d+U+wiZrCGsKc16P7O1rN5CBJhBFctk5ulziS0=","/assets/TV-CNT69v_E.js":"sha256-9OSEorOGWKPmcINkBEezi06Uo/ISbuyBVfQP3Zr5cDc=","/assets/Team-D7_WTzr0.js":"sha256-Ed+xh422IGG3X4o1hh4ACmTERzi9JwVlgVXpfACElwg=","/assets/Token-BmJC80iG.js":"sha256-96KQeT+YXJmYzaP9bvLUU3HVBHSzjfmx472ABACem2w=","/assets/Transaction-BQVqa2he.js":"sha256-ex1ySW+tEHokFxCPdFEiL4tQZW6Jbf/Ra9ejCevcyZk=","/assets/Verify-BE7Yu9AB.js":"sha256-CuiXKABXSRadFQ++frZNtFz6KGU66rmEzLm5LQFhqv8=","/assets/arrival-D9LBtwOy.js":"sha256-H/KedgTjffEw5sCoriCLLel4QzgvqbxVbnCgwgmpVsY=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-C2DDOoAC.js":"sha256-bBOev38XjBD50aEQSmx+9lBMqOfMefYI2zzyj6Eanys=","/assets/bot-C2l7auCy.js":"sha256-yCeH0tXrSpnLqUDw97Rrp5qGo8qTroIEC8GR6kcucJU=","/assets/bot-DEOSDJz3.js":"sha256-a35r1zl8nb+xja/oSCNhv9IEW1TxugnK9769ax/ElnA=","/assets/client-GehOVFv3.js":"sha256-D3fxRT2cC1oq+P9kapAk2IykEAfZsWlZggAEHi21LZ0=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BkHEdZjv.js":"sha256-tSaKUapm12+3GPv1/+OJEwW+cFV28e80hhoZ0KKakDg=","/assets/es-CGkToAeR.js":"sha256-RiKffmBBriCGLDHtH4tW9TD7BD83kAstZZ8saRcBVOU=","/assets/first-CWY5yyr8.js":"sha256-vVT7xlbekTR2FVL0npT4sWJi8yVKGVfQRmnlEYjmxVk=","/assets/fr-CKcDBriS.js":"sha256-Dwn124jnQzFKc7kH3MOSE7TfaPfXosmfKb0hPzXv1R8=","/assets/ja-BpGy-7Mg.js":"sha256-U3+KXYDI9DD7HI3IzWJkquEF64GNptxk6l6HcJ1pqt0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-BX8hCOJG.js":"sha256-yEpgTLNeVzgVnjAZLWsTh6ieSwHgtijDixa72Gq+dHA=","/assets/sound-D1EwRsE5.js":"sha256-8QiMDG3VcYeCKKbm5/Garo1f04qzQgKkz0z2NB0mAu8=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
