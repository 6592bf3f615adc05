// What concerns other players on every page: the search for an opponent, and challenges.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { install, open, setVisible, uninstall } from './stream.fake.ts';

const { get, post, router, cue, say } = vi.hoisted(() => ({
  get: vi.fn(),
  post: vi.fn(),
  router: { path: '/duels', go: vi.fn() },
  cue: vi.fn(),
  say: vi.fn(),
}));

vi.mock('../api/client.ts', async (original) => ({ ...(await original<object>()), get, post }));
vi.mock('../router.svelte.ts', () => ({ router }));
vi.mock('./session.svelte.ts', () => ({ session: { ensure: () => Promise.resolve() } }));
vi.mock('./feel.svelte.ts', () => ({ feel: { cue } }));
vi.mock('./announce.svelte.ts', () => ({ announcer: { say } }));

/** The notifications that the browser has shown. */
let notes: { title: string; body: string; onclick?: () => void }[] = [];

class Note {
  static permission = 'granted';
  onclick?: () => void;
  constructor(
    readonly title: string,
    readonly options: { body: string },
  ) {
    notes.push({ title, body: options.body, onclick: () => this.onclick?.() });
  }
  close(): void {
    // Nothing to close here.
  }
}

beforeEach(() => {
  install();
  vi.stubGlobal('Notification', Note);
  vi.stubGlobal('window', Object.assign(new EventTarget(), { focus: vi.fn() }));
  notes = [];
  router.path = '/duels';
  router.go.mockImplementation((path: string) => (router.path = path));
});
afterEach(() => {
  uninstall();
  vi.clearAllMocks();
});

/** A service without strangers, until `match` answers the waiting call with a duel. */
function strangers() {
  let answer: ((out: unknown) => void) | null = null;
  post.mockImplementation((path: string) => {
    if (path === '/api/duels/spar') return Promise.resolve({ duel: { id: 'PRACTICE' } });
    if (path === '/api/duels/quick/leave') return Promise.resolve({ duel: null });
    return new Promise((done) => (answer = done));
  });
  return {
    calls: () => post.mock.calls.map(([path]) => String(path).replace('/api/duels/', '')),
    none: () => vi.waitFor(() => answer?.({ status: 'waiting' })),
    match: async () => {
      answer?.({ status: 'matched', duel: { id: 'STRANGER' } });
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

test('a search goes on during practice, and opens the duel from there', async () => {
  const { quick } = await import('./quick.svelte.ts');
  const service = strangers();
  void quick.start();
  void quick.start(); // one search at a time
  await vi.advanceTimersByTimeAsync(20_000);
  await service.none();
  await vi.advanceTimersByTimeAsync(0);
  expect(service.calls()).toEqual(['quick', 'quick']);
  await quick.practise();
  expect([router.path, quick.since !== null]).toEqual(['/d/PRACTICE', true]);
  await service.match();
  expect([router.path, quick.since, cue.mock.calls.length]).toEqual(['/d/STRANGER', null, 1]);
  expect(service.calls()).toEqual(['quick', 'quick', 'spar']);
});

test('a duel that is found elsewhere interrupts nothing', async () => {
  const [{ quick }, { fresh }] = await Promise.all([import('./quick.svelte.ts'), import('./fresh.ts')]);
  const service = strangers();
  const read = vi.fn();
  fresh.follow('turns', read, { first: false, seconds: Infinity });
  void quick.start();
  await vi.advanceTimersByTimeAsync(0);
  router.path = '/';
  await service.match();
  await vi.advanceTimersByTimeAsync(200);
  expect([router.path, read.mock.calls.length]).toEqual(['/', 1]); // "Your turn" leads to it
});

test('a stopped search leaves the queue, and its late answer opens nothing', async () => {
  const { quick } = await import('./quick.svelte.ts');
  const service = strangers();
  void quick.start();
  await vi.advanceTimersByTimeAsync(0);
  quick.stop();
  await service.match();
  expect([router.path, quick.since]).toEqual(['/duels', null]);
  expect(service.calls()).toEqual(['quick', 'quick/leave']);
});

const challenge = (id: string, username = 'kea') => ({ id, a: { username }, stake: 0 });

test('a challenge is told once, and goes with its end', async () => {
  const [{ challenges }, { fresh }, { events }] = await Promise.all([
    import('./challenges.svelte.ts'),
    import('./fresh.ts'),
    import('./events.svelte.ts'),
  ]);
  get.mockResolvedValue({ duels: [] });
  fresh.start();
  events.start();
  const stop = challenges.follow(true);
  await vi.advanceTimersByTimeAsync(3000);
  open().emit('ready', {}, '1');
  get.mockResolvedValue({ duels: [challenge('AAAAAAAA'), challenge('BBBBBBBB', 'tui')] });
  open().emit('duel_challenge', { code: 'AAAAAAAA' }, '2');
  await vi.advanceTimersByTimeAsync(200);
  const waiting = () => challenges.waiting.map(({ id }) => id);
  expect(waiting()).toEqual(['AAAAAAAA', 'BBBBBBBB']);
  expect([cue.mock.calls.length, say.mock.calls, notes]).toEqual([1, [['kea challenges you']], []]);
  open().emit('duel_cancelled', { code: 'AAAAAAAA' }, '3');
  expect(waiting()).toEqual(['BBBBBBBB']);
  const [tui] = challenges.waiting;
  if (tui) challenges.putAside(tui);
  setVisible(false);
  setVisible(true);
  get.mockResolvedValue({ duels: [challenge('BBBBBBBB', 'tui'), challenge('CCCCCCCC', 'moa')] });
  open().emit('duel_challenge', { code: 'CCCCCCCC' }, '4');
  await vi.advanceTimersByTimeAsync(200);
  expect(waiting()).toEqual(['CCCCCCCC']); // what was put aside stays so
  expect(get.mock.calls.length).toBe(3);
  stop();
  expect(waiting()).toEqual([]);
});

test('a late answer brings no challenge back, nor shows one to another player', async () => {
  const { challenges } = await import('./challenges.svelte.ts');
  const answers: ((body: object) => void)[] = [];
  get.mockImplementation(() => new Promise((done) => answers.push(done)));
  const duels = [challenge('AAAAAAAA'), challenge('BBBBBBBB')];
  let stop = challenges.follow(true);
  const [first] = duels as unknown as Parameters<typeof challenges.decline>[0][];
  post.mockResolvedValue({});
  if (first) await challenges.decline(first); // while the list is read
  answers[0]?.({ duels });
  await vi.advanceTimersByTimeAsync(0);
  expect(challenges.waiting.map(({ id }) => id)).toEqual(['BBBBBBBB']);
  stop();
  stop = challenges.follow(true);
  stop();
  answers[1]?.({ duels });
  await vi.advanceTimersByTimeAsync(0);
  expect([challenges.waiting, cue.mock.calls.length]).toEqual([[], 1]);
});

test('a hidden page shows a notification, whose click opens the duel', async () => {
  const { notify } = await import('./notify.svelte.ts');
  notify('kea challenges you', 'text', '/d/AAAAAAAA');
  expect(notes).toEqual([]);
  setVisible(false);
  notify('kea challenges you', 'text', '/d/AAAAAAAA');
  expect(notes).toMatchObject([{ title: 'kea challenges you', body: 'text' }]);
  notes[0]?.onclick?.();
  expect(router.path).toBe('/d/AAAAAAAA');
  Note.permission = 'denied';
  notify('again', 'text', '/d/AAAAAAAA');
  expect(notes.length).toBe(1);
  Note.permission = 'granted';
});

test('answers to a challenge join the duel or decline it', async () => {
  const { challenges } = await import('./challenges.svelte.ts');
  post.mockResolvedValue({});
  const one = challenge('AAAAAAAA') as unknown as Parameters<typeof challenges.accept>[0];
  await challenges.decline(one);
  expect(router.path).toBe('/duels');
  await challenges.accept(one);
  expect(router.path).toBe('/d/AAAAAAAA');
  expect(post.mock.calls.map(([path]) => path as string)).toEqual([
    '/api/duels/{code}/cancel',
    '/api/duels/{code}/join',
  ]);
});
