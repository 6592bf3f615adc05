// A duel on the page rides the page's event stream, and long polls while that is closed.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { most, span } from '../stores/budget.ts';
import { install, open, setVisible, Source, uninstall } from '../stores/stream.fake.ts';

const get = vi.hoisted(() => vi.fn());
const post = vi.hoisted(() => vi.fn());

vi.mock('../api/client.ts', async (original) => ({ ...(await original<object>()), get, post }));
vi.mock('../stores/session.svelte.ts', () => ({
  Declined: class extends Error {},
  session: { load: vi.fn(), ensure: () => Promise.resolve() },
}));
vi.mock('../stores/trust.svelte.ts', () => ({ trust: {} }));
vi.mock('../stores/unlocks.ts', () => ({ checkUnlocks: vi.fn() }));
vi.mock('./signed.ts', () => ({ isSigned: () => Promise.resolve(true), Unsigned: Error }));
vi.mock('./hands.ts', () => ({ forget: vi.fn(), sealedHand: () => ({ move: 'rock', salt: 'salt' }) }));

const code = 'AAAAAAAA';

/** A duel on the service. Long polls for its version are held until it changes. */
class Service {
  #version = 1;
  #held: (() => void)[] = [];
  readonly reads: ('read' | 'poll')[] = [];
  readonly times: number[] = [];
  you: 'a' | 'b' | null;

  constructor(you: 'a' | null) {
    this.you = you;
    get.mockImplementation(
      async (_: string, { wait, query }: { wait?: number; query?: { version: number } }) => {
        this.reads.push(wait ? 'poll' : 'read');
        this.times.push(performance.now());
        if (wait && query?.version === this.#version)
          await new Promise<void>((done) => this.#held.push(done));
        return { duel: { id: code, status: 'active', you: this.you, rounds: [], version: this.#version } };
      },
    );
  }

  async step(version: number): Promise<void> {
    this.#version = version;
    for (const done of this.#held.splice(0)) done();
    await vi.advanceTimersByTimeAsync(0);
  }
}

beforeEach(() => {
  install();
  vi.stubGlobal('window', new EventTarget());
});
afterEach(uninstall);

test('a duel polls until the stream names it, then reads after events alone', async () => {
  const [{ DuelState }, { events }] = await Promise.all([
    import('./state.svelte.ts'),
    import('../stores/events.svelte.ts'),
  ]);
  const service = new Service('a');
  const [state, page] = [new DuelState(code), new AbortController()];
  events.start();
  void state.follow(page.signal);
  await vi.advanceTimersByTimeAsync(3000);
  expect(service.reads.splice(0)).toEqual(['read', 'poll']);
  expect(open().url).toBe(`/api/events?duel=${code}`);
  open().emit('ready', {}, '1');
  open().emit('duel', { code, version: 1 });
  await service.step(2);
  // A version that the page knows, as after an own step, another duel, and a presence.
  open().emit('duel', { code, version: 2 });
  open().emit('duel', { code: 'BBBBBBBB', version: 9 });
  const presence = { a: { watching: true, gone_since: null }, b: { watching: false, gone_since: null } };
  open().emit('presence', { code, presence });
  await vi.advanceTimersByTimeAsync(30_000);
  expect([state.duel?.version, state.duel?.presence]).toEqual([2, presence]);
  expect(service.reads).toEqual([]);
  await service.step(4);
  open().emit('duel', { code, version: 3 });
  open().emit('duel', { code, version: 4 });
  await vi.advanceTimersByTimeAsync(1000);
  expect(state.duel?.version).toBe(4);
  expect(service.reads.splice(0)).toEqual(['read']);
  // Without events, it is read slowly.
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.reads.splice(0)).toEqual(['read']);
  // A lost stream, and a hidden page, which has none: a sealed hand must be revealed there, too.
  open().fail(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(service.reads.splice(0)).toEqual(['poll']);
  open().emit('ready', {}, '1');
  await service.step(5);
  await vi.advanceTimersByTimeAsync(1000);
  expect(service.reads.splice(0)).toEqual([]);
  setVisible(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(service.reads.splice(0)).toEqual(['poll']);
  setVisible(true);
  page.abort();
  await service.step(6);
  await vi.advanceTimersByTimeAsync(1);
  expect(Source.all.at(-1)?.url).toBe('/api/events?after=1');
});

test('a presence that comes during a read outlasts its answer', async () => {
  const [{ DuelState }, { events }] = await Promise.all([
    import('./state.svelte.ts'),
    import('../stores/events.svelte.ts'),
  ]);
  const there = (b: boolean) => ({
    a: { watching: true, gone_since: null },
    b: { watching: b, gone_since: null },
  });
  let version = 1;
  let answer = () => Promise.resolve();
  get.mockReset();
  get.mockImplementation(async () => {
    const duel = { id: code, status: 'active', you: 'a', rounds: [], version, presence: there(false) };
    await answer();
    return { duel };
  });
  const [state, page] = [new DuelState(code), new AbortController()];
  events.start();
  void state.follow(page.signal);
  await vi.advanceTimersByTimeAsync(3000);
  open().emit('ready', {}, '1');
  await vi.advanceTimersByTimeAsync(5000);
  let late: () => void = () => undefined;
  answer = () => new Promise<void>((done) => (late = done));
  version = 2;
  open().emit('duel', { code, version });
  await vi.advanceTimersByTimeAsync(1000);
  open().emit('presence', { code, presence: there(true) });
  late();
  await vi.advanceTimersByTimeAsync(0);
  expect(state.duel).toMatchObject({ version: 2, presence: there(true) });
  // A later read counts again.
  answer = () => Promise.resolve();
  await state.read();
  expect(state.duel?.presence).toEqual(there(false));
  page.abort();
});

test.each([true, false])(
  'a spectator reads within the budget of the page, and at once after joining (stream: %s)',
  async (streamed) => {
    if (!streamed) vi.stubGlobal('EventSource', undefined);
    const [{ DuelState }, { events }] = await Promise.all([
      import('./state.svelte.ts'),
      import('../stores/events.svelte.ts'),
    ]);
    const service = new Service(null);
    const [state, page] = [new DuelState(code), new AbortController()];
    events.start();
    void state.follow(page.signal);
    await vi.advanceTimersByTimeAsync(3000);
    if (streamed) open().emit('ready', {}, '1');
    let version = 1;
    const step = async () => {
      await service.step(++version);
      if (streamed) open().emit('duel', { code, version });
      await vi.advanceTimersByTimeAsync(1000);
    };
    for (let second = 0; second < 300; second++) await step();
    const times = service.times.slice(1); // the page begins with a read
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + span).length).toBeLessThanOrEqual(most);
    expect(state.duel?.version).toBeGreaterThan(version - 40);
    service.you = 'b';
    await service.step(++version);
    post.mockResolvedValue({ duel: { id: code, status: 'active', you: 'b', rounds: [], version } });
    await state.join();
    for (let second = 0; second < 10; second++) {
      await step();
      expect(state.duel?.version).toBe(version);
    }
    page.abort();
    await service.step(++version);
  },
);

test('a spectator sees steps by their events, and reads when one is missing, or a salt', async () => {
  const [{ DuelState }, { events }] = await Promise.all([
    import('./state.svelte.ts'),
    import('../stores/events.svelte.ts'),
  ]);
  const round = (n: number, outcome = 'pending') => {
    const move = outcome === 'pending' ? null : 'rock';
    return { round: n, outcome, move_a: move, move_b: move, salt_a: null, salt_b: null, deadline: null };
  };
  const wins = { a: 0, b: 0 };
  const first = { id: code, status: 'active', you: null, version: 1, wins, rounds: [round(1)] };
  get.mockReset();
  get.mockImplementation(() => Promise.resolve({ duel: first }));
  const [pageOfDuel, tv, page] = [new DuelState(code), new DuelState(code, false), new AbortController()];
  events.start();
  void tv.follow(page.signal);
  await vi.advanceTimersByTimeAsync(3000);
  open().emit('ready', {}, '1');
  await vi.advanceTimersByTimeAsync(20_000); // until no poll from before waits for its turn
  get.mockClear();
  const step = {
    code,
    status: 'active',
    version: 3,
    wins: { a: 1, b: 0 },
    rounds: [round(1, 'a'), round(2)],
  };
  open().emit('duel', step);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(tv.duel).toMatchObject({
    version: 3,
    wins: { a: 1, b: 0 },
    rounds: [{ outcome: 'a' }, { round: 2 }],
  });
  expect(get).not.toHaveBeenCalled();
  open().emit('duel', { ...step, version: 9, rounds: [round(4, 'tie'), round(5)] });
  await vi.advanceTimersByTimeAsync(16_000);
  expect(tv.duel?.version).toBe(3);
  expect(get).toHaveBeenCalled();
  page.abort();
  await vi.advanceTimersByTimeAsync(0);

  const other = new AbortController();
  void pageOfDuel.follow(other.signal);
  await vi.advanceTimersByTimeAsync(30_000);
  open().emit('ready', {}, '1');
  await vi.advanceTimersByTimeAsync(30_000);
  get.mockClear();
  open().emit('duel', step);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(pageOfDuel.duel?.version).toBe(3);
  expect(get).toHaveBeenCalled();
  other.abort();
});

test('a reveal that fails is repeated while the page shows the duel, and no longer', async () => {
  const { DuelState } = await import('./state.svelte.ts');
  const round = {
    round: 1,
    committed: { a: true, b: true },
    you_revealed: false,
    outcome: 'pending',
    commitment_a: 'hash',
    deadline: null,
  };
  get.mockResolvedValue({ duel: { id: code, status: 'active', you: 'a', rounds: [round], version: 1 } });
  post.mockRejectedValue(new Error('refused'));
  const [state, page] = [new DuelState(code), new AbortController()];
  void state.follow(page.signal);
  await vi.advanceTimersByTimeAsync(5000);
  expect(post.mock.calls.length).toBeGreaterThan(3);
  page.abort();
  await vi.advanceTimersByTimeAsync(0);
  post.mockClear();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(post).not.toHaveBeenCalled();
});
