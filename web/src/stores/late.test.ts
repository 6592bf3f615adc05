// Answers that are late: a request that was sent, and perhaps answered, before the cause of a later one.
import type { Me } from '../api/shapes.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const get = vi.hoisted(() => vi.fn());
const post = vi.hoisted(() => vi.fn());

vi.mock('../api/client.ts', async (original) => ({ ...(await original<object>()), get, post }));
vi.mock('./events.svelte.ts', () => ({ events: { connected: true, listen: vi.fn(), onLost: vi.fn() } }));
vi.mock('./retry.svelte.ts', () => ({ retryWhenBack: vi.fn() }));
vi.mock('./storage.ts', () => ({ getStored: () => null, isText: vi.fn(), setStored: vi.fn() }));
vi.mock('./trust.svelte.ts', () => ({ trust: {} }));
vi.mock('./unlocks.ts', () => ({ checkUnlocks: vi.fn() }));
vi.mock('../duel/signed.ts', () => ({ isSigned: () => Promise.resolve(true), Unsigned: Error }));
vi.mock('../duel/hands.ts', () => ({
  sealedHand: (commitment: string) => ({ move: 'rock', salt: commitment }),
  forget: vi.fn(),
}));

/** Answers to the requests of `call`, given by the test in any order. */
class Held {
  readonly answers: ((body: unknown) => void)[] = [];
  constructor(call: typeof get) {
    call.mockImplementation(() => new Promise((done) => this.answers.push(done)));
  }
  async answer(n: number, body: unknown): Promise<void> {
    this.answers[n]?.(body);
    await vi.advanceTimersByTimeAsync(0);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  get.mockReset();
  post.mockReset();
  vi.stubGlobal(
    'document',
    Object.assign(new EventTarget(), { hidden: false, documentElement: { hasAttribute: () => false } }),
  );
  vi.stubGlobal('window', new EventTarget());
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a value is not replaced by the answer to an earlier request', async () => {
  const { Loaded } = await import('./loaded.svelte.ts');
  const held = new Held(get);
  const loaded = new Loaded<unknown>(() => get() as Promise<unknown>);
  void loaded.load();
  void loaded.load();
  await held.answer(1, 'second');
  await held.answer(0, 'first');
  expect(loaded.value).toBe('second');
  await held.answer(2, 'third');
  expect(loaded.value).toBe('third');
});

test('the account is read again if that is asked for during a read', async () => {
  const { session } = await import('./session.svelte.ts');
  const held = new Held(get);
  const account = (balance: number) => ({ balance, account: {} });
  void Promise.all([session.load(), session.load()]);
  await vi.advanceTimersByTimeAsync(0);
  expect(held.answers).toHaveLength(1);
  const loaded = session.load();
  await held.answer(0, account(1000));
  expect(session.me).toEqual(account(1000));
  await held.answer(1, account(900));
  expect(await loaded).toEqual(account(900));
  expect(held.answers).toHaveLength(2);
});

test('the height of a commitment is not lost to an older answer', async () => {
  const { session } = await import('./session.svelte.ts');
  const held = new Held(get);
  const next = (height: number | null, commitment = '1') => ({ commitment, height });
  void session.load();
  await vi.advanceTimersByTimeAsync(0);
  await held.answer(0, { account: {}, balance: 0, bound: 0, next_commitment: next(7) });
  session.note({ next_commitment: next(null) as Me['next_commitment'] });
  expect(session.me?.next_commitment).toEqual(next(7));
  session.note({ next_commitment: next(null, '2') as Me['next_commitment'] });
  expect(session.me?.next_commitment).toEqual(next(null, '2'));
});

test('the daily run is open to a visitor without an account, and closed by its start until the next day', async () => {
  vi.setSystemTime('2026-11-28T23:30:00Z');
  const { session } = await import('./session.svelte.ts');
  const { clock } = await import('./clock.svelte.ts');
  clock.now = Date.now();
  expect(session.dailyOpen).toBe(false); // who the visitor is is not known yet
  const held = new Held(get);
  void session.load();
  await vi.advanceTimersByTimeAsync(0);
  await held.answer(0, { account: {}, entry_options: [{ entry: 'daily', available: true, left: 1 }] });
  expect(session.dailyOpen).toBe(true);
  session.noteDaily();
  expect(session.dailyOpen).toBe(false);
  clock.now = Date.parse('2026-11-29T00:00:01Z');
  expect(session.dailyOpen).toBe(true);
  session.forget();
  expect(session.dailyOpen).toBe(true);
});

test('the account is read again if its answer causes that', async () => {
  const { session } = await import('./session.svelte.ts');
  const held = new Held(get);
  void session.load();
  await vi.advanceTimersByTimeAsync(0);
  // An effect of Svelte runs in a microtask after the change.
  vi.spyOn(session, 'state', 'set').mockImplementationOnce(() => {
    queueMicrotask(() => void session.load());
  });
  await held.answer(0, { account: {} });
  expect(held.answers).toHaveLength(2);
});

test('the head is read again if a block comes during a read', async () => {
  const { live } = await import('./live.svelte.ts');
  const held = new Held(get);
  const head = (hash: string) => ({ head: { hash, pending: 0 } });
  live.refresh();
  live.refresh();
  await held.answer(0, head('1'));
  await vi.advanceTimersByTimeAsync(0);
  await held.answer(1, head('2'));
  expect(live.head?.hash).toBe('2');
  await vi.advanceTimersByTimeAsync(1000);
  expect(held.answers).toHaveLength(2);
});

test('a reveal whose answer is late is followed by that of the next round', async () => {
  const { DuelState } = await import('../duel/state.svelte.ts');
  const [read, revealed] = [new Held(get), new Held(post)];
  const both = { a: true, b: true };
  const round = (n: number, mine: boolean) => ({
    round: n,
    committed: both,
    you_revealed: mine,
    outcome: mine ? 'a' : 'pending',
    commitment_a: `${n}`,
  });
  const at = (version: number, ...rounds: object[]) => ({
    duel: { version, status: 'active', you: 'a', rounds },
  });
  const duel = new DuelState('K7M2Q9XA');
  void duel.read();
  await read.answer(0, at(1, round(1, false)));
  void duel.read();
  await read.answer(1, at(4, round(1, true), round(2, false)));
  await revealed.answer(0, at(2, round(1, true)));
  expect(post.mock.lastCall?.[1]).toMatchObject({ body: { salt: '2', round: 2 } });
});
