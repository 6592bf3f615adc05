import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const post = vi.hoisted(() => vi.fn());
const get = vi.hoisted(() => vi.fn());
const account = vi.hoisted(() => ({
  me: {
    account: { address: 'ann' },
    next_commitment: { commitment: 'c' },
    active_run: null as object | null,
  },
  load: vi.fn(() => Promise.resolve<object | null>(null)),
}));
const report = vi.hoisted(() => vi.fn<(fault: string, texts: string[]) => boolean>());
const fair = vi.hoisted(() => ({ seedHolds: true, moveHolds: true, outcomeHolds: true }));
const checkUnlocks = vi.hoisted(() => vi.fn());
const noteDaily = vi.hoisted(() => vi.fn());
const items = new Map<string, string>();

vi.mock('../api/client.ts', async (original) => ({ ...(await original<object>()), post, get }));
vi.mock('../play/fairness.ts', async (original) => ({
  ...(await original<object>()),
  checkThrow: (run: { throws: { seed: string }[] }, n: number) =>
    Promise.resolve({ n, seed: run.throws[n - 1]?.seed, digest: 'hashed', drawn: 'paper', ...fair }),
}));
vi.mock('../play/drama.svelte.ts', () => ({
  drama: { start: () => Promise.resolve(), end: () => undefined },
}));
vi.mock('./feel.svelte.ts', () => ({ feel: { cue: () => undefined } }));
vi.mock('./live.svelte.ts', () => ({ live: { expectBlock: () => undefined } }));
vi.mock('./session.svelte.ts', () => ({
  Declined: class extends Error {},
  session: {
    ...account,
    ensure: () => Promise.resolve(account.me),
    guest: () => Promise.resolve(account.me),
    note: () => undefined,
    noteDaily,
  },
}));
vi.mock('./trust.svelte.ts', () => ({ trust: { report } }));
vi.mock('./unlocks.ts', () => ({ checkUnlocks }));
vi.mock('../verifier.ts', () => ({ ask: (_: string, text: string) => Promise.resolve(`hash of ${text}`) }));

/** Returns a run in a status, with the texts that the house has recorded. Each throw is a rock. */
function run(status: string, seed = '', entropy: readonly string[] = []) {
  const throws = entropy.map((text, i) => ({
    n: i + 1,
    move: 'rock',
    entropy_hash: `hash of ${text}`,
    seed: '',
  }));
  return { id: 'x', status, commitment: 'c', client_seed_hash: `hash of ${seed}`, throws };
}

/** Returns a response with a run in a status. */
function response(...state: Parameters<typeof run>) {
  return { run: run(...state), next_commitment: null, balance: 0 };
}

interface Sent {
  entry?: string;
  client_seed?: string;
  entropy: string;
}

/** Returns the evidence of the alarms about a fault so far. */
const reported = (fault: string) =>
  report.mock.calls.flatMap(([of, texts]) =>
    of === fault ? texts.map((text) => JSON.parse(text) as object) : [],
  );

/** Returns the bodies of the requests so far. */
const bodies = () => post.mock.calls.map(([, { body }]) => body as Sent);

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  post.mockReset();
  report.mockReset().mockReturnValue(true);
  Object.assign(fair, { seedHolds: true, moveHolds: true, outcomeHolds: true });
  checkUnlocks.mockReset();
  noteDaily.mockReset();
  account.load.mockReset().mockResolvedValue(null);
  items.clear();
  globalThis.localStorage = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  } as Storage;
});

afterEach(() => vi.useRealTimers());

/** Returns the store once it has read that the account has no run. */
async function restored() {
  const { game } = await import('./game.svelte.ts');
  await game.resume();
  return game;
}

/** Returns the store after a first throw, and forgets that request. */
async function thrown(status: string) {
  const game = await restored();
  post.mockResolvedValueOnce(response(status));
  await game.throw('rock');
  expect(post.mock.calls.map(([path]) => path as string)).toEqual(['/api/runs']);
  post.mockReset();
  return game;
}

test('nothing is thrown before the page has read the run of an earlier visit', async () => {
  const { game } = await import('./game.svelte.ts');
  let answer: (me: object) => void = () => undefined;
  account.load.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  const resumed = game.resume();
  await game.throw('rock');
  expect([post.mock.calls.length, game.restored]).toEqual([0, false]);
  answer({ ...account.me, active_run: run('active') });
  await resumed;
  post.mockResolvedValueOnce(response('active'));
  await game.throw('rock');
  expect(post.mock.calls.map(([path]) => path as string)).toEqual(['/api/runs/{run_id}/throw']);
});

test('two taps on a hand throw once', async () => {
  const game = await restored();
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

test('a run that ended earlier does not replace the one that began while it was read', async () => {
  await thrown('lost');
  vi.resetModules(); // a reload
  const game = await restored();
  account.load.mockResolvedValue({ ...account.me, active_run: null });
  let answer: (body: unknown) => void = () => undefined;
  get.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  const resumed = game.resume();
  await vi.waitFor(() => {
    expect(get).toHaveBeenCalledOnce();
  });
  post.mockResolvedValueOnce(response('active'));
  await game.throw('rock');
  answer({ run: run('lost') });
  await resumed;
  expect([game.phase, game.run?.status]).toEqual(['active', 'active']);
});

test('a run that another tab has ended is over here after a refused decision', async () => {
  await thrown('lost'); // stores the end of an earlier run
  vi.resetModules();
  const { game } = await import('./game.svelte.ts');
  const { ApiError } = await import('../api/client.ts');
  account.load.mockResolvedValueOnce({ ...account.me, active_run: { ...run('deciding'), id: 'y' } });
  await game.resume();
  await vi.advanceTimersByTimeAsync(1000);
  account.load.mockResolvedValue({ ...account.me, active_run: null });
  post.mockRejectedValueOnce(new ApiError(new Response(null, { status: 409 }), { code: 'run_state' }));
  get.mockResolvedValueOnce({ run: { ...run('claimed'), id: 'y' } });
  await game.risk();
  await vi.waitFor(() => {
    expect([game.phase, game.run?.id, game.error]).toEqual(['ended', 'y', null]);
  });
  expect(get).toHaveBeenLastCalledWith('/api/runs/{run_id}', { path: { run_id: 'y' } });
});

test('the daily entry is used once', async () => {
  const game = await restored();
  game.entry = 'daily';
  const { run, ...rest } = response('lost');
  post.mockResolvedValueOnce({ ...rest, run: { ...run, entry: 'daily' } });
  await game.throw('rock');
  expect(bodies()[0]?.entry).toBe('daily');
  expect(noteDaily).toHaveBeenCalledOnce();
  expect(game.entry).toBe('auto');
});

test('a lost answer and a reload repeat the texts of the first request', async () => {
  let game = await restored();
  post.mockRejectedValueOnce(new Error('no answer'));
  await game.throw('rock');
  expect(items.get('roshambo/texts')).toContain(bodies()[0]?.entropy);
  vi.resetModules(); // a reload
  game = await restored();
  account.load.mockResolvedValue({ ...account.me, active_run: null });
  await game.resume();
  expect([game.draft.fixed, game.draft.clientSeed]).toEqual([true, bodies()[0]?.client_seed]);
  post.mockResolvedValueOnce(response('active'));
  await game.throw('rock');
  expect(bodies()[1]).toEqual(bodies()[0]);
  expect(game.draft.fixed).toBe(false);
});

test('after a lost answer the page reads the run, and throws again only if nothing was thrown', async () => {
  const game = await thrown('active');
  post.mockRejectedValueOnce(new Error('no answer'));
  const lost = game.throw('rock');
  await vi.advanceTimersByTimeAsync(1000);
  await lost;
  const [sent] = bodies();
  post.mockReset();
  // The server has not received it: the same text goes out again.
  account.load.mockResolvedValue({ ...account.me, active_run: run('active') });
  post.mockRejectedValueOnce(new Error('no answer'));
  await game.throw('paper');
  expect(bodies()).toEqual([{ move: 'paper', entropy: sent?.entropy }]);
  post.mockReset();
  // The server has received it: the result is shown, and the hand is not thrown on top.
  account.load.mockResolvedValue({ ...account.me, active_run: run('active', '', [sent?.entropy ?? '']) });
  await game.throw('paper');
  expect(post).not.toHaveBeenCalled();
  expect(game.last?.n).toBe(1);
});

test('after the end of a session nothing is thrown or decided, and the page asks how to go on', async () => {
  const { session } = await import('./session.svelte.ts');
  const choose = vi.fn();
  const ended = { was: { name: 'ada', guest: false }, choose };
  const game = await restored();
  Object.assign(session, ended);
  await game.throw('rock');
  expect([choose.mock.calls.length, post.mock.calls.length, game.thrown]).toEqual([1, 0, null]);
  Object.assign(session, { was: null });
  post.mockResolvedValueOnce(response('deciding'));
  await game.throw('rock');
  await vi.advanceTimersByTimeAsync(1000);
  Object.assign(session, ended);
  await game.risk();
  await game.claim();
  expect([choose.mock.calls.length, post.mock.calls.length]).toEqual([3, 1]);
  Object.assign(session, { was: null });
});

test('a run with another commitment than before gets no second text for a throw', async () => {
  const game = await thrown('active');
  post.mockRejectedValueOnce(new Error('no answer'));
  const lost = game.throw('rock');
  await vi.advanceTimersByTimeAsync(1000);
  await lost;
  account.load.mockResolvedValue({ ...account.me, active_run: { ...run('active'), commitment: 'd' } });
  post.mockRejectedValueOnce(new Error('no answer'));
  await game.throw('rock');
  expect(bodies()[1]).toEqual(bodies()[0]);
});

test('a seed that was sent with a commitment is not sent with the one after a recovery', async () => {
  const game = await restored();
  post.mockRejectedValueOnce(new Error('recovering'));
  await game.throw('rock');
  account.me.next_commitment = { commitment: 'd' };
  account.load.mockResolvedValue(account.me);
  post.mockResolvedValueOnce(response('active'));
  await game.throw('rock');
  account.me.next_commitment = { commitment: 'c' };
  expect(bodies()).toHaveLength(2);
  expect(bodies()[1]?.client_seed).not.toBe(bodies()[0]?.client_seed);
});

test('texts that the house has recorded otherwise are reported', async () => {
  const game = await restored();
  post.mockImplementationOnce((_: string, { body }: { body: Sent }) =>
    Promise.resolve(response('active', body.client_seed ?? '', ['made up'])),
  );
  await game.throw('rock');
  await vi.waitFor(() => {
    expect(reported('texts')).not.toEqual([]);
  });
  expect(reported('texts')).toEqual([
    {
      run_id: 'x',
      sent: { throw: 1, entropy: bodies()[0]?.entropy },
      recorded_hash: 'hash of made up',
    },
  ]);
});

test.each(['seedHolds', 'moveHolds', 'outcomeHolds'] as const)(
  'a throw whose check fails (%s) raises the alarm once, also after a reload and with the next throw',
  async (part) => {
    fair[part] = false;
    let game = await restored();
    post.mockImplementationOnce((_: string, { body }: { body: Sent }) =>
      Promise.resolve(response('active', body.client_seed ?? '', [body.entropy])),
    );
    await game.throw('rock');
    await vi.waitFor(() => {
      expect(reported('check')).not.toEqual([]);
    });
    const evidence = { game: 'x', n: 1, commitment: 'c', sealed: 'c', digest: 'hashed', drawn: 'paper' };
    expect(reported('check')).toMatchObject([evidence]);
    expect(game.checks).toMatchObject([{ n: 1, [part]: false }]);
    vi.resetModules(); // a reload
    game = await restored();
    const [sent] = bodies();
    account.load.mockResolvedValue({
      ...account.me,
      active_run: run('active', sent?.client_seed, [sent?.entropy ?? '']),
    });
    await game.resume();
    expect(game.checks).toMatchObject([{ n: 1, [part]: false }]);
    expect(reported('check')).toHaveLength(1);
  },
);

type Answered = ReturnType<typeof run>;
type Change = [what: string, change: (answer: Answered) => object];
const others: Change[] = [
  ['another run', (answer) => ({ ...answer, id: 'z' })],
  ['another commitment', (answer) => ({ ...answer, commitment: 'd' })],
  [
    'another earlier throw',
    ({ throws: [first, ...rest], ...answer }) => ({ ...answer, throws: [{ ...first, seed: 'z' }, ...rest] }),
  ],
];
const ofThrows: Change[] = [
  [
    'another hand than was sent',
    ({ throws: [first, last], ...answer }) => ({ ...answer, throws: [first, { ...last, move: 'paper' }] }),
  ],
  ['no new throw', ({ throws, ...answer }) => ({ ...answer, throws: throws.slice(0, 1) })],
];

/** Returns the store after a first throw in a status, with the run that its answer has stated. */
async function begun(status: string) {
  const game = await restored();
  post.mockImplementationOnce((_: string, { body }: { body: Sent }) =>
    Promise.resolve(response(status, body.client_seed ?? '', [body.entropy])),
  );
  await game.throw('rock');
  await vi.advanceTimersByTimeAsync(1000);
  expect(reported('check')).toEqual([]);
  return { game, first: game.run as unknown as Answered };
}

test.each([...others, ...ofThrows])(
  'a throw that is answered with %s raises the alarm',
  async (_, change) => {
    const { game, first } = await begun('active');
    post.mockImplementationOnce((__: string, { body }: { body: Sent }) => {
      const next = { n: 2, move: 'rock', entropy_hash: `hash of ${body.entropy}`, seed: '' };
      return Promise.resolve({ run: change({ ...first, throws: [...first.throws, next] }) });
    });
    await game.throw('rock');
    expect(reported('check')).toMatchObject([{ game: 'x', kept: { commitment: 'c', sent: 'rock' } }]);
  },
);

test.each(others)('a decision that is answered with %s raises the alarm', async (_, change) => {
  const { game, first } = await begun('deciding');
  post.mockResolvedValueOnce({ run: change({ ...first, status: 'active' }) });
  await game.risk();
  expect(reported('check')).toMatchObject([{ game: 'x', kept: { commitment: 'c' } }]);
});

test('a run that goes on as it was raises no alarm', async () => {
  const { game, first } = await begun('deciding');
  post.mockResolvedValueOnce({ run: { ...first, status: 'active' } });
  await game.risk();
  post.mockImplementationOnce((_: string, { body }: { body: Sent }) => {
    const next = { n: 2, move: 'rock', entropy_hash: `hash of ${body.entropy}`, seed: '' };
    return Promise.resolve({ run: { ...first, throws: [...first.throws, next] } });
  });
  await game.throw('rock');
  await vi.advanceTimersByTimeAsync(0);
  expect(report).not.toHaveBeenCalled();
});

test.each([
  ['lost', 1],
  ['active', 0],
])(
  'a run that is %s after its first throw is followed by %i look at what it has unlocked',
  async (status, n) => {
    await thrown(status);
    expect(checkUnlocks).toHaveBeenCalledTimes(n);
  },
);

test('a token is burned only once it is selected and confirmed, and by its number', async () => {
  const game = await restored();
  game.select('burn');
  await game.throw('rock');
  const token = { token_id: 12, tier: 1, material: 'Clay' };
  game.select('burn', token);
  await game.throw('rock');
  game.confirmed = true;
  game.select('burn', { ...token, token_id: 13 }); // another token is not confirmed
  await game.throw('rock');
  expect(post).not.toHaveBeenCalled();
  game.confirmed = true;
  post.mockResolvedValueOnce(response('lost'));
  await game.throw('rock');
  expect(bodies()).toMatchObject([{ entry: 'burn', token_id: 13 }]);
  // The next run burns nothing.
  expect([game.entry, game.token, game.confirmed]).toEqual(['auto', null, false]);
});

test('a refused burn is confirmed again', async () => {
  const game = await restored();
  const { ApiError } = await import('../api/client.ts');
  game.select('burn', { token_id: 12, tier: 1, material: 'Clay' });
  game.confirmed = true;
  post.mockRejectedValueOnce(new ApiError(new Response(null, { status: 409 }), { code: 'token_listed' }));
  await game.throw('rock');
  expect([game.token, game.confirmed, game.unconfirmed]).toEqual([null, false, true]);
});

test('an entry without a burned token names none', async () => {
  const game = await restored();
  post.mockResolvedValueOnce(response('active'));
  await game.throw('rock');
  expect(bodies()[0]).not.toHaveProperty('token_id');
});

test('what one player has chosen is not chosen for another one', async () => {
  const game = await restored();
  const { viewer } = await import('./viewer.svelte.ts');
  viewer.pass('ann');
  game.select('fee');
  viewer.pass('ann');
  expect(game.entry).toBe('fee');
  viewer.pass('bob');
  expect(game.entry).toBe('auto');
});

test.each(['throw', 'claim'] as const)('a %s of one player is not shown to another', async (act) => {
  const game = await restored();
  const { viewer } = await import('./viewer.svelte.ts');
  viewer.pass('ann');
  if (act === 'claim') {
    post.mockResolvedValueOnce(response('deciding'));
    await game.throw('rock');
    await vi.advanceTimersByTimeAsync(1000);
  }
  let answer: (body: object) => void = () => undefined;
  post.mockReturnValueOnce(new Promise((done) => (answer = done)));
  const sent = act === 'claim' ? game.claim() : game.throw('rock');
  await vi.advanceTimersByTimeAsync(0);
  viewer.pass('bob');
  expect(game.run).toBe(null);
  answer(response(act === 'claim' ? 'claimed' : 'active'));
  await sent;
  expect([game.run, game.error, game.thrown, game.busy]).toEqual([null, null, null, false]);
});

test('a throw that another window has sent is shown, and not sent again as the next one', async () => {
  const game = await restored();
  post.mockResolvedValueOnce(response('active', '', ['one']));
  await game.throw('rock');
  const texts = await import('../play/texts.ts');
  const other = texts.entropyFor('c', 2, '');
  const played = run('active', '', ['one', other]);
  account.load.mockResolvedValue({ ...account.me, active_run: played });
  post.mockReset();
  await game.throw('rock');
  expect([post.mock.calls.length, game.run]).toEqual([0, played]);
  post.mockResolvedValueOnce(response('active', '', ['one', other, 'three']));
  vi.setSystemTime(Date.now() + 10_000);
  await Promise.all([game.throw('rock'), vi.runAllTimersAsync()]);
  expect(bodies().map(({ entropy }) => entropy)).toEqual([texts.storedEntropy('c', 3)]);
  expect(texts.storedEntropy('c', 3)).not.toBe(other);
});
