// Addresses that differ in their query string alone.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

vi.mock('./pages/Play.svelte', () => ({ default: null }));
vi.mock('./api/client.ts', async (original) => ({
  ...(await original<object>()),
  get: () => new Promise(() => undefined),
}));

/** The address bar and the history of a browser, as far as the router uses them. */
class Browser extends EventTarget {
  entries: URL[] = [new URL('http://example.org/')];
  get location(): URL {
    return this.entries.at(-1) as URL;
  }
  readonly history = {
    state: null,
    pushState: (_: unknown, __: string, address: string) => {
      this.entries.push(new URL(address, this.location));
    },
    replaceState: (_: unknown, __: string, address: string) => {
      this.entries.splice(-1, 1, new URL(address, this.location));
    },
  };
  back(): void {
    this.entries.pop();
    this.dispatchEvent(new Event('popstate'));
  }
}

let browser: Browser;
const fakeLocation = {};

beforeEach(() => {
  vi.resetModules();
  browser = new Browser();
  vi.stubGlobal('history', browser.history);
  for (const name of ['origin', 'pathname', 'search', 'href'] as const)
    Object.defineProperty(fakeLocation, name, { get: () => browser.location[name], configurable: true });
  vi.stubGlobal('location', fakeLocation);
  const documentElement = { lang: 'en', dataset: {}, hasAttribute: () => false };
  vi.stubGlobal('document', Object.assign(new EventTarget(), { documentElement }));
  vi.stubGlobal('addEventListener', browser.addEventListener.bind(browser));
  vi.stubGlobal('scrollTo', vi.fn());
});

afterEach(() => {
  vi.unstubAllGlobals();
});

async function started() {
  const { router } = await import('./router.svelte.ts');
  router.start();
  return router;
}

test('a link to another query of the page changes what it shows, and back restores it', async () => {
  const router = await started();
  router.go('/leaderboard?board=duels');
  router.go('/leaderboard?board=teams');
  expect([router.path, router.query.get('board')]).toEqual(['/leaderboard', 'teams']);
  browser.back();
  expect([router.path, router.query.get('board')]).toEqual(['/leaderboard', 'duels']);
  browser.back();
  expect([router.path, router.query.get('board')]).toEqual(['/', null]);
});

test('a choice on the page changes the address without an entry in the history', async () => {
  const router = await started();
  router.go('/market');
  router.replace('/market?tier=3');
  expect(browser.location.search).toBe('?tier=3');
  expect(router.query.get('tier')).toBe('3');
  browser.back();
  expect(router.path).toBe('/');
});

test.each([
  ['Leaderboard', 'board=teams', /aria-pressed="true"[^>]*>Teams</],
  ['Leaderboard', 'board=unknown', /aria-pressed="true"[^>]*>All time</],
  ['Stats', 'by=hour', /aria-pressed="true"[^>]*>By hour</],
  ['Stats', '', /aria-pressed="true"[^>]*>By day</],
  ['Market', 'sort=newest', /<option value="newest" selected/],
  ['Season', 'number=2', />Current season</],
])('%s shows what ?%s asks for', async (page, query, shown) => {
  await started();
  const [{ load }, { render }] = await Promise.all([import('./router.svelte.ts'), import('svelte/server')]);
  const props = { params: {}, query: new URLSearchParams(query) };
  expect(render(await load(page), { props }).body).toMatch(shown);
});
