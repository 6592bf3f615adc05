self.build = {"version":"8pGElGzLB94Yp8EM","files":{"/offline.html":"sha256-t/S0PRomaTBvE8qb9P/H/SmBGThOOqjHVyByyOQIu3U=","/assets/Account-CV03Sp5p.js":"sha256-ymn0zd86ASoZDcbN8SHbBRdwIQpcJHuCIqhnyMqXU30=","/assets/Achievements-CgHHW29e.js":"sha256-pnfR7fTf9XcqtAI9wIKj3Jdeq+28PaRdh0bjKDmczvM=","/assets/Address-C8hTB2pF.js":"sha256-nmgyruJhgYQ9yzua+qUG7RLQ2Z3IAkNogSHsG2I/Tfc=","/assets/Alarm-pIX6mpnY.js":"sha256-KAW4KuW5uQ6NfPbN3qSmqUia7ebUG+XSGLV+gjIbruM=","/assets/Alive-CDqH0HEf.js":"sha256-ibiOByKVVotgxYPr+JKtl2MEZfGwcOLT9CqXu0IFq9s=","/assets/Arena-CW4u0XV_.js":"sha256-bptw+7zPflYvVqbdvlS25k4lNF5t3TwG+Injch2I7kk=","/assets/Block-T4SGVVrt.js":"sha256-MP3ta9HJQsboKBWYAhMXTiq5c/a0GRc3YM8dOgzUqrg=","/assets/Bot-CYkT-4cx.js":"sha256-mlGZbNZ+p2wgg1PT83zciPeqqpKM+gwlx1r7YEBihQc=","/assets/Bot-D205UScO.js":"sha256-1j+G4PUfXpvVdydOM3v8z3Ogi1w2+g6xqKh915C78yQ=","/assets/Chain-Yhl6Uz4n.js":"sha256-5K1JOTmqNRH+ZIt8BLPkxR8UYJ6OmkMfMgstFtREjaw=","/assets/Cup-ClqKhKDU.js":"sha256-WLNFHC2TVFsI4R+2RmVlTBo5cHPmHmV3tRMVMWtAhII=","/assets/Cups-Dy8C31Ja.js":"sha256-LLdea720hOTbC6iJcLGur5ql+e4bzANzMNtBrhc4+LI=","/assets/Daily-DT0nSRlO.js":"sha256-Y5T+AOfnmxW3SMg9a3HFep7JsTpXPvQROa54SVLpuzU=","/assets/Developers-hgRlFlTR.js":"sha256-VD0VC2gFdJVeJ5G173IP4TgmzzusaXhX1U1YSxYYaBc=","/assets/Duel-BJ1A7xHJ.js":"sha256-iji22AIQt0Y8ZWvLmOENYMa10k8JZF76CsYAlzIv2uU=","/assets/Duels-CLyePCVH.js":"sha256-9MkK1siDahUC6c7D84AZsHJIKGcv1VMBp83d8H0CGvY=","/assets/Feed-Cum48-wb.js":"sha256-LVijrnDoq4AgWjaJKnU/IrzVff+nc1g1nqHbV2hljZ8=","/assets/Leaderboard-DGZ9QDdq.js":"sha256-CHIn3W9G4RL547CGbVmXmzBxzsTaVSUD4Z1GDUZLhzs=","/assets/Link-C6oYo_RE.js":"sha256-VpT57d9JQRST6mmaCQzH/uG7KggAUKsQWLlDFwt4eWs=","/assets/Market-CrBfEVoz.js":"sha256-PTmxxCIls95QBM1wGQqTFBz5+4CKxVgrbnr9bghIwC0=","/assets/NotFound-qz7mmToU.js":"sha256-3A1arcxFFi5CJw5dBCw4s1TODQXo7l6pBWeQN1bCtmQ=","/assets/Player-DxmPJ2s2.js":"sha256-LqXFa9kwPzxlVF/MgZVFZ7/Zr1lDH8WrmOOL7i/ivto=","/assets/Portfolio-DQ9bzrfJ.js":"sha256-UZdMlJqdQ08ZM9LqGl2v3tQFh2Y0QySseu1Blp9PU9M=","/assets/Receipt-D4l8qL2a.js":"sha256-ayqVHJ04OHpQ1My8WE181RcJjXZFZ6nLq6LgXPYRY60=","/assets/Record-C9c71K2T.js":"sha256-h6mpZ9c7Iy2D+nKCjGFKbfj5JHfWl/zHIXSHviBQQH8=","/assets/Reference-BlnRKEfM.js":"sha256-D5EjBUQ3l5vWqvAH2iLqBTTGPkbVuy1DUmLXRdErKXA=","/assets/Season-MxI644V7.js":"sha256-ravpJ4RJr7/ZtreZ4zj7TBBAhHzN7z9bojyoGHRZVU8=","/assets/Stats-BwjKptBt.js":"sha256-Wz27Yi0+WuW9PrJp4U5/QaTNClqCQflHoqvMJhdsVlI=","/assets/TV-CXgVviQO.js":"sha256-d0SzuZPbwBvZ2LECRcjwWk6zyqtWPp1YgPG3qFPVF1M=","/assets/Team-Cwv4rdIr.js":"sha256-oYkgxjoFFrjCGzoj4E89bZ0q2kEusFxBM4T+8SVUJqo=","/assets/Token-2rSoYvN8.js":"sha256-RcgY8TI436YE8xs7H/BBBECoR2AQbewStSjtxuoLFGg=","/assets/Transaction-CG9Rr3JU.js":"sha256-Jqnu3OVDoGBld0fobitSG66zLtdVCXxPCsywamNZBoc=","/assets/Verify-BFEkG0bM.js":"sha256-Fgvd6ulUZ/4IH7yVP7+h+kLSEUKlNqjL4YcWB4StI8M=","/assets/arrival-Cbngg7Or.js":"sha256-4FDT2xuC+zMr61GGg/hoVoUv0WFYeWIlhmU5diBzN3s=","/assets/bot-Bju3dltM.js":"sha256-NKrfPHNTgVjyVebRfhRtacE2uLzydz/Y1gFroinQs30=","/assets/bot-BtkFRQUr.js":"sha256-GtdUdShmNgUmh4/XIydsVXSk0sK5L9Npl80Rv53+brQ=","/assets/bot-D4xz7srJ.js":"sha256-8dRvcaErxTqjJfkoD9o0FSAfubhO6pBPbQT95xNg0Fw=","/assets/bot-DC4seded.js":"sha256-YYBLfvP5vY5E05ZiXAL8dFzWh4cqQ/u/gTEBkMJyFBI=","/assets/client-BrT98Jop.js":"sha256-YkhoM7MnNgx1NrRMMotNwuiK284/BVcCo0DcHicy2Zw=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-BAuJzg3Z.js":"sha256-wTALOceSnX7hO7Fq4v+o/hQDFxfx8jTf2pgaBpZeh/Q=","/assets/es-BRu6FPb8.js":"sha256-i5huaiFDBfjwn8ly6TCT8V+8fCqIKeuDYxqbM6/Pj14=","/assets/first-BMWJdTqh.js":"sha256-RPPsJIsFrLadeYjuedsD6Kx5Lp5w/HzOoFhe5EY5O7A=","/assets/fr-wrejL-63.js":"sha256-jvS5ZY3CIHb+/81CAQuf5iULbCoywmaZCnJH8wpzJDw=","/assets/ja-DGfTbo8m.js":"sha256-1hLy0KmrsQVlEd7hbIdSNp/eO3A9sBgsqVRKrZkRuU4=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-D7purvwA.js":"sha256-Z/reY6jB9c+LVmjI0dxE8HB2sHzklun5tJKaGo4nsQ0=","/assets/sound-BPFGq2qk.js":"sha256-h3HZHCi3LSXMQqibtWFcM8SDcilRUt6QfOzUQR+DJEY=","/assets/style-Bqq1klkh.css":"sha256-EPNGrE0vkW/3wMjZ7paDi8N2s+W3l7Wciqt74nsrvUU=","/assets/worker-Crdkk8F5.js":"sha256-p8ApXg3Pwtu19CkAUPb6Pu+gUsYx8qGoeJ3tWqWqLDc="}};
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
