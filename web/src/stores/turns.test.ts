// "Your turn" in a hidden tab: its stream stays open, and a notification says so.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { install, open, setVisible, Source, uninstall } from './stream.fake.ts';

const get = vi.hoisted(() => vi.fn());
vi.mock('../api/client.ts', async (original) => ({ ...(await original<object>()), get }));
vi.mock('../pages/Play.svelte', () => ({ default: null }));
vi.mock('./feel.svelte.ts', () => ({ feel: { cue: vi.fn() } }));

/** The notifications of the browser. */
class Note {
  static permission: NotificationPermission = 'granted';
  static shown: Note[] = [];
  static requestPermission(): Promise<NotificationPermission> {
    Note.permission = 'granted';
    return Promise.resolve(Note.permission);
  }
  readonly title: string;
  readonly tag: string;
  onclick: (() => void) | null = null;
  constructor(title: string, { tag }: { tag: string }) {
    [this.title, this.tag] = [title, tag];
    Note.shown.push(this);
  }
}

beforeEach(() => {
  install();
  get.mockReset();
  [Note.permission, Note.shown] = ['granted', []];
  vi.stubGlobal('Notification', Note);
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('location', { pathname: '/', search: '' });
});
afterEach(uninstall);

/** A duel of the viewer, side a, in its first round. */
function duel(id: string, committed: boolean) {
  const round = { outcome: 'pending', committed: { a: committed, b: false }, deadline: null };
  return { id, you: 'a', status: 'active', rounds: [round] };
}

function listed(...duels: object[]): void {
  get.mockResolvedValue({ duels });
}

/** A page of a signed-in player, with its stream. */
async function page() {
  const [{ turns }, { fresh }, { events }] = await Promise.all([
    import('./turns.svelte.ts'),
    import('./fresh.ts'),
    import('./events.svelte.ts'),
  ]);
  fresh.start();
  events.start();
  const stop = turns.follow();
  await vi.advanceTimersByTimeAsync(3000);
  open().emit('ready', {}, '1');
  return { turns, events, stop };
}

async function hide(): Promise<void> {
  setVisible(false);
  await vi.advanceTimersByTimeAsync(60_000);
}

test('a hidden page notifies of a turn, once', async () => {
  await page();
  listed(duel('AAAAAAAA', true));
  await hide();
  expect(get).not.toHaveBeenCalled();
  listed(duel('AAAAAAAA', false));
  for (let step = 0; step < 2; step++) {
    open().emit('duel', { code: 'AAAAAAAA', version: step }, '');
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(get).toHaveBeenCalledTimes(2);
  expect(Note.shown).toMatchObject([{ title: 'Your turn', tag: '/d/AAAAAAAA' }]);
  listed(duel('AAAAAAAA', false), duel('BBBBBBBB', false));
  open().emit('duel_started', {}, '2');
  await vi.advanceTimersByTimeAsync(1000);
  expect(Note.shown.at(-1)?.tag).toBe('/d/BBBBBBBB');
});

test('a hidden page reads nothing for events of others', async () => {
  await page();
  await hide();
  for (const kind of ['block', 'feed', 'duel_created', 'cup']) open().emit(kind, {}, '3');
  await vi.advanceTimersByTimeAsync(600_000);
  expect(get).not.toHaveBeenCalled();
});

test.each(['default', 'denied'] as const)(
  'without permission (%s) a hidden page closes its stream',
  async (state) => {
    Note.permission = state;
    await page();
    await hide();
    expect(Source.all.at(-1)?.readyState).toBe(Source.CLOSED);
  },
);

test('permission keeps the stream at once, and signing out closes it', async () => {
  Note.permission = 'default';
  const { notifications } = await import('./notify.svelte.ts');
  const { stop } = await page();
  expect(notifications.state).toBe('off');
  await notifications.toggle();
  expect(notifications.state).toBe('on');
  await hide();
  expect(open().readyState).toBe(1);
  stop();
  expect(Source.all.at(-1)?.readyState).toBe(Source.CLOSED);
});

test('"Notify me" switches notifications on, also when another tab has asked for them meanwhile', async () => {
  Note.permission = 'default';
  const { notifications } = await import('./notify.svelte.ts');
  expect(notifications.state).toBe('off');
  Note.permission = 'granted';
  await notifications.toggle();
  expect([notifications.state, notifications.on]).toEqual(['on', true]);
});

test('notifications that are switched off stay off after a reload, and close the stream of a hidden page', async () => {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
    removeItem: (name: string) => items.delete(name),
  });
  const { notifications } = await import('./notify.svelte.ts');
  await page();
  expect(notifications.state).toBe('on');
  await notifications.toggle();
  expect(notifications.state).toBe('off');
  await hide();
  expect(Source.all.at(-1)?.readyState).toBe(Source.CLOSED);
  vi.resetModules();
  const { notifications: after, notify } = await import('./notify.svelte.ts');
  expect(after.state).toBe('off');
  notify('Your turn', 'text', '/d/AAAAAAAA');
  expect(Note.shown).toEqual([]);
  await after.toggle();
  notify('Your turn', 'text', '/d/AAAAAAAA');
  expect(Note.shown.length).toBe(1);
});

test.each([
  ['denied', 'blocked'],
  ['granted', 'on'],
  ['default', 'off'],
] as const)('with the permission %s the settings say %s', async (state, says) => {
  Note.permission = state;
  const { notifications } = await import('./notify.svelte.ts');
  expect(notifications.state).toBe(says);
});

test('a hidden page is not present at the duel on display; a visible one is again', async () => {
  const { events } = await page();
  events.name('CCCCCCCC');
  await vi.advanceTimersByTimeAsync(0);
  expect(open().url).toContain('duel=CCCCCCCC');
  await hide();
  expect(open().url).not.toContain('duel=');
  events.name('CCCCCCCC');
  await vi.advanceTimersByTimeAsync(0);
  expect(open().url).not.toContain('duel=');
  setVisible(true);
  expect(open().url).toContain('duel=CCCCCCCC');
});

test('of several hidden tabs one keeps its stream', async () => {
  const held = new Set<string>();
  const request = async (name: string, _: object, run: (lock: object | null) => unknown) => {
    if (held.has(name)) return run(null);
    held.add(name);
    await run({});
    return held.delete(name);
  };
  vi.stubGlobal('navigator', { locks: { request } });
  await page();
  const first = open();
  vi.resetModules();
  await page();
  const second = open();
  await hide();
  expect([first.readyState, second.readyState]).toEqual([1, Source.CLOSED]);
  setVisible(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(held.size).toBe(0);
});

test('a page that is visible shows the turn without a notification', async () => {
  const { turns } = await page();
  listed(duel('AAAAAAAA', false));
  open().emit('duel', { code: 'AAAAAAAA', version: 1 }, '');
  await vi.advanceTimersByTimeAsync(1000);
  expect(turns.waiting).toEqual(['AAAAAAAA']);
  expect(Note.shown).toEqual([]);
});
