// Runs inside index.html before the first paint; the server allows it by its hash in the Content-Security-Policy.

// The chosen theme.
try {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Without access to storage (private mode, policy) the page uses the system's theme.
}

// The language: the chosen one, else the browser's first that the page has. Its catalog loads along with the script.
{
  let wanted = navigator.languages;
  try {
    wanted = [localStorage.getItem('language') ?? '', ...wanted];
  } catch {
    // Without access to storage (private mode, policy) the page uses the browser's languages.
  }
  const known = ['en', 'de', 'es', 'fr', 'ja'];
  const language = wanted.map((one) => one.slice(0, 2)).find((one) => known.includes(one)) ?? 'en';
  document.documentElement.lang = language;
  if (self.catalogs?.[language]) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = self.catalogs[language];
    document.head.append(link);
  }
}

// Without its script or style sheet the page can neither draw nor repair itself: it loads again once the service
// answers. The wait doubles with each failed load, so that a file that stays broken causes no reload loop.
addEventListener(
  'error',
  ({ target }) => {
    const style = target instanceof HTMLLinkElement && target.rel === 'stylesheet';
    if (window.reloading || !(style || (target instanceof HTMLScriptElement && target.src))) return;
    window.reloading = true;
    let failures = 5;
    try {
      failures = Number(sessionStorage.getItem('roshambo/failures')) || 0;
      sessionStorage.setItem('roshambo/failures', failures + 1);
    } catch {
      // Without storage it cannot count, and waits longer.
    }
    document.addEventListener('DOMContentLoaded', () => {
      document.getElementById('app').textContent = 'The page could not be loaded. It tries again by itself.';
    });
    const again = () => {
      fetch('/favicon.svg', { cache: 'no-store' }).then(
        ({ ok }) => (ok ? location.reload() : setTimeout(again, 5000)),
        () => setTimeout(again, 5000),
      );
    };
    setTimeout(again, Math.min(60, 2 ** failures) * 1000);
  },
  true,
);
