// Lazy-loaded chunks of the page's code. Loading fails when the service is down, or when a newer version of it serves
// chunks with other names.

/** A chunk could not be loaded. */
export class ChunkLoadError extends Error {
  override readonly name = 'ChunkLoadError';
}

/** Style sheets that failed to load, by chunk. */
const missing = new Map<string, Set<string>>();
/** Failed style sheets of each import in progress. */
const running = new Set<Set<string>>();

/** Runs a dynamic import and rejects with ChunkLoadError. The caller may run the same import again. */
export async function loadChunk<T>(name: string, run: () => Promise<T>): Promise<T> {
  const failed = missing.get(name) ?? new Set();
  running.add(failed);
  try {
    // A dynamic import never requests a failed style sheet again.
    await Promise.all([...failed].map(fetchStyle));
    failed.clear();
    const code = await run();
    missing.delete(name);
    return code;
  } catch (error) {
    missing.set(name, failed);
    throw new ChunkLoadError('Part of this page could not be loaded.', { cause: error });
  } finally {
    running.delete(failed);
  }
}

/** Records style sheets that fail to load, for the lifetime of the page. */
export function watchStyles(): void {
  document.addEventListener(
    'error',
    ({ target }) => {
      if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return;
      for (const failed of running) failed.add(target.href);
      target.remove();
    },
    true,
  );
}

function fetchStyle(href: string): Promise<unknown> {
  return new Promise((done, fail) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = href;
    link.addEventListener('load', done);
    link.addEventListener('error', () => {
      fail(new Error(`The style sheet ${href} could not be loaded.`));
    });
    document.head.append(link);
  });
}

/**
 * Reloads the document when a reachable service does not have its code: a newer version has been deployed. It reloads
 * at most once for each page and version, so that a missing chunk never causes a reload loop. Returns whether it
 * reloads.
 */
export function reloadOnce(path: string): boolean {
  const version = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? '';
  const key = `roshambo/reloaded ${version} ${path}`;
  try {
    if (sessionStorage.getItem(key) !== null) return false;
    sessionStorage.setItem(key, new Date().toISOString());
  } catch {
    return false; // Without storage the page cannot count its reloads.
  }
  location.reload();
  return true;
}
