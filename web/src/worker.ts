// Registers the service worker (sw.js), with which the page opens and verifies proofs without a network.

/** Milliseconds after the load: the worker fetches the whole page, and the first throw has priority. */
const delay = 5000;

interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ) => {
    createScriptURL: (url: string) => string;
  };
}

export function registerWorker(): void {
  forgetFailures();
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  const register = () => {
    // A browser that refuses (private mode, policy) has the page with a network only.
    navigator.serviceWorker.register(scriptURL()).catch(() => undefined);
  };
  const later = () => setTimeout(register, delay);
  if (document.readyState === 'complete') later();
  else addEventListener('load', later, { once: true });
}

/** The Content-Security-Policy accepts a worker's address from this policy alone. */
function scriptURL(): string {
  const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('roshambo-worker', { createScriptURL: () => '/sw.js' });
  return policy?.createScriptURL('') ?? '/sw.js';
}

/** The page has started: start.js counts failed loads from zero again. */
function forgetFailures(): void {
  try {
    sessionStorage.removeItem('roshambo/failures');
  } catch {
    // Without storage nothing was counted.
  }
}
