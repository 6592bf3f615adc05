self.build = {"version":"El//veU/ff+PZmeY","files":{"/offline.html":"sha256-fovdDcaq6a4tNnIBzHxByPxkAV07KhT2Z41W9QzgKd8=","/assets/Account-Db2bNewm.js":"sha256-9qifEaagKRJ/kIIze53cpMin+7nCBAfGTXTrRfJ3H5w=","/assets/Achievements-DDRVDnPa.js":"sha256-WBwHvsI5v9xjHMVot7MnlAOOsHz4r0WreITpt/J8KY4=","/assets/Address--TTHuZWw.js":"sha256-C9+pwW9Tyk3XwRbTWgfasocKquXG1fb56V4p0R/tnHk=","/assets/Alarm-DdndFoKg.js":"sha256-Sa8AkZamGg+FXKatPd5oh/myaKe4Har2ElubDr1rRtY=","/assets/Alive-BlffnTfP.js":"sha256-9ox/OOJqGzz/ikixTjTYRq+Au7TkOtrHDw1W1BiFfbI=","/assets/Arena-Cl4GqRfs.js":"sha256-oplDuRDxgFVuECvgFr2UIwpveri6iYHd1wgVqeVK+Qw=","/assets/Block-DbYp75rQ.js":"sha256-hFw9TG7QRDjsZx9tkH8CFmZ3tih5LIDdlZVh0Caa8l0=","/assets/Bot-COqJQp7F.js":"sha256-ZAK+LQUBCWj2KLxQlcV74MVtrJyCYYthaJbn8f+B5DM=","/assets/Bot-ryBDw96u.js":"sha256-vNGHsa454Cd6zBLoL2SkZyMbWHtGgPlK5vLDR0rHjvw=","/assets/BurnChoice-Yp7jMciQ.js":"sha256-WqvDqyjGIMg+jVWfEwH+TW28ptSczyRGm7RmrmZSYGQ=","/assets/Celebration-DA_fDb2j.js":"sha256-oABuMo9HdcwOKlyRwdqD0uGnPjzbF66J4kykq+GVPc0=","/assets/Chain-CLlk17PZ.js":"sha256-JK+FJIoN9Xf8k37Tn5IH3E3a60nJ0aWAjExF1vrLZTA=","/assets/Company-DjIHtnU1.js":"sha256-9bktzA3LnlvyMBdgQjGRUPbljHR+5nKf1KNOakxySu0=","/assets/Cup-CGe1VYrR.js":"sha256-WYyrbO3a/M9+7qtGCM6OL1F+LXfv/5oPiKdMojJd78w=","/assets/CupLive-yKTdZHwT.js":"sha256-AMQzdd+nZEVDrI8V2CzK5dYGw3w2wFF1Evty9lkfYBQ=","/assets/Cups-CIntkquv.js":"sha256-lHy5SYlpw6yLjHpfopurXBE23lI7r3B2fex8KUrx9mE=","/assets/Daily-Bc3MgMga.js":"sha256-ENHyZ1Rv14R1PPc6nqdJnqr19PErqQmh1H+zx/FZUzk=","/assets/Developers-CLHBiXl7.js":"sha256-SD2lF/iec5Br2DwcGEiMlt76cM1GW4Hi3yOs5lbJwzQ=","/assets/Duel-DND0ut4l.js":"sha256-YDZXZAttJjbpLJsEy5cy9dThiGUqzc9Wt1tC0wvoBfQ=","/assets/Duels-CKN_3yg0.js":"sha256-EokaU5hMluITedj4hV4Qavq5xw9UGFb1GvLKzsBvKc8=","/assets/Feed-CQdhESC7.js":"sha256-omiUVzbEIgmebLtnaIbri+fLu6S5zt6CNcRFYwT+rQ8=","/assets/Help-C7uUFDNj.js":"sha256-y846jnkt8GIyir4lD6GyYdj3uPHZ1okRycW2+1fywVg=","/assets/Invitations-y7rcJFO4.js":"sha256-GUtOINRt8RPdGnbQ/bL0Fkn6+8pPemnTHM0kuhAkcFU=","/assets/Leaderboard-CN7ORDy8.js":"sha256-a8JSPGdDYA31CPrgWjDI3dFo2k4eYZhsa59gPOqEIPo=","/assets/Link-C6yBlpZf.js":"sha256-iippJLXFChENs6bpWjAs+uySPxUalf6Cp1k27vP0kVY=","/assets/Market-CDle6Dg5.js":"sha256-yodIMVY3NLr+cPzZz1Lor3acJptpEHKzN4HdAfLdQIU=","/assets/NotFound-5zIohjjL.js":"sha256-SjziAijfRdE4idmAhKWRMV3ANG0u8FyPF8CCqW8Ux2U=","/assets/Player-aufYThjQ.js":"sha256-iHPjndMXWkX2aNOAXNVHWeOTi5WIPV18Ae6EgqjJZwE=","/assets/Portfolio-B3It4UgC.js":"sha256-U3HqumvXw3LwFv/Tr/Rl6dq0Htg/J0kHExAyruAKL4w=","/assets/Privacy-BlNSZc2z.js":"sha256-4ErO0BTIc9PxOjUMVaINTyEykriISqbHIk6xLQIySPs=","/assets/Receipt-CDWxhzG_.js":"sha256-ArD48l8TzeHdOEAA3w7XUXOW8epn2JAzux4/iTr2SYo=","/assets/Record-D2xDXVV8.js":"sha256-Dk3u10OP5aYBsaxDcwt/mc8AFsd1Iuc82Wve54OJ2FM=","/assets/Reference-Zm1qKP_k.js":"sha256-v6p2Hr2hLa8FsOjnEXPwPAp09L4+uXQBw3a5ffrOgUc=","/assets/Rules-D9l9PXu0.js":"sha256-7IwuLzpaFc3/aW/w+idHsOP99GsTaXJB4d1ZKYtmQ3c=","/assets/Season-BHHwJPOI.js":"sha256-MnvprCsyX5w/dbuQbJwjvJKcw/uVAs3W5I+8lZonxtg=","/assets/Stats-CO32L41b.js":"sha256-1oS3PnRMNv558TNuASPcOyq8r0evIxVP+LzU5VVG7E8=","/assets/TV-DymQVXAV.js":"sha256-Fy6r/btl2Ze740uiEVnKZuyPwRaiw/yg9AW+qnD9zUw=","/assets/Team-wj7kZJ76.js":"sha256-/oUsG1FzePWgTMAk/luZatnwPXtQaKQOfRyQTkR5gus=","/assets/Terms-Dfc-i7cr.js":"sha256-NZ2KAxDrLFt7G0pA7v+KnyyNQPOacrqkL0Cn0EaXy3w=","/assets/Token-DNWutjB0.js":"sha256-uFGdvY63O4j67m1kf915iELNH1bpGT+T6lkKQvQnjSQ=","/assets/Transaction-B91cxUho.js":"sha256-6YcKN3wX5IUEMePfhjRUAEy4DZSq4+wD+Ek6Wi1MTFY=","/assets/Verify-cGwaueKQ.js":"sha256-E82YnA6gPLzyNQuNL0w7cGhE8r9zaSwWG05zeNaUqmE=","/assets/WhoPlays-axNpPZYM.js":"sha256-/BhGweGozygvzoksVjRbshAr+AKlic/NMdCPRqbF8PY=","/assets/alive-BAo5y7Am.js":"sha256-AniVGXl9AKLxGnaFk+s+yEGYNR3E0dSAaYVN9sttRlc=","/assets/arrival-C1pJxCwP.js":"sha256-d26DDDBnAebuiAKCWzZq/gZo2wFHtOCfB8sBbrm75gY=","/assets/bot-B4PLuFq1.js":"sha256-RQHu5jVajBv0hk5V6fcThBUcrR1KgvkosqeqNZJY3Lg=","/assets/bot-BNk6JgwR.js":"sha256-SUSbqAEjxC8iZN7FAP0hd87FNvIqMN5Nba9dAe/uu8Y=","/assets/bot-C5Lav2c0.js":"sha256-svsknd+S6wQEr4bh6aNL21BUdMMBjua9Ht1rtH43gEs=","/assets/bot-C8OXCBIG.js":"sha256-8qaCfz+FWT1MPbwLFRzHPkWz0x1AlJ1wpD0Wi4iRPiU=","/assets/bot-DK_HtPV-.js":"sha256-+eSAzA0hZYvwltyl10MlUOci+BeroLcMJOkZWgf0jlE=","/assets/bot-DXC7Zidt.js":"sha256-fJC0zR/bMdN0mECcoF4OWtQIvmkC9FB/KKCoXNWH0ts=","/assets/bot-scFginDP.js":"sha256-wdK8V2Gjym2i7qublIk7K2K7Ny8oSWb7XhPR9Tc2yG0=","/assets/client-xIpXeQ5V.js":"sha256-OSITE6Yx+qar3jM5mM9FW4iRoeDUR7N/+qEcA04sq0o=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-DT84gW97.js":"sha256-q22ScLjRLyEXyzy0n+h0LARxeK93Qf3vTyqgA4EA/bo=","/assets/es-hOgb6HY1.js":"sha256-m3dCzcCAIJ24awa3hfwPWNzPBii2m+6lohslQoKfwYE=","/assets/first-Q4Ow1VwK.js":"sha256-VZBu/tV/e8SzQNc60Jb8WLUVr3UopWOu0LpualzY5wI=","/assets/fr-Cd3jDBCS.js":"sha256-Ozo7xt4ioSKKT8sIyU48wBFeslpHc9IeeKT2tUc5Wy0=","/assets/ja-Buwp4gKg.js":"sha256-vcKVpP9s9WhI/zcG8rTsj8RRrO0mjr2UaFuUjzKqf2k=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/proof-CqBtSBDP.js":"sha256-chHb5V/mA6QoAbKMv0yJZuimk0A48J68LXnzn31Itzs=","/assets/reasons.de-CCU3Th3c.js":"sha256-PEtDPc3Ljb+l+/IgLu8sb9hEjNVV6SYTJXUGy6+z1NY=","/assets/reasons.en-pGCuDqIC.js":"sha256-Oa/4a0ORvMAdsmGhV6KSD/IsyIHivieT/CMLtWltP9I=","/assets/reasons.es-D9evCbvU.js":"sha256-kqu1Qx1KZ6YBgLpkjXcCnQ4kp951PsY4gJicRvRz3IM=","/assets/reasons.fr-CY7INooR.js":"sha256-Rt7o1xhZI57PZmovoM5t8GG0XGp7pIhby7Jh46eYUWE=","/assets/reasons.ja-Dihb6Mvg.js":"sha256-O3eVHJoQqDDuEabBlFrFu1em1EaO91pa6mUA2lj01kk=","/assets/shared-B2AZyOso.js":"sha256-/hPhtzUaWYb+gJGZd7zYvCv6vzPOgwSpZoPJh9UjiGg=","/assets/sound-B9GLM3hg.js":"sha256-9mLzW9hy3hg4wyQJpP0hpWc+PdZ8ATScKyYSeAPKCEw=","/assets/style-C7wYITPv.css":"sha256-Q5bm76Hc89WyGntyHhrTXwiYMkuIZFxbGZzJp1dcsik=","/assets/trace-Dze3v8Jk.js":"sha256-3En318V0sI1KgWH49M6sG6rJlpayE8ViXEqEnBoHdH8=","/assets/worker-D85i6-Xd.js":"sha256-cKhszxvu9V0B6ZGFhAI7v53yv5DJ6YL+prd15nfkrhw="}};
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
