// The page's code that comes in files of its own, fetched when it is needed. A fetch may fail: the service is away, or
// a newer version of it serves files with other names.

/** A file of the page's own code could not be fetched. */
export class CodeMissing extends Error {
  override readonly name = 'CodeMissing';
}

/** Style sheets that failed to load, by the name of the code that they belong to. */
const missing = new Map<string, Set<string>>();
/** Of the imports that run now: the style sheets that failed meanwhile. */
const running = new Set<Set<string>>();

/** Runs the dynamic import of that name; fails with CodeMissing. The same import may be run again. */
export async function fetchCode<T>(name: string, run: () => Promise<T>): Promise<T> {
  const failed = missing.get(name) ?? new Set();
  running.add(failed);
  try {
    // An import asks for each of its style sheets only once, also when that fails.
    await Promise.all([...failed].map(fetchStyle));
    failed.clear();
    const code = await run();
    missing.delete(name);
    return code;
  } catch (error) {
    missing.set(name, failed);
    throw new CodeMissing('A part of this page could not be loaded.', { cause: error });
  } finally {
    running.delete(failed);
  }
}

/** Takes note of style sheets that fail to load, for as long as the page lives. */
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
 * Reloads the document because its code cannot be fetched from a service that answers: a newer version of the page has
 * been deployed. At most once for each page of each version, so that a file that is missing for good never makes the
 * browser load in a loop. Returns whether it reloads.
 */
export function reloadOnce(path: string): boolean {
  const version = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? '';
  const key = `roshambo/reloaded ${version} ${path}`;
  try {
    if (sessionStorage.getItem(key) !== null) return false;
    sessionStorage.setItem(key, new Date().toISOString());
  } catch {
    return false; // Without a memory there is no way to know how often.
  }
  location.reload();
  return true;
}
