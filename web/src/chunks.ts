// Lazy-loaded chunks of the page's code. Loading fails when the service is down, or when a newer version of it serves
// chunks with other names.

/** A chunk could not be loaded. */
export class ChunkLoadError extends Error {
  override readonly name = 'ChunkLoadError';
  readonly chunk: string;

  constructor(chunk: string, cause: unknown) {
    super('Part of this page could not be loaded.', { cause });
    this.chunk = chunk;
  }
}

/** Runs a dynamic import and rejects with ChunkLoadError. The caller may run the same import again. */
export async function loadChunk<T>(name: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new ChunkLoadError(name, error);
  }
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
