import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** A fake link element. */
class Link extends EventTarget {
  rel = '';
  href = '';
  removed = false;
  remove(): void {
    this.removed = true;
  }
}

/** A fake document; `added` are the links that the page adds to its head. */
class Page extends EventTarget {
  readonly added: Link[] = [];
  readonly head = { append: (link: Link) => this.added.push(link) };
  createElement(): Link {
    return new Link();
  }
  querySelector(): { src: string } {
    return { src: 'index-1.js' };
  }
}

let page: Page;

beforeEach(() => {
  vi.resetModules();
  page = new Page();
  vi.stubGlobal('document', page);
  vi.stubGlobal('HTMLLinkElement', Link);
});

afterEach(() => vi.unstubAllGlobals());

/** Reports a style sheet that failed to load. Events of a real link reach the document by capture. */
function failStyle(href: string): Link {
  const link = Object.assign(new Link(), { rel: 'stylesheet', href });
  const event = new Event('error');
  Object.defineProperty(event, 'target', { value: link });
  page.dispatchEvent(event);
  return link;
}

test('a chunk that failed to load is requested again', async () => {
  const { ChunkLoadError, loadChunk } = await import('./chunks.ts');
  const run = vi.fn(() => Promise.resolve('code'));
  run.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  await expect(loadChunk('play', run)).rejects.toBeInstanceOf(ChunkLoadError);
  await expect(loadChunk('play', run)).resolves.toBe('code');
  expect(run).toHaveBeenCalledTimes(2);
});

test('the next load of a chunk requests its failed style sheets again', async () => {
  const { loadChunk, watchStyles } = await import('./chunks.ts');
  watchStyles();
  let link: Link | undefined;
  const broken = (): Promise<string> => {
    link = failStyle('play.css');
    return Promise.reject(new Error('Unable to preload CSS'));
  };
  await expect(loadChunk('play', broken)).rejects.toThrow();
  expect(link?.removed).toBe(true);
  const run = vi.fn(() => Promise.resolve('code'));
  const again = loadChunk('play', run);
  expect(page.added.map(({ href }) => href)).toEqual(['play.css']);
  expect(run).not.toHaveBeenCalled();
  page.added[0]?.dispatchEvent(new Event('load'));
  await expect(again).resolves.toBe('code');
  await loadChunk('play', run);
  expect(page.added).toHaveLength(1);
});

test('a page whose code is missing reloads once for each version', async () => {
  const { reloadOnce } = await import('./chunks.ts');
  const stored = new Map<string, string>();
  const reload = vi.fn();
  vi.stubGlobal('location', { reload });
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  expect(reloadOnce('/play')).toBe(true);
  expect(reloadOnce('/play')).toBe(false);
  page.querySelector = () => ({ src: 'index-2.js' });
  expect(reloadOnce('/play')).toBe(true);
  expect(reload).toHaveBeenCalledTimes(2);
});
