self.build = {"version":"yunX1hWIZu1FTRIo","files":{"/offline.html":"sha256-6SZHHWiLklPPpXWW0EDT121TzZglGhy7dN84L3+0fJ4=","/assets/Account-Sjicxz4u.js":"sha256-youic6Ql0YslOJQaiwsG8VWtkhBfnx3pEkniOhcGCWA=","/assets/Achievements-CGAIbMnT.js":"sha256-4v1vV8kdH/RgPK2QGi/KwH3MqokYar9BanJgtqa2Hkw=","/assets/Address-Kw58w3sP.js":"sha256-Xg0CiT/Zb94gq+KZQE2+sO4N/g5RgnWFEu3/PC5FVD0=","/assets/Alarm-DZ1WIyhj.js":"sha256-IkbpVvw3JGWrsmOGokMI/34us51JMYrop6ZsalNZ1MM=","/assets/Alive-OEJYIfx3.js":"sha256-F36yC6/0NrZN+b5ezxLz3CSfDp5sj0QLHHLkKICMnNk=","/assets/Arena-yfFNsOen.js":"sha256-nbjxPJcBIDe4X0Y6qwniJL5OR6IV/RMrxoChaybmc4A=","/assets/Block-CuQoBAP-.js":"sha256-5QNwZ8BgM1fKYweQpXyoPzXuRGvuWKcXwox65exFPyI=","/assets/Bot-B8YiWsXD.js":"sha256-lAcJsLIxFnFKZ3ImA8rylrthxg31dyNLzalQ7cbQ0kA=","/assets/Bot-D1nGcVkD.js":"sha256-aMZ3dkTnjl2znnuTGJwMacy00Ik1jGv6Ze2lI31huHI=","/assets/Chain-BXQPDcCs.js":"sha256-lww2WJzgi398mjGBe/U3hteSf0C8rLhp04y6zY6bEBk=","/assets/Cup-BrQ2RPwG.js":"sha256-GGNrQIn8lZPEFNIHWBdQNA9r8940AEZJSV+0TdBTUVk=","/assets/Cups-ryHpI9B2.js":"sha256-YeEURuqNpYukJ+mka9bGfQn82Da0YVn/U1EHVEeW6TU=","/assets/Daily-C_dUuqbl.js":"sha256-BeGzPFXULT5GOurmfniz50oV8smMlywq+Yf4QkE09bE=","/assets/Developers-DcX94XcT.js":"sha256-7dveE1xv0vssCetbn3IDkYtOMpaZtvXQLOWCyoiyKCY=","/assets/Duel-Bc912vBr.js":"sha256-hja0oSugtKLZtPLEJf8+E9TukqUUAYrDw6GVkvXfkak=","/assets/Duels-B8-5Pd0Q.js":"sha256-ynigdRW3n3m6UMT42Yzox0fusas4r/eAnILOdGIO54U=","/assets/Feed-IQp_iuyd.js":"sha256-Ty8XKDi373Rql6vpiE5ZHCeXCwEzqxUmkGDNKP5Wm5I=","/assets/Leaderboard-BkZKgqPT.js":"sha256-zCwCIzdr8dyHTXo8tJkCndP5CNh19JG6MhOlbeYIvEg=","/assets/Link-CFXNEm9H.js":"sha256-Ot9ud1xojaum8aetozOmYwNHy/9x4J9yXoCh1ewPdg0=","/assets/Market-DXCzj_HS.js":"sha256-HIBEGOf7UKWqkLwtc7tzbmzpYW5kAJ8IF7hVpgzKU2w=","/assets/NotFound-BHCbhcWg.js":"sha256-2m4jU9n10x7Q6IfOrJwYp3j4K77Dui6c3EQnFCokM1g=","/assets/Player-B-7wuaXY.js":"sha256-bKu0O1twBYqXLAk5v8FiaAM4Yh8TIfpVRIxaB+U6rXA=","/assets/Portfolio-C9WurDso.js":"sha256-6mMOeA6DvnB/fLyHkU7vutwl7efsjf5+kTgGgTjjZVg=","/assets/Receipt-7myfwkF3.js":"sha256-F+++9Qr69DxpTyVufJ3J4ZM2cdj6CngWcYjaoZJyCXs=","/assets/Record-D0Hcj1a_.js":"sha256-HmakCC8FCfYWLt4zAnZwnDU0RgYbRsklYP3hI0LIpEY=","/assets/Reference-Bx18wJuB.js":"sha256-vOZBdqMFWpj1u15jcwhUeR5CZATmbfSev/PP+fWA9Oo=","/assets/Season-B0ixYZ97.js":"sha256-JDhLowx8ozrsFNl4wBWI4F4EYSlACR128s07JQvv1Js=","/assets/Stats-BkBI7dUu.js":"sha256-95iTkfW+I3C2xXtvK+aDVD3uoaDqnzGNEsbrSTa9cyQ=","/assets/TV-CCPiQFZ1.js":"sha256-VAeEw1wgfic8ZrDCbqbuCwTYFmjYxLaH3d4fUl0oSjg=","/assets/Team-DJXq7iJ_.js":"sha256-X/wiqDyLj/ppH8XkEFd8QEjcH+5kK8XvRZlCtHTbdqU=","/assets/Token-Bod1kva-.js":"sha256-axWP1gNUiOA16kTbopcNG2+h5M6IwQB54dGimeQ8ucM=","/assets/Transaction-AoSmzC8t.js":"sha256-4hjzvDEX+F+sE4bePdBscBfxBTr13lPBCHBRdrIp3ss=","/assets/Verify-B-4tF1vL.js":"sha256-I6U3sqkADYCpOPLzkGvOjFDV679MR031cml209bu4s0=","/assets/arrival-CxIm184t.js":"sha256-E4a+wiZco3SOZkR/sfwLsKbGG07JmJSZ1DQ2R2/VAno=","/assets/bot-Bo60CT3P.js":"sha256-rn3vD2ash1z9qqu/3ey4/IgmQgkVWv59X0xfiE3l/hA=","/assets/bot-OAGTOCrm.js":"sha256-3jHWOHiUnM4N/VODJE8HZmY2k+XX11dKbLh2w9dH3DQ=","/assets/bot-Se-MQY1i.js":"sha256-V7iNcg8dEyluYr1oH29GhtsWQCdfabqXGQ6CrosihEY=","/assets/bot-sYzajhAQ.js":"sha256-UEBnGu55fyCJNITcdwnaEcaH/CbWgR4DMMUdfJs8Cf4=","/assets/client-DnQFzxVH.js":"sha256-hVLaE4mVrAUQ8sCH96TDWdKSKNab9dWNVehIH9gM7gg=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-Dj1wb3LO.js":"sha256-1TUGgNZKnnoSusTz47O1kRbYtPVGfoTUyiu3wXEnB2k=","/assets/es-iUjjqxC1.js":"sha256-2TGS42q3cDomfnTfOK9Yu5IJFVLuAXsRdkaxGblI1wQ=","/assets/first-BnNxRDfy.js":"sha256-cEgKMQfyYcfZ3dlbhUlbLJ4ZjX9LtqU2BJhG2AibVn4=","/assets/fr-CHLGtUdw.js":"sha256-cf4B5QDZQZhHcxCYdi8iFILYGfgJl5zvr/UiuyRIhGI=","/assets/ja-H7OAf-DR.js":"sha256-2N3v/vuvWQnUJaVgATUJI2x9iBBFcj4IwmAhEOq9Mp0=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-CHeNkDhW.js":"sha256-ZTIv7CxQ8YeFRAm2lGM2EQzhikG1K6Cus9kk1UBPF1c=","/assets/sound-DatAygnj.js":"sha256-mgqLyK1MyufhyOyHU6Aq0X/vi2FwrmDZsL752C1z9I0=","/assets/style-Svtk3GHE.css":"sha256-Exz/7nIhXgf1FyHCvFVadRxoNK1P8lZ5pKg/5NxrKnQ=","/assets/worker-D2l1H9tj.js":"sha256-qj4ZSsg3RIFf0m5uf5BQgE6+9tMkPC9MzpcZzQBgLro="}};
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
