// Starts the worker. Browsers apply no Subresource Integrity to the script of a worker, so the page fetches the script
// with the digest of the import map and starts the worker from what it fetched.

import address from './worker.ts?worker&url';

interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ) => { createScriptURL: (url: string) => string };
}

export async function start(): Promise<Worker> {
  if (import.meta.env.DEV) return new Worker(address, { type: 'module' });
  const response = await fetch(address, { integrity: digest() });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return new Worker(trusted(URL.createObjectURL(await response.blob())), { type: 'module' });
}

/** Returns the digest of the script in this build. fetch would take an empty one for none. */
function digest(): string {
  const map = document.querySelector('script[type=importmap]')?.textContent ?? '{}';
  const found = (JSON.parse(map) as { integrity?: Record<string, string> }).integrity?.[address];
  if (!found) throw new Error('The page has no digest of the verifier.');
  return found;
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;

/** The Content-Security-Policy accepts a worker's address from this policy alone. */
function trusted(url: string): string {
  const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy('roshambo-verifier', { createScriptURL: (blob) => blob });
  return policy?.createScriptURL(url) ?? url;
}
