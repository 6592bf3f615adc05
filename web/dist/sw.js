self.build = {"version":"xQ+RS+F2DtLn9fR3","files":{"/offline.html":"sha256-4ed7KdDRAQ9UBsQrgbSDLQC0IEdrT1Nt6xm5VPv9Nis=","/assets/Account-BkGcMbUn.js":"sha256-yfGTTDIgvqeMs6Sm3rnitdGHvTKdTCWEdw9kxdwGzko=","/assets/Achievements-_8xiGUJe.js":"sha256-94VMtgrVQr89no7qppHG8DbzSZnufXxWAeq1ZsWXXWU=","/assets/Address-rjw-JOnu.js":"sha256-vJwqwK4M/FT7nT+g9tKvSvCYPiywxuMwudEfDGeoGNM=","/assets/Alarm-C1HeKoiT.js":"sha256-0q+efzrDo0HpSJBg7IexM/gUyZQk8qLy1X5z2G2Y/M4=","/assets/Alive-eqROjOSC.js":"sha256-mB/NL1wyPQsc6VM68pK0qPWws4shNqpiZHXJXQFS+oc=","/assets/Arena-BiajGvD4.js":"sha256-cgQYz7J/OGv1TXk64qyxf2RMHbcHmVrruiUaAiCzFnY=","/assets/Block-DJdYTZ5N.js":"sha256-HYsLSSyEa8iQKsZ2bOGWrnXoR8MNW/un1QFblOJo7Dg=","/assets/Bot-CTbCOEQX.js":"sha256-89tdn7PEvN7XZ8E+MsjiuPXkvazLuH42O8xNboYe0IQ=","/assets/Bot-Ra2Ad3AE.js":"sha256-jB95uEMg+oUbCnI6Bg8gs6/XQd73H28y/146+xwzoh8=","/assets/Chain-CpcHDGzI.js":"sha256-BhCLjXAL/F2N/tVyYKYwOFQ29IRatoJKWUDIKd0cqeE=","/assets/Cup-D_hrMO5W.js":"sha256-MgGIthU67lo0H8s1SGysqU9lk4eKFjl4NY0IIehsyVw=","/assets/Cups-BiRI_ltQ.js":"sha256-R0GfQZi+IYmCT+bN28sY6VyuEwCijM7Sqoe3vkGu8xw=","/assets/Daily-AoMKuVLV.js":"sha256-DugDQiZZOf3xtcPM1I12xLY17mWYrjNvYfO1w80VXTs=","/assets/Developers-i4hzzdC5.js":"sha256-D76YRCs10lp7QuaUrIYb/Vr1x9GYSUIGQ6HFihFhUtM=","/assets/Duel-PyGDfwIg.js":"sha256-/zKNDuwkluqZDyvp69qBg76SanN9Ojf2bjO1TuH/4Xo=","/assets/Duels-OkqGP8j6.js":"sha256-9QyjGJAHQyp2CbotNYC8RBPNTXvQ0bsSsmDVP6nKktw=","/assets/Feed-ld2Wl3wJ.js":"sha256-kmSXR79XE5iftGs2mMH8HD5WlSgnpTiFe1cNrRuealQ=","/assets/Leaderboard-jSBxVXBE.js":"sha256-nzV+HfGHdhunYuzJ/L9VAKPHL6JgFO05s8/6fQYwXX0=","/assets/Link-Z6_gwdUk.js":"sha256-cYr3Nr7ptk70dBpw1Ah3lhgRoupQSYWucfDqq30sfBs=","/assets/Market-CtQqcxQn.js":"sha256-xoaj8rrJkOsUfNs7gYdVZd5GRDKaK15BZMd4Rdy5u98=","/assets/NotFound-IU-KL4bO.js":"sha256-UZUYMpQI7C977al/dBe0snT1s5OVjUceFczbK50J9ks=","/assets/Player-Biu_07fN.js":"sha256-c0EoSqH7KcVekujtmKY+SjO4mNawY9lHZmouq4EyOz8=","/assets/Portfolio-CAxdeZdl.js":"sha256-3ANali7vZU/YTtTj4SYkeYxF7Gl9BPWWxWR9OjXZFhQ=","/assets/Receipt-Cxx0CTrU.js":"sha256-u7YVF4gu2ffT3qTtqXmdplMZm6nvruAZmG+aLivDNLo=","/assets/Record-Bmy_olkb.js":"sha256-j8HNsG6cA8CCg7J/LIjAfhSzzMMTn+G+vUZikhwpASs=","/assets/Reference-CQSpiaaI.js":"sha256-+u2Jn5XCmFsaI5exqgtIsPQyM0ylbCPiIpJ8nb7HlB4=","/assets/Season-DR_3lvQS.js":"sha256-gla/jEEJ/auWRYea6peJKLMcBvnM6bHk6eKnOBhkpq4=","/assets/Stats-Bo-3fXnn.js":"sha256-T8MV6v8e6C1OZv3LyjoIO3u1b8JpuCmAcSdvpN40ckU=","/assets/TV-doqqD_GV.js":"sha256-myp4xlVkfn6kXAPJQsf2Q4Oe0Y/HFkFTOLuy6yXpeDc=","/assets/Team-CQTXDhUC.js":"sha256-VZkOOMf+X2WEa8oChzatNytrGqFJB090VzjtkTpcJpo=","/assets/Token-B9fl4r5s.js":"sha256-lPpFDvfCELcodafubciEKkFcczNWRkIzHI45x/Y1A4A=","/assets/Transaction-CKs1RIvb.js":"sha256-veONxgu2zXIWZ1iR1j1MGiopPb/62dW8dXeCNPmlOsA=","/assets/Verify-hTAwGSRR.js":"sha256-b+Uo8HfeydUyB3gbqZD6N2jtVVuDD70Sn4YYjs25JIc=","/assets/arrival-X3ICEY6e.js":"sha256-/2ZBL1RGUgeYWooaK9C7VAbhS2S1ABr6KAKRmVG9Z5U=","/assets/bot-BPzwwXv_.js":"sha256-RiJcqaU0ez7vusTxxun1L0o8ooLJEAuOhiB7upGL4FM=","/assets/bot-C2DDOoAC.js":"sha256-bBOev38XjBD50aEQSmx+9lBMqOfMefYI2zzyj6Eanys=","/assets/bot-C2l7auCy.js":"sha256-yCeH0tXrSpnLqUDw97Rrp5qGo8qTroIEC8GR6kcucJU=","/assets/bot-DEOSDJz3.js":"sha256-a35r1zl8nb+xja/oSCNhv9IEW1TxugnK9769ax/ElnA=","/assets/client-D4t5rNOS.js":"sha256-tipwyIk4oQzyaEGjY6QLyK8VtUo8uhzTeGkzVjqw594=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BkHEdZjv.js":"sha256-tSaKUapm12+3GPv1/+OJEwW+cFV28e80hhoZ0KKakDg=","/assets/es-CGkToAeR.js":"sha256-RiKffmBBriCGLDHtH4tW9TD7BD83kAstZZ8saRcBVOU=","/assets/first-Ba0oOaAf.js":"sha256-wrWC0+MriUz12HKm+/pnmW1CDt/o7v4EVQZiibzeBus=","/assets/fr-CKcDBriS.js":"sha256-Dwn124jnQzFKc7kH3MOSE7TfaPfXosmfKb0hPzXv1R8=","/assets/ja-BpGy-7Mg.js":"sha256-U3+KXYDI9DD7HI3IzWJkquEF64GNptxk6l6HcJ1pqt0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-CppaW25B.js":"sha256-DzWxtVybAme45fMHmb8TjhRH88CPRtFqHHxh3gD4JNY=","/assets/sound-Dgo3FNmV.js":"sha256-KEmm/61LAYr9O1oiNw4Rb/EwKXCgfkTzySZoSM4Pp5g=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-OosJgRe9.js":"sha256-mXLfuq62bBKVKyu76/OtFrII6DfXwY3GeBBl+GV/y/4="}};
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
