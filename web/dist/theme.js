// Applies the chosen theme before the first paint. It is a file because the Content-Security-Policy forbids inline
// scripts.
try {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Without access to storage (private mode, policy) the page uses the system's theme.
}
