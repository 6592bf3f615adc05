self.build = {"version":"i8z2OmRguQGhln1j","files":{"/offline.html":"sha256-qRpGRgetA677AQ2T5h7mQhhu+MCmoQcwUQ3YNXwk/fw=","/assets/Account-BbXG5EzP.js":"sha256-4peTZHdKDvMTl8vcAeUS5gb7Qtmfz1FB0HhIz2XQjZw=","/assets/Achievements-BIRzCaBq.js":"sha256-VznWKWPGrAIoFBMJLI+Eou0mmqPCU9UFxLGBrncA6bk=","/assets/Address-D5QA6HhZ.js":"sha256-W1+BQiI3wFOutYg7LCkf50DGj5qU2IbA5zO8h5BZDIE=","/assets/Alarm-BRC47aXJ.js":"sha256-my7DPUxZwhiZW4wGjIo2cCDt89DxWhix26QotrQcQbk=","/assets/Alive-cAzQggPS.js":"sha256-MJRkrTrWwsmj9SCx7knpN/cbhZLmWDFtkHIJDhCX53k=","/assets/Arena-B-P4nhaG.js":"sha256-suAu0J3TpU56JLko6LjLar3YoicbCAxO534W0EHJtkQ=","/assets/Block-B_qWkzb5.js":"sha256-NZnLHW8Vhk05BHxN4mXPwDtqCn4NWC43MUNRRoHqjw0=","/assets/Bot-b0UHYx_i.js":"sha256-R54D+Ykh0VL7RbtvSuaUWDI47+BEzgGN34m7fgnMhhE=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-DjbK-PyB.js":"sha256-iI94+GktkIalQu/Oi82uN3c+t45rLKnb7Syw3lvCb+A=","/assets/Celebration-CZigbhM8.js":"sha256-BGvImKuLhZDlEOLvqyVGSqyRoQoudHVcCNNgGEts2lw=","/assets/Chain-sQpuhtsO.js":"sha256-9mu3ntILmUrk/BTw9E4/TP0iquWtRb7+4WP22sh1IHY=","/assets/Company-B-YUz0Np.js":"sha256-1sK56zo8+xBsLRKUcID91gVH4g1AsapdJrCYD7QDSqw=","/assets/Cup-DcD1iis7.js":"sha256-VyJ/EnpdSd1AG+QOzTwV3kRr5iK96IEhA/1/0VTg25U=","/assets/CupLive-CIFOOrQQ.js":"sha256-d/bfOaCQ/LD7cXu5wY8Khp9iKbRmrdBPjEHm0coFKOw=","/assets/Cups-BSQS_Okx.js":"sha256-yO6OCqV7NUDe3XBLsPQpx3Uztu/iGpYy11NvxQc6H4I=","/assets/Daily-w9B61rWB.js":"sha256-tsRsRlwQSoWf1tdDKN4XcDDucZEYMnwEsuDVpfhriQ4=","/assets/Developers-CjsgEGhT.js":"sha256-2DsHePbRA/AoSjhzaOSVbZEI196JBEjUyh00mINb8gs=","/assets/Duel-IMGfZO7t.js":"sha256-iBdhdHX/QimYZa9kZdttsncPeLvdzbVJ2GCfIqUfvJ0=","/assets/Duels-DbqAbm1I.js":"sha256-l8gIfig12mvTFrJB9pOev2uqPQd6SwL1//19Ha4bRmU=","/assets/Feed-dAI-nAn3.js":"sha256-lhOF/eG1DjFdN3ygC2VUvAQ7w/iKspKsRNOMAuKOsSI=","/assets/Help-ClKaL_6d.js":"sha256-q3Wm9c+3FACouCq2MQA0CsKN4FOcCmZoWgRysNLdibw=","/assets/Invitations-b_uzRc86.js":"sha256-ENn/PFajX/xsIFXXpA+Ygj2uCAgugWmmLWINr6w0upQ=","/assets/Leaderboard-hULUETaM.js":"sha256-6IGIk0GOMW/Sc5QTTl15Wr1AE7n3QkxQ0I9dTy19qOk=","/assets/Link-BUEztXL3.js":"sha256-GXUY0XNBrZ3mUiCTVnkF0v6fUI7zFe36RiqobRmrr94=","/assets/Market-_7-5GadJ.js":"sha256-4bErkrCBrL6fQpnyrE6KW+JArHgHIgJRGmrk9BukZpc=","/assets/NotFound-CykrodYw.js":"sha256-n1Cxxv1ODusSzL3saUa4m5jj+1vVKa4dPZNizL6CnvU=","/assets/Player-B0Lsv7S2.js":"sha256-vouygg+SzYQ2ablWdprrbepkGTS7XXWJMN9rEduzAjg=","/assets/Portfolio-DOuMLUO3.js":"sha256-QHNUB0dnef9dmZgamjNKxSt2suWadNMi1+SUo5UnjFU=","/assets/Privacy-BPaHlsn2.js":"sha256-zQW5XgpG9UubuPnewlmZTiB4aoa/9/CGDFuQd2lWqsg=","/assets/Receipt-D1jQiydF.js":"sha256-eDb+a0LzTScP0RNwNFwQHa44eTAnbDOf5mcpRTUn5aw=","/assets/Record-Bnd6Z4DL.js":"sha256-SqGV+P0CjDXulmKlF98Q5sMnAnAGMWM9cZfN2DpS6Vk=","/assets/Reference-DFO_LT_Y.js":"sha256-bgwRMfm9Ztavrt3TzWfn2P9OUPnaL2ZqDwwcj+Cfp68=","/assets/Rules-DRk-dHpo.js":"sha256-TbFVRHx3x1cjA3TV9CrvpifmjqKXknG4ZDnYL3RIVM0=","/assets/Season-8TfSLfeL.js":"sha256-mDWTyNqe70x1aqnvJ2NDb7GOnIN/wigQNQj0XOAxvR4=","/assets/Stats-DZMUj3Pm.js":"sha256-eopBW6u31lfMA2ar2tVm273pJDIw1KglCWqmMblmfWo=","/assets/TV-D-OXjqsI.js":"sha256-wr3+Gp1z0XoJEeHkvrXRw9J4mEzjyhYRHGe5NGl5gUc=","/assets/Team-CFnKYZLU.js":"sha256-mod5eWxyb3qv9ENtYysWe86sxq3exMPug/urZ95w5fI=","/assets/Terms-BkAtPR85.js":"sha256-yjFtbq+HsRfFxYIBJsu/3hGhXjT1+TXGgaDhL/tbzvg=","/assets/Token-BA-gv8Mr.js":"sha256-7UFTmvZbNoZGBotIfoS47g6CgUIvWDhCRC+MaoTu6WQ=","/assets/Transaction-BmkhFIiM.js":"sha256-y25MZ8GKybMfveCvg8CoKQqHIM821npRNzsytJ7u4xI=","/assets/Verify-BZPsiuFw.js":"sha256-nyruxsP3Z8gw2Mjqr88fMmjvV8qw5pG71eR5r+80eqE=","/assets/WhoPlays-B027aKsS.js":"sha256-uwFWTTqRE7AG6gp0e787MY5zrs8TeEFtLeOLpqbsy1Y=","/assets/alive-CHze5GP2.js":"sha256-jfCk99NF9mkg41ufJ0td2B25BZZNY3UM5TjmBVqseyY=","/assets/arrival-B0dOluFi.js":"sha256-bwDMpp9iVqfwDdVujDBeUg+HP21qIFEJavUbIAy1Mpo=","/assets/bot-4Fn1brfH.js":"sha256-+Fr06JlteL51gguFu8sFXlWCnO58SGJ+L/RrQhbbowg=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-BPWZlAzc.js":"sha256-CBxXFoyKJbNFr5g8hxqSznJ6EZ7jWMNVlBSTmsb5Dz4=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-iH0vmsku.js":"sha256-sNjCV76QI4OfIGf70LgbByuS//+9NBrHbCKytbQnBjA=","/assets/es-B08ep8aG.js":"sha256-D05mUHnQw/jxNkRR4hKB0ePd/AknAp4RiwkrBF361kw=","/assets/first-Bxw1Bj3J.js":"sha256-r2b/CBGRa2OMhlxukFrtann1Jwi+W2IANQy9vPW6yyA=","/assets/fr-DvO6H1we.js":"sha256-/VHBnnGudLp7L4iFzts87r93xYAI/rFPVD1BsJVW4dY=","/assets/ja-NlXzfePk.js":"sha256-BhYcOWWKXtG89e+5eXCSX1kqQ0l+bUOQKJoTFlWPOgY=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-BRRFA1XO.js":"sha256-hizaINfg2k8ULw1fyahmoRrvS69rGDQ/TX8OSs97tog=","/assets/sound-CrCyj950.js":"sha256-5nVaStvFuPMxPIpQZReyHHZfuUNmp5dnCr0Ozwih/lc=","/assets/style-xTK4SEyu.css":"sha256-nAJLtM2Z3bS8K5ewbrlSqcXsEUY2+KEvIQTexLAhOS8=","/assets/trace-CSFrJABt.js":"sha256-yr1yKVVZ+IfJoFAGarr2umOyeZicAFgmm4ZMkFYJHb0=","/assets/worker-CB9Lx_ww.js":"sha256-keB53ZB30YmVGO0Mh1nRK4tdtOuzv8/mzEd3w3UYJ1w="}};
// The service worker: it keeps one whole build of the page, so that the page opens and verifies proofs without a
// network. The build puts `self.build` before this file: its version, and the digest of each of its files.
//
// - A build is kept whole or not at all: the installation fails unless every file has the digest of this build.
// - It is replaced once no tab uses it any more, so that an open tab always finds its own chunks.
// - A document comes from the network. Only without one does the kept document of the same build answer.
// - A document below /docs is kept when it is read, and answers without a network.
// - Answers of the API, the log and pictures are never kept: an old balance or an old block would be a lie.

const { version, files } = self.build;
const kept = `roshambo ${version}`;
/** The documents below /docs that were read. */
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
  }
});

/** A click on a notification (stores/notify.ts), whose data is the path of the page to show. */
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
