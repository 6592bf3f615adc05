<<<<<<< HEAD
self.build = {"version":"OWfJ37IjYiwb/1M+","files":{"/offline.html":"sha256-6GcJ/Q0tJgeIpWH9lE1SSql4MD17tZ/DDfvEMNT3PtU=","/assets/Account-cqMRl3xX.js":"sha256-89PZ18hcjIJYQXmvWOMy2uWLe+bU8iRbZ3VOD9lIDSc=","/assets/Achievements-CHxH-qH-.js":"sha256-WYmIpL9E1w80Ffa6rfyrZWkL8Pr2wvtv8l9TYKr9zBE=","/assets/Address-Cu3QfxAe.js":"sha256-3xkCCkRh/caFz85PbjZgxBmETYVlUAMyCXGY55quxW4=","/assets/Alarm-DCNe0DKB.js":"sha256-WWXFOw9nz+cEEuuBFuyFmbnPQHSE2RKVAofFkcR+20g=","/assets/Alive-Cwv_Zo4L.js":"sha256-oTEjgqXJca7R2jzoSP022L5Vzp8yWjI9+R8n7C22Xhc=","/assets/Arena-_LpJuWeY.js":"sha256-uZoC4o4hP8Z56tBdMnmqzDNXgvhZn4OhcIAxy5kUSkY=","/assets/Block-BBd8ajsY.js":"sha256-uqVwQzsg/kh5N08FSdmuqTegS7bw+LPIV5bRPBUABCM=","/assets/Bot-DYx2Jclp.js":"sha256-bwyjSVVAmB7lV0O2SQxcTnUGnKBPNe0Px8+rpKFYV8s=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/BurnChoice-DM4p5Yeb.js":"sha256-4/ipOhSK/o3ZnUwJtER+JiOymeBiY7ZnaV1AqzozaYQ=","/assets/Celebration-DL8iEPxm.js":"sha256-mP9CHWKmyrXCotAbJXdo8F5fkNPN8vBH37KePQq42nU=","/assets/Chain-Cbhr8dcV.js":"sha256-8wY0lDJhgSs8GC1X6CNF2o2EmOkTvXZcnaGKSaB/I+Q=","/assets/Company-B-R1oEhI.js":"sha256-JJe+FWGf5ihQtptZEGTbnmm2dSbMDphdqQhkVSCjXpY=","/assets/Cup-cDbPfJ5f.js":"sha256-EPU4KV2R8Guys9diaEJk9woRZCbC8mEn2etuN28i6n8=","/assets/Cups-C11kFBKO.js":"sha256-oSCtZFQ0FCKQDe/6VCk+RdQg2ujbdmqUXO8KN8Cv4pw=","/assets/Daily-DUF-qfNn.js":"sha256-D4bv8QrAO9fJZ33+WtAE3Cz967ZI3WJtqi0lliXlQAc=","/assets/Developers-DW1d6Ygy.js":"sha256-Z1B0/PeOvLjf3kTOPgkbOHivAP4WZExdTmj6/D2THpM=","/assets/Duel-CN4O7poI.js":"sha256-ih/Psus4BcoaRHI8gYS8nrXzpBrMDgw1729ZxnQXEEM=","/assets/Duels-G5_EnI1o.js":"sha256-fsN8CPQSrdyqccvruakwR4aQ6fMqW/ntWDs5ONjNY/M=","/assets/Feed-JsOUw6lf.js":"sha256-huJ8ey+fLgWsR3cC9rIv9osozh3Rschu8KtPKq490tA=","/assets/Help-fNhgnBd9.js":"sha256-5L55Qri71nBQB/DJiQFjR0XTHhUBxx6ZCKga/kDPycM=","/assets/Leaderboard-BESc6wMx.js":"sha256-VdQ+qn6zg170KNKxH46rRcYsNWT8js5OZcSLQMqZ0Tw=","/assets/Link-C4YZUg7n.js":"sha256-Mg+PzxsL8JChusuxnI3EnGoFnLmqX17yvFgUMgiAX18=","/assets/Market-Dw_9m3-Y.js":"sha256-riR8V/zUMJhZaRBm2LDp0yglgn91qkYd8SfwkQmobGY=","/assets/NotFound-9hLq9M4b.js":"sha256-k7ZLbHKpcgBYVL3F2YXlIwdP4jfoYlXjbpGH9X6MQto=","/assets/Player-C0ZDutxL.js":"sha256-49FRPfZhd8opKs28LfOvebudMFJdRg27TfWQp52u3iw=","/assets/Portfolio-zGT246B6.js":"sha256-UqVilDz6V430FosaY6vRev6OKZtXsT2LxF+aTSgAP/g=","/assets/Privacy-DEUbob0G.js":"sha256-GoWWIuDro6lCwLBd3Xrqtr+L4gAxuWyRfRbLw3VZnoA=","/assets/Receipt-DQmeOWMD.js":"sha256-ZAonmUZaxr+g4lUrS88PxQL4p/ssimSWsFXq3qnk2C0=","/assets/Record-4X_95PRB.js":"sha256-OLLNx0a1Tm7ox56+8hj4oioSZtQp9VMl+eHJ9HzKSmw=","/assets/Reference-CfoUyigO.js":"sha256-QBkl9e+rf3FBt8CT4E+YYuslgHm9rD6ap2SEausnDOk=","/assets/Rules-B5heBwIx.js":"sha256-rMoW0adkKSD6V9MAQ5Fd3d3Jp1uj7zig+3FJ7MW0nWo=","/assets/Season-V3Tv2f7B.js":"sha256-aFabTBV3ZR9/geBUSCaV6Ds4YM+l79SDliyGxA2KkRw=","/assets/Stats-DlrGNUvS.js":"sha256-g4dWV2o6ReCELaITo0G7Q1fo8/1KzGxGfKOchls2j7s=","/assets/TV-D9acPhSK.js":"sha256-A8UJyp/I6dWaCwCDmhUDn1E1+qqC1zYqKg4ykSLmdtM=","/assets/Team-DR-444b1.js":"sha256-E+GeRMWV8fEsSCrK4BONcX4KC+cvw6m7l4R3wDItahU=","/assets/Terms-B0Fgikf0.js":"sha256-lrSqGprl1FotaxHaKy2yuTrSSueJq+XfR2n3r/qySYk=","/assets/Token-BGh9yU3j.js":"sha256-Utw+WVhbsta0aDOL3FZUWaf1djJxah4b1WCfkfVJxd0=","/assets/Transaction-mQhlGRAH.js":"sha256-GTsD7VI7Wod4u+ePnLLX/14wtelzFFPh8iU8c24tCeo=","/assets/Verify-BM13zQRz.js":"sha256-gUhvhKrODf5DHfkSvm3p6HYlQu8TX9GLGWurxVYD4YA=","/assets/WhoPlays-D9GgwP8n.js":"sha256-Fs0KHYR7ZBKfdaqL/PXMr/4D0jeSuj/ppxNoc1hpTRg=","/assets/arrival-Dslgd3L7.js":"sha256-xtNKn0wbFJbpmob+RRqjeCbTGDN2z07qPOMFhH+oci4=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-LdjC5JQA.js":"sha256-TyOql1bUf39Xf4ugFft0qLaq0sirWcv2A0Y6OKAPS58=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-7I-fHZnf.js":"sha256-6eLvRKkDhykTr0hU5yeFCTnWJi9j0s333nlqF8dl8Ws=","/assets/es-2vbQXyAo.js":"sha256-N03iENfrC+hYllZnUYay6WTO7VAFl/lx6ekWfPQtFhg=","/assets/first-BOiOGt3L.js":"sha256-RsvClXfpa6tu41yBmtl/dTCm85qDk5r8XXBlrRlsNb4=","/assets/fr-CT-a_vya.js":"sha256-9BOQ7y5iJroyNGXgYCXQjfINo/73b1vfaLPy+Vm0tR4=","/assets/ja-C3PgbXa6.js":"sha256-wJLb3j4C5J1fIGZb0smE3UjY0DInyICBvzPYROPCiQM=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-D9xu_C5X.js":"sha256-N1uUKcNe0YrrRJawAvF4LDLEc+DiJFy/vCQNp+niRMc=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-sYyF1yGO.js":"sha256-p3BsvEe6twQvLxQqdUSYCJjCJWw8hhJCsQR40pKVYfI=","/assets/reasons.fr-CoN_-Jn_.js":"sha256-kwk6tHgeLNJPXIXnd6G1O0Iv2u7pTPqjbyKNX73X2EU=","/assets/reasons.ja-BBaegZOE.js":"sha256-6ImA6Cp0jd48QxPgf8V9iEh7Tq6F10Q5gUIGNPRcnZs=","/assets/shared-DOhTRmT-.js":"sha256-HNcJB+FiYEj1P1GbNDdtL80RBqsr+NbjqjjXJEgj350=","/assets/sound-BaWEV8FF.js":"sha256-3pSn27Go4leAinRJmX+M64PA0EbxXCRKYzhcrpbb1zY=","/assets/style-Bsp87Zj7.css":"sha256-FrI3OWMDh7lqC+5S4Ee+jq3c/EmwkwDU0Yt6h3/yV+E=","/assets/trace-Bl2txYXv.js":"sha256-U3bgQLpZKZtOjVBcXei+S2R0AaaY16dDlrg67egFRNg=","/assets/worker-BWrYUB09.js":"sha256-JFxn/ogxve7fjfjbwQy06LkES0ywVlLJDEWB4h9jo1A="}};
=======
self.build = {"version":"XEUNhGSkggE2tR4l","files":{"/offline.html":"sha256-13Pgz2LFAnWGdeTc9IJ+dOvE6ZZmQFCzuR7E/ViKgwo=","/assets/Account-BkuMH3Ww.js":"sha256-8hjGE2XR4naz+0+9T+Ihj0aAveZt9kwBkefSRXIvIJo=","/assets/Achievements-D6yILj20.js":"sha256-Z7w5Hb35jz1Hr1LLYKEJ/aemjLAkTBmqLq2iIXPSZBY=","/assets/Address-DgtI3nqI.js":"sha256-1P9oOAKIHRxr3ETGD10E6xAnsCSnIRqAsHk7tkz3LCY=","/assets/Alarm-wP1sOyLC.js":"sha256-gJD41sHHxtItybbbH2poaVLgDQhP+XeicgTAL1GVb0M=","/assets/Alive-VGru7eLH.js":"sha256-BxgPHJ7mFzFHGlo2xXdjdJiYkAikD6JF9iPIPqvcmEI=","/assets/Arena-_zFxS8Z3.js":"sha256-m+F9ucsqCdH3uPDrQd5uZNFZ6WRnKRAWzmB/LU5jLVk=","/assets/Block-BF1Ss4CP.js":"sha256-UjBLzO8JLIzo9iJ/cAwUr+nuWYrJfjXWjY12kJaQxek=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/Bot-Dw8FamMb.js":"sha256-kHiRojqT0Z9t1iaNv82NN1tpRzmVFM3VJVHEYl/3g0k=","/assets/BurnChoice-BVj6XNvE.js":"sha256-QoSf+R8qmlYQuGumAAk3DUKm7pp1XAPjuAXZlZnK23A=","/assets/Celebration-CDFMfjcv.js":"sha256-8M8Bx8t1rQnP2HvC6Qw5Ej6AER74pLwwmBBt2hkmIco=","/assets/Chain-6OYE7vBz.js":"sha256-EcVLXJ3CGNWRvRVwVFwj1+hEq27ZeTBWvlqDqEwc4KU=","/assets/Company-bmL9vclm.js":"sha256-pxt9E656tGD7MfdDA9W2bpWWQ6ELCtF6vic4dTc+IQs=","/assets/Cup-BBCWbNXT.js":"sha256-dNtoXTe8oUSJq484BFGNrIeVFPJE3bTamIMx2QyIJx0=","/assets/CupLive-5frwUcdO.js":"sha256-3nNN6vkTzEfNRUcO9MsfsjFlKWXUlizFkIQCKIeCkxI=","/assets/Cups-BjiZMMGc.js":"sha256-d9my0/a70jeyYosTFB5N7yg/mr76/Yfm+MADelLuUsE=","/assets/Daily-BfnWBdkq.js":"sha256-EHBl2s+qulQ+8mLm70H3qA1RthPWQZ7AwsG79sqBDyo=","/assets/Developers-CALozFRQ.js":"sha256-P/7w/7lwNQjbV5o/YuT6EUREQ2FkSrhnyfo2st+uy/o=","/assets/Duel-DFRqNPQU.js":"sha256-VQJYkT+ubTQ0fe5gGsIACXBXIKbyonAE6qdOoL8ORfo=","/assets/Duels-D_lQ7CXr.js":"sha256-oWaNXMQTFzgJnWDiJYavg1y1n14HP84UMnFqOt6G9Mw=","/assets/Feed-AmFDiqjk.js":"sha256-Q7y4zIWaKTOu6WP0qriq0/Y4DKmT3lOevBgqnR+GN9w=","/assets/Help-B4mnngyf.js":"sha256-lsF5Vrgfot6flaf/F4Nx6R4A73kKxC7k6knWiFIsoao=","/assets/Leaderboard-BsEHw3iR.js":"sha256-OsDMeVFB1+9OWYPm09njbirPAR7Xn30gkqxEOP/mZo4=","/assets/Link-C3qxWsz0.js":"sha256-YFEdX6Lou6iiG7h2C9JPPZfzGjB9q/HxJCK0camPWHs=","/assets/Market-BEBV6MDo.js":"sha256-JQ8ntHdQbZZgS+XM4p8ZrBBSWHONrNjfc4KjrLP3YgM=","/assets/NotFound-DtDoiM7b.js":"sha256-LQ51EGV5e1Qo74Zda58ltcdCAnFHKzJmiWAqrQ9ALwE=","/assets/Player-7tLkPUm-.js":"sha256-Y1W0p0z/MP20j5fRYhgte8NCxI5pISDB8E+GcL2Blvc=","/assets/Portfolio-BKoS4AIu.js":"sha256-n9axCymz4XvUYq1IshGRK74MOmVLbyfG4BtRzEo4C+g=","/assets/Privacy-CLZx7KJX.js":"sha256-UYcOoYsepeEPUx+a5iubVZEYaF/drOEOq8AgZRH8Ju0=","/assets/Receipt-CSPYIHDH.js":"sha256-piU5LLGyjJrpHENltHJGRHAfn6qOEjGjYgaE1tcbSK8=","/assets/Record-CztoUxEa.js":"sha256-Vb7/ZbbAv8vPfpLyEutjxUkReF4zZPdhccswdCwz7n0=","/assets/Reference-BPE2h0we.js":"sha256-xd+/1TMcZ8SfGSpe3EjVEoSjjfHmYI3GQIwtjJl8snY=","/assets/Rules-DT-xhA3K.js":"sha256-mtq/Bfwl4zwBRF9LVkItRIuIj1lOVGv/hZDZCED5Yzg=","/assets/Season-QV2mUiF9.js":"sha256-AYMEaXsDM+tadamjml6h/KWriMX6FmGQyPV9a8fYNpY=","/assets/Stats-Bh4-KeJi.js":"sha256-29mfN0PEpgIX2ijYjHQEufbAyOA5wF3B6YcjC1aFXgM=","/assets/TV-C6gJK7En.js":"sha256-eanqGCK7i3bXjPz4US/Y/nU21ioVG3VHiNVgko5afvQ=","/assets/Team-DB-M8XHt.js":"sha256-HHdf2+2GP9sTCfibmtyeaCe4rddwlQqLBr2fBvzHO58=","/assets/Terms-BZNP3Rvx.js":"sha256-QpSFURzUh9elPRThOTRHbm1j20bL9zS0D9hHDQY+b3o=","/assets/Token-DN0L4x1C.js":"sha256-LS1xzGsrUBipPSOqQ178HMLQEwCQKyoDUL/jyyz2F5I=","/assets/Transaction-BCbGxkQE.js":"sha256-tbOwIY6rxXCBJEtRn27xj8963iPg4CDHCxkZMSspyZc=","/assets/Verify-DMQdM-ZS.js":"sha256-okjgHGcVDGKLIi1mqjYd9UQl+Y8TSS6abEU432UkfCA=","/assets/WhoPlays-fpjXWg-Z.js":"sha256-b4jrrSx9pBO8H/djE4BpePXj/Bt2qNqj9MVrNWxdZZg=","/assets/arrival-BznwvieR.js":"sha256-IkzdFwJErFxchzSMCchSH1GvpjwlYcWCgF+oPPjr/3s=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-C4NsvhUR.js":"sha256-QgNC0AjynJeHePjNsgtUNxDe855SCi10P6vnF/3Za7w=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Jlogju1M.js":"sha256-20XDi2ZR6IL9FSaOd9l5V3ValsTogdfUnFZYq6zJ84E=","/assets/es-BGmQMIRb.js":"sha256-oEABDeHL9+SFuoBegy70icrmLn/Eh389Tt2ZgYjySjU=","/assets/first-BIrXdU3-.js":"sha256-hNViFsbxCJpzVS+6KyRnJFVFIwGmFzrz6wG4wOaK1Bc=","/assets/fr-6MmgwB9i.js":"sha256-/+klkH4cZY1OrVQBG+MwO4iLnpPTllIoDplfK1eaYzU=","/assets/ja-CoQ0PPWN.js":"sha256-ZDckUq9B8qH/yFnoqyMIfeyjlKtWw62OrcR21PtTLBw=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/reasons.de-D9xu_C5X.js":"sha256-N1uUKcNe0YrrRJawAvF4LDLEc+DiJFy/vCQNp+niRMc=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-sYyF1yGO.js":"sha256-p3BsvEe6twQvLxQqdUSYCJjCJWw8hhJCsQR40pKVYfI=","/assets/reasons.fr-CoN_-Jn_.js":"sha256-kwk6tHgeLNJPXIXnd6G1O0Iv2u7pTPqjbyKNX73X2EU=","/assets/reasons.ja-BBaegZOE.js":"sha256-6ImA6Cp0jd48QxPgf8V9iEh7Tq6F10Q5gUIGNPRcnZs=","/assets/shared-Cy7uQx4V.js":"sha256-3hcBE9OtzhFus02VRpLc5wjOknvLHMI21rgs6D5VCFg=","/assets/sound-DhhCkBMM.js":"sha256-I9NmB+hLjsRrVhP302LPf3H+rUq1mLjN0lsqNKPlH8E=","/assets/style-B3uQMP4I.css":"sha256-GOMQCmUzCSF7zf0gHS1jHC68QajP2BHvb2UrsHYj/+4=","/assets/worker-CW8nbI0u.js":"sha256-TWu18QZ7CMPoU3HhghAsV2ni6GCL2RQSABDCd1boK0c="}};
>>>>>>> wt-class
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

/** A file with a digest in its name never changes. The browser may have evicted it. */
async function asset(request) {
  return (await caches.match(request.url, { cacheName: kept })) ?? fetch(request);
}
