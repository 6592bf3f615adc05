// What the client repeats by itself: the same request, with the same key, and no more often than it helps.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

interface Sent {
  path: string;
  key: string | null;
  token: string | null;
  at: number;
}
type Reply = { status: number; body?: object; headers?: Record<string, string> } | 'lost';

let sent: Sent[];
let replies: Reply[];

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  [sent, replies] = [[], []];
  vi.stubGlobal('fetch', (path: string, { headers }: RequestInit) => {
    const given = new Headers(headers);
    sent.push({
      path,
      key: given.get('Idempotency-Key'),
      token: given.get('X-CSRF-Token'),
      at: Date.now(),
    });
    const reply = replies.shift() ?? { status: 200 };
    if (reply === 'lost') return Promise.reject(new TypeError('network'));
    const { status, body, headers: own } = reply;
    return Promise.resolve(new Response(JSON.stringify(body ?? {}), { status, headers: own ?? {} }));
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Sends a POST, and returns its outcome after ten minutes: the name and code of an error, or "ok". */
async function outcomeOf(signal?: AbortSignal, step = false): Promise<string> {
  const { post } = await import('./client.ts');
  const sending = step
    ? post('/api/duels/{code}/commit', { path: { code: 'AAAAAAAA' }, body: { commitment: 'c', round: 1 } })
    : post('/api/faucet', signal ? { signal } : {});
  const outcome = sending.then(
    () => 'ok',
    (error: unknown) => {
      const { code, name } = error as Error & { code?: unknown };
      return typeof code === 'string' ? code : name;
    },
  );
  await vi.advanceTimersByTimeAsync(600_000);
  return outcome;
}

/** Returns the seconds between the requests. */
const pauses = () => sent.slice(1).map(({ at }, i) => (at - (sent[i]?.at ?? 0)) / 1000);
const busy = (headers: Record<string, string> = {}) => ({
  status: 503,
  body: { code: 'unavailable' },
  headers,
});

test('a request whose answer was lost is repeated with the same key', async () => {
  replies = ['lost', 'lost', { status: 200 }];
  expect(await outcomeOf()).toBe('ok');
  expect(sent).toHaveLength(3);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  expect(pauses()).toEqual([0, 1]);
});

test('after three attempts the client gives up', async () => {
  replies = ['lost', 'lost', 'lost', { status: 200 }];
  expect(await outcomeOf()).toBe('Unreachable');
  expect(sent).toHaveLength(3);
});

test('two requests of the player have two keys', async () => {
  await outcomeOf();
  await outcomeOf();
  expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
});

test.each([
  ['as long as the service asks', busy({ 'Retry-After': '3' }), [3]],
  ['for a second if it does not say', busy(), [1]],
  ['while an earlier attempt is in flight', { status: 409, body: { code: 'idempotency_in_flight' } }, [0.5]],
  ['after a conflict', { status: 409, body: { code: 'conflict' } }, [0.5]],
])('the client waits %s', async (_, reply, waits) => {
  replies = [reply];
  expect(await outcomeOf()).toBe('ok');
  expect(pauses()).toEqual(waits);
});

test.each([
  [busy({ 'Retry-After': '60' }), 'unavailable'],
  [{ status: 409, body: { code: 'run_active' } }, 'run_active'],
  [{ status: 422, body: { detail: [] } }, 'invalid'],
  [{ status: 401, body: { code: 'unauthenticated' } }, 'unauthenticated'],
])('the player decides whether to repeat %o', async (reply, code) => {
  replies = [reply];
  expect(await outcomeOf()).toBe(code);
  expect(sent).toHaveLength(1);
});

test('a step of a duel is repeated every five seconds until its deadline, whatever it is refused with', async () => {
  const refused = {
    status: 429,
    body: { code: 'rate_limited' },
    headers: { 'Retry-After': '59', RateLimit: '"ip";r=0;t=59', 'RateLimit-Policy': '"ip";q=240;w=60' },
  };
  replies = Array<Reply>(7).fill(refused);
  expect(await outcomeOf(undefined, true)).toBe('ok');
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  for (const pause of pauses()) expect(pause).toBeLessThanOrEqual(8);
  expect((sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0)).toBeLessThan(60_000);
});

test('an outdated CSRF token is renewed once', async () => {
  const refused = { status: 403, body: { code: 'csrf_failed' } };
  replies = [refused, { status: 200, body: { csrf_token: 'fresh' } }, { status: 200 }];
  expect(await outcomeOf()).toBe('ok');
  expect(sent.map(({ path, token }) => [path, token])).toEqual([
    ['/api/faucet', ''],
    ['/api/me', null],
    ['/api/faucet', 'fresh'],
  ]);
  replies = [refused, { status: 200 }, refused];
  expect(await outcomeOf()).toBe('csrf_failed');
});

test('a page that has left repeats nothing', async () => {
  const page = new AbortController();
  replies = [busy({ 'Retry-After': '3' })];
  setTimeout(() => {
    page.abort();
  }, 1000);
  expect(await outcomeOf(page.signal)).toBe('AbortError');
  expect(sent).toHaveLength(1);
});

test('a read is not repeated', async () => {
  const { get } = await import('./client.ts');
  replies = ['lost'];
  await expect(get('/api/tiers')).rejects.toMatchObject({ name: 'Unreachable' });
  expect(sent).toHaveLength(1);
});
