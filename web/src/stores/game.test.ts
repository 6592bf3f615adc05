import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const post = vi.hoisted(() => vi.fn());

vi.mock('../api/client.ts', async (original) => ({ ...(await original<object>()), post }));
vi.mock('../play/fairness.ts', () => ({ checkThrow: () => Promise.resolve(null) }));
vi.mock('../play/drama.svelte.ts', () => ({
  drama: { start: () => Promise.resolve(), end: () => undefined },
}));
vi.mock('./feel.svelte.ts', () => ({ feel: { cue: () => undefined } }));
vi.mock('./live.svelte.ts', () => ({ live: { refresh: () => undefined } }));
vi.mock('./session.svelte.ts', () => ({
  session: {
    me: null,
    ensure: () => Promise.resolve(),
    load: () => Promise.resolve(null),
    note: () => undefined,
  },
}));

/** Returns a response with a run in a status. */
function response(status: string) {
  return { run: { id: 'x', status, throws: [] }, next_commitment: null, balance: 0 };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  post.mockReset();
});

afterEach(() => vi.useRealTimers());

/** Returns the store after a first throw, and forgets that request. */
async function thrown(status: string) {
  const { game } = await import('./game.svelte.ts');
  post.mockResolvedValueOnce(response(status));
  await game.throw('rock');
  expect(post.mock.calls.map(([path]) => path as string)).toEqual(['/api/runs']);
  post.mockReset();
  return game;
}

test('two taps on a hand throw once', async () => {
  const { game } = await import('./game.svelte.ts');
  post.mockResolvedValue(response('active'));
  await Promise.all([game.throw('rock'), game.throw('rock')]);
  expect(post).toHaveBeenCalledOnce();
});

test.each(['claim', 'risk'] as const)('a double tap after a win does not %s', async (act) => {
  const game = await thrown('deciding');
  await game[act]();
  await vi.advanceTimersByTimeAsync(500); // the longest double tap of common systems
  await game[act]();
  expect(post).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(500);
  post.mockResolvedValueOnce(response(act === 'claim' ? 'claimed' : 'active'));
  await game[act]();
  expect(post).toHaveBeenCalledOnce();
});

test('a double tap after a loss keeps the finished run', async () => {
  const game = await thrown('lost');
  game.next();
  await vi.advanceTimersByTimeAsync(500);
  game.next();
  expect(game.run).not.toBeNull();
  await vi.advanceTimersByTimeAsync(500);
  game.next();
  expect(game.run).toBeNull();
});

test('a throw after the first one waits for the spacing of the server, without another request', async () => {
  const game = await thrown('active');
  const { rules } = await import('./rules.svelte.ts');
  post.mockResolvedValueOnce(response('active'));
  const second = game.throw('paper');
  await vi.advanceTimersByTimeAsync(rules.spacing - 1);
  expect(post).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await second;
  expect(post).toHaveBeenCalledOnce();
});
