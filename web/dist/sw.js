self.build = {"version":"oLNHy1KexBhix438","files":{"/offline.html":"sha256-eFqejNVpDy9vcWyQQuwdZrexV2Ia/XX2un9Ea6ggwSQ=","/assets/Account-BGhqStO2.js":"sha256-PzZC5sL8OTni/Es/M+hUYj4rYBxNQb/Hobee/THrlD4=","/assets/Achievements-BQHH-kOf.js":"sha256-XE8G+0YO7Tmf4MXRiF6HKtcuCnc3p6mPX0N+lwultbk=","/assets/Address-QhQLFnOP.js":"sha256-Joy9mCGY6T9Lmjll7f16GENfZCYUGg9Bg06YuXTYEFY=","/assets/Alarm-ChO43ZFz.js":"sha256-9ho1l30e0etTOrrjuu/noMOMXTfoS+OD3lWPKpLax4Y=","/assets/Alive-DOmdY32Q.js":"sha256-qqpBDlD7WnxzGB9Im8aDiA6o/H3rxT95RE0XvRIUeYE=","/assets/Arena-CxPw8BML.js":"sha256-r365S+9YN3DNt5mIhURpjWgMsz4U4E2qqykLV9cf60s=","/assets/Block-lATHIHrl.js":"sha256-Q9+r08jtlY3fHk/rW0xxCtB+WaxscHWCC/2cnSr/ptg=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-DJMOWbvm.js":"sha256-l3YMcmCW9fnggzJK7KYA25L4ONcocQU95bxUsc8aA6s=","/assets/Chain-DQxBx9zC.js":"sha256-jAgQSXewHRKyL3xv1vGLVWslojgNeOwGR4Cd6m2gMqc=","/assets/Cup-DiOZg__V.js":"sha256-+oGLUPiuLXc2H6tucZ92lp/d28i63ErHJObwxhZQkM4=","/assets/Cups-CfZ01iun.js":"sha256-VRr7cA0zqNvLP6sys6HDO12Qr8S0y4Tmttn4M6A+CkQ=","/assets/Daily-DE8DH9rB.js":"sha256-9kWM2dTsWUDyftHJSUDBycJb7dZu6Aby5yEWCJUEv4A=","/assets/Developers-DKmO8AVQ.js":"sha256-9ZunekYnayQsN0bRSVOzYqe6uO3vm6n8hxAFzYasoWQ=","/assets/Duel-NXlkXJBN.js":"sha256-AcH8//b7DSixKk77yzwAvfiyvJyQ9cqZLyheNoKyGNQ=","/assets/Duels-CM8NxBGu.js":"sha256-SjSbCKpKN08RY7CXFKnwqxEuoTZdI2alShLpHYbFdJc=","/assets/Feed-Dp_8d5IF.js":"sha256-Ht4qvA0/NsqLDbcKvSgtNt3TGIlbkJt0TCK6c7uxbq8=","/assets/Leaderboard-CeAOy_7o.js":"sha256-kawyWtYmSTD7GeVOkePyyc9QxLjoBf6dcQkKurn803I=","/assets/Link-ByQJgqBh.js":"sha256-hBbWXzGkYmGvf1in7amphbZ8oUBLzK+5KxRYMLmooaA=","/assets/Market-Bh1CmYSW.js":"sha256-hjsgBsuP2OqyA7tfFCgmhdafv0EZiVucZUV7jSEQlbw=","/assets/NotFound-BvhfEQov.js":"sha256-kbIzItso0muqzgMbfKC6VihILmZvHr6xUEPnIQcInDo=","/assets/Player-71faeXau.js":"sha256-RdQ5ln4Hr2cgc9t8hiZxIT2hV1mNUMd3/6lollkFemI=","/assets/Portfolio-CdMusLL_.js":"sha256-qvX7ej3Hj1IJ9kuLbwjMBeIFC84XLt9Q1PYNFd4wB70=","/assets/Receipt-BzV9xHZ3.js":"sha256-I5nOtQwHmq0FoKC5P/UyTJB78+IyVLfLw5pihVS2RPA=","/assets/Record-Bv_HN-WQ.js":"sha256-UnKn0Fk/A0sACxM9kRYdC+FliGllm0zxb3yPt/PQZnA=","/assets/Reference-DJm0E6wh.js":"sha256-6ujEY8C9XjkAGtqkk5WdNXHCUmD9fmTHVhT0mFeyFDg=","/assets/Season-DcwQwJuB.js":"sha256-RAo63QWnu7so/N29TOsKKRKg+BUCPiGU+gyHVnp6z/8=","/assets/Stats-BrfgVwjP.js":"sha256-kLwE9jUTrOFNi45S9jUd1yqhKfEaRVEY+cppW7XEvl8=","/assets/TV-BGKF3US-.js":"sha256-KvRpO8ruN5XwZeoeB87eN8uKqE+gG9QEDS++AMvq03c=","/assets/Team-Bx-FMdET.js":"sha256-GjbDJPBHaJ51NCucHaUK0MXBSxR0T5kCggXuahty114=","/assets/Token-Dp8qQkPT.js":"sha256-E39uKBGK04z4oC2ny2Sbf5YnVvioGdixhJdIMtpdkTQ=","/assets/Transaction-96o6m02G.js":"sha256-jbookDhrAeikZJgMSdQPMZAAlPbSuljwzFfDRu2P/uA=","/assets/Verify-DnjF3GMp.js":"sha256-+fp+SUXRSIRavCcYTdqk/e+qZVAkudI1xWYjJaqbezs=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Cbqm0DEy.js":"sha256-fPQpOWhXOofTQnlqSgrCve1NJf5ZxyPz5gPywWzpXto=","/assets/es-F19BSIpj.js":"sha256-MrYlN7aW0q+LJ6Sm3wa2q1D1inj1+9aZ4jfTlmTnmlk=","/assets/first-CKScE4k5.js":"sha256-WSwxhVrtH9OIxfz9Lpu4fobAL+MFdbMzD3bz9WQqhR8=","/assets/fr-BeNmsQgV.js":"sha256-aRsuWMrZyBJmems4ebtt5z/OTU9eEKFYECq0DwtjHJw=","/assets/ja-D014_CEi.js":"sha256-a8ebrL+q1Uj72lJV1eCD42DJerwQHnN/mCUVlrkhB+U=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/log-DFr-Z4QN.js":"sha256-5BcmqRIliL75oRnE7DMkxi+SZR+NxtGZZMWmjepzTPc=","/assets/shared-HmC4zqVS.js":"sha256-d4iFZxhdh+Ee6qgTVUvGMWFn5oGOJJnTpxhfXeMAFYQ=","/assets/sound-CLdPaxdc.js":"sha256-1NFYowuCywHu3NO6Xm382H5/X7z4P2gFNgJ8YRfKemo=","/assets/style-CqgvT50v.css":"sha256-F1y0nRWKA6NKmNEHYyWDcWiziUxy66AoZVPYi1m+vMA=","/assets/verify-CYymOoHp.js":"sha256-yd5GxCOEBPeCj8hfWGh5z8xnJ2IYelQ0FLXsffTgvLA=","/assets/verify-Dis6H3xu.js":"sha256-iPJfWaBhENg2yUa6lpLamyCnC5S7nlEUQkL50OaHFg0="}};
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
