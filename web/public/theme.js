// Runs before the first paint, so that a chosen theme never flashes the other one.
// An inline script would do the same, but the Content-Security-Policy has no place for those.
try {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is closed to this page (private mode, policy): the system's theme is right then.
}
