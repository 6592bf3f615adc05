// A service that recovers from a loss of data marks its answers, and the page says so.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const all = vi.hoisted(() => vi.fn());
const fetched = vi.fn<() => Promise<Response>>();

vi.mock('./events.svelte.ts', () => ({ events: { connected: true, listen: vi.fn(), onLost: vi.fn() } }));
vi.mock('./fresh.ts', () => ({ fresh: { follow: vi.fn(), touch: vi.fn(), all } }));

beforeEach(() => {
  vi.resetModules();
  fetched.mockReset();
  vi.stubGlobal('document', Object.assign(new EventTarget(), { documentElement: { lang: 'en' } }));
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('fetch', fetched);
});
afterEach(() => vi.unstubAllGlobals());

const marked = { 'Roshambo-Recovering': '1' };

test('the page says that answers may be old, until the first one that is not marked', async () => {
  const { get } = await import('../api/client.ts');
  const { live } = await import('./live.svelte.ts');
  live.start();
  const after = async (status: number, headers = {}) => {
    fetched.mockResolvedValueOnce(new Response('{}', { status, headers }));
    await get('/api/tv').catch(() => undefined);
    return live.recovering;
  };
  expect(await after(200)).toBe(false);
  expect(await after(200, marked)).toBe(true);
  expect(await after(502)).toBe(true); // of a proxy
  expect(await after(503, marked)).toBe(true);
  expect(all).not.toHaveBeenCalled();
  expect(await after(200)).toBe(false);
  expect(all).toHaveBeenCalledOnce(); // what was read meanwhile may be old
});

test('a start that is refused during a recovery is not repeated with its seed', async () => {
  const { post } = await import('../api/client.ts');
  const headers = { ...marked, 'Retry-After': '1' };
  fetched.mockImplementation(() =>
    Promise.resolve(Response.json({ code: 'recovering' }, { status: 503, headers })),
  );
  await expect(post('/api/runs', { body: { entry: 'auto', client_seed: 'mine' } })).rejects.toMatchObject({
    code: 'recovering',
  });
  expect(fetched).toHaveBeenCalledOnce();
});
