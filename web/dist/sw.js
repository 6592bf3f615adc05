self.build = {"version":"OnBNIAS7anyOFewk","files":{"/offline.html":"sha256-h5ep7CkMiNaDRCcSKy8eoWSX9kCYv/4Vqvo221nXZZE=","/assets/Account-DOK97t4D.js":"sha256-GE4OBox9MVOe4dFmFG8rrvWcRMSEb58RiMyE83B/U5Y=","/assets/Achievements-BOIV5vZW.js":"sha256-v0t0NvykLtKxDfLYrlmBACPybWgNDzDb4ciyU6YD57w=","/assets/Address-xR39s9OK.js":"sha256-IIsfP9NhskS+AH2YJcQBqtnlE9a7rZYV3TCfTXmYRP0=","/assets/Alarm-CNCRjDl0.js":"sha256-r/2UHhercOhYEvTwxsx95K0c0IZSSCQh3dn+ou6eVQM=","/assets/Alive-Ch6o2Q46.js":"sha256-1TduqT/p5qKe83WFA4lY8aAokxsgpNxocOH/SwjoB8o=","/assets/Arena-PyC5-wH3.js":"sha256-HeHY6AX13xrKKI3uJI2BMlJhS18phJJAz/8uQvYUbJc=","/assets/Block-CGHcY_tW.js":"sha256-MdCeHttHDQ/HZOwGZ9OtlW92fX/TfktRwcKthb+Idg0=","/assets/Bot-BnO-jHHj.js":"sha256-IAaLAq85gG22dKmJwYA7RNgZix5kM5+MPaDF0zvPKwo=","/assets/Bot-DgIQzowf.js":"sha256-CzNSJT4MoRMITCRYucOZE95eGc6jD40LdrE6kGAIYNk=","/assets/Chain-gpP-lIDJ.js":"sha256-96BukLOok8SRKfSRCjLmviihQLhST1PvpunLKS61LN4=","/assets/Cup-DDgF0Jds.js":"sha256-RWDsSoYlfeGFPKF/10eoZS8GS6DCsFzCwRnnJjs0fv8=","/assets/Cups-BD24TQZp.js":"sha256-4e9q0sDG8fR+gg95L4MWfdktBo5nyv6UyI/uUc0r4bI=","/assets/Daily-BWE_DaMJ.js":"sha256-7DcrusvSzUk/unUVZCidyYw/GJGFKquDY954L3pmip0=","/assets/Developers-BnIuaorO.js":"sha256-PzpgLnp1ZR/SBBnXuWI0T0wnaIAPKE0Z0fwbU3dxZ30=","/assets/Duel-DYmER6bs.js":"sha256-4DB5lQo7dAD2fIbMw5nZSMRX9hdOJnghGCqPsxRQYhk=","/assets/Duels-BgO-AqVo.js":"sha256-nUg74BozFQVpNUecqNLst3l2xmP4k6T70HSHExZsev4=","/assets/Feed-Dmd7r8uj.js":"sha256-81AjpYJWLeIUFe5m4VwoflS9oZWADciNK0rfYVwoZlU=","/assets/Leaderboard-Cqu0-Keb.js":"sha256-/LaB8Ngl1A5Qnz9j3tRgyd31WOW/s4pO+3gZFbQwupQ=","/assets/Link-E4rbRoPm.js":"sha256-37/yTGcKQtsb2qfgJ84EC4ToDDnzP5INmxSMm1zzNFw=","/assets/Market-dHrdrc_p.js":"sha256-WVoau+VyyKMeuM3h0iJLUuxtWe7mCZbNZEmB+5Nxago=","/assets/NotFound-CMmyS5Eu.js":"sha256-7tjgII2P/VSRf1eyaXVHYfEKLjzUocW0kZPxRcfe+2k=","/assets/Player-BjUGOMRN.js":"sha256-4TYXruOXCnmN4exTxHe6RCRhttUipJ+h9knqQsxwJnc=","/assets/Portfolio-5AS9mJs4.js":"sha256-w4mpc2vf0G1cBy4FA+8QYv4TvFSO2blvevhJFBMn1WU=","/assets/Receipt-CCy1Cnf3.js":"sha256-xQIQVm3cYczp9nIjMdapB+BeqKJaUp57TPIsCv9bYfw=","/assets/Record-Di1ZiTnU.js":"sha256-pEfH0ZWkW5OU33GXwwnjPDf7ofTfUuqeZ+jxwcLoFTo=","/assets/Reference-tWANL_03.js":"sha256-VNIsrDIb70BfsrLDaq+2JDtD0oIc/vWg8Zdn1qZB0Oc=","/assets/Season-D_ktIa5u.js":"sha256-wJXtVfbMZ6r6MUso2aC3XexPhG7J4Pqfz6s63gncb78=","/assets/Stats-CwctHRHb.js":"sha256-bHB7tcRztIkwcumWv/zNH6e2LtP9OuHOijIruzKKQ78=","/assets/TV-BB2YkLpc.js":"sha256-bvyTYF0xrYDP7dg68dm0XFWnx2Y/SVj7L0OUrpQD31s=","/assets/Team-zG52099O.js":"sha256-xLPK/Q2WIs2aDCTAZ6sxJ9liMd+psS2INdGlFX6Twgo=","/assets/Token-D_3D9hgU.js":"sha256-6b/QwZ7GUdl32Pyb0NG0wRyEVmzYukkrkm+hbrcGuwI=","/assets/Transaction-T-r2E831.js":"sha256-nvgrr4oubEwh7vtOuIIUybFWg5K97MIHPUhXrvU6MH4=","/assets/Verify-uCxpq8m7.js":"sha256-NKj0tyapklayqEn37EAV2FciBUBbCeMa8g6sJbsFfFg=","/assets/arrival-D49qitWK.js":"sha256-NC4cEGqdHUGTUpzxFPdD3OJKaAaxp/e85fFTsYhtCWM=","/assets/bot-2BlSa5si.js":"sha256-Yr+uBID5Z2JTRumzNHkgsygZ++Xr3AzA/RQwvw+Qyt0=","/assets/bot-BGQB4HaJ.js":"sha256-wjyV/SejaAyzPzTR1TgiY5d+hO2xdW6WyUW4E5F3H2Q=","/assets/bot-DUZLURBq.js":"sha256-HZa8ZleqGWkzFZJJYNa5RvBlZktUDkuZsnbVcowMZuw=","/assets/bot-LiQ29veA.js":"sha256-ZsNGMf3SilIPOLkFZIgoR65HX60OuX31Hnft0CnSY+M=","/assets/client-BBD2l0di.js":"sha256-IBQZDOA8TEC2d5ebjGSvCr69HxJofCa5KFYRerlPIfg=","/assets/common-passwords-B6gWypS9.js":"sha256-WmJuutZ1zOlkCcdN3w5XtkSpa4mclXvtLtWRkL6lOaU=","/assets/de-D6X6nzr6.js":"sha256-9Mu7e/KicAE+O1Ocsi0PMCTYM7AV1igzO8GYbzAxN6A=","/assets/es-CieGJYuT.js":"sha256-3ApTCtZaDDTaxxF0KHYtobBN8RTm2SWQ/OWu6oUAWrc=","/assets/first-Dq-W1uTu.js":"sha256-qkMsWKIVsgvs4phvItBIIhW1OP6g77JNpFjBUI1aTxc=","/assets/fr-CtuaaS2p.js":"sha256-5KvBD3cnjnc3T5oh5lWmmiyGuicAeXiZxSeKn2lUaVM=","/assets/ja-G-jw-nl8.js":"sha256-oRko/RP70bMKl9OBNXt1VbkiBFG29JjmVU8zhncxB5c=","/assets/lightweight-charts.production-CCD73YF5.js":"sha256-BcQO6UmSOch4XLUdg6zrOD296ABWSg/CTOrlAcGvFnI=","/assets/shared-B52znE7L.js":"sha256-GxPX4AOLypMqbebyKhRugkX58s+0kSgfNwi+miT9nBs=","/assets/sound-DHxHvAIp.js":"sha256-ilrJMxufB+TxPgoc5xnrxSYNWoCFZ3FgyOPUQbmEGJo=","/assets/style-BQ4Mat4v.css":"sha256-PWly0FF2IT56owFtBgHM36ZcpJXLhwBv/PU50aVbF7M=","/assets/worker-CC4oJU1j.js":"sha256-hi4yO2V+T2WGW1Kyu+cVY/94RMgwvfhCvIdU5mVEyEc="}};
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
