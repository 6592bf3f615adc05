// The history that the browser trusts: it grows, and what contradicts it is an alarm that stays.
import { beforeEach, expect, test, vi } from 'vitest';

const ask = vi.hoisted(() => vi.fn());
const get = vi.hoisted(() => vi.fn());
vi.mock('../verifier.ts', () => ({ ask }));
vi.mock('../api/client.ts', async (original) => ({ ...(await original<object>()), get }));

const items = new Map<string, string>();
beforeEach(() => {
  vi.useFakeTimers();
  items.clear();
  [ask, get].forEach((call) => call.mockReset());
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
    removeItem: (name: string) => items.delete(name),
  });
  vi.stubGlobal('addEventListener', () => undefined);
});

/** Returns the store as after a reload of the page. */
async function loaded() {
  vi.resetModules();
  return (await import('./trust.svelte.ts')).trust;
}

const key = 'roshambo.test/chain+6daf5554+AVlG';
const head = (checkpoint: string) => ({
  verifier_key: key,
  checkpoint,
  witnesses: { keys: [], quorum: 0 },
});
/** The verdict on the next comparison. */
const says = (is: string) => ask.mockResolvedValueOnce({ tree: null, is });
type Store = Awaited<ReturnType<typeof loaded>>;

/** The service shows a head, and the page compares it. */
async function shown(trust: Store, checkpoint: string): Promise<void> {
  trust.observe(head(checkpoint));
  await trust.check(head(checkpoint));
}

test('the newest consistent checkpoint is kept across a reload', async () => {
  let trust = await loaded();
  says('first');
  await shown(trust, 'one');
  says('grown');
  await shown(trust, 'two');
  says('older');
  await shown(trust, 'one');
  expect(trust.checkpoint?.note).toBe('two');
  trust = await loaded();
  expect(trust.checkpoint?.note).toBe('two');
  says('same');
  await shown(trust, 'two');
  // The next head is compared with the kept one.
  expect(ask.mock.lastCall?.slice(1)).toMatchObject([
    { key, note: 'two' },
    { key, note: 'two' },
  ]);
  expect(trust.alarm).toBe(null);
});

test.each(['root', 'history', 'signature'])(
  'a fault of the chain (%s) stays until the user accepts it',
  async (fault) => {
    let trust = await loaded();
    says('first');
    await shown(trust, 'one');
    says(fault);
    await shown(trust, 'other');
    expect(trust.alarm).toMatchObject({ fault, kept: { note: 'one' }, shown: { note: 'other' } });
    expect(trust.checkpoint?.note).toBe('one');
    // The service shows the kept chain again, to this tab and after a reload.
    says('same');
    await shown(trust, 'one');
    expect(trust.alarm?.fault).toBe(fault);
    trust = await loaded();
    expect(trust.alarm).toMatchObject({ fault, shown: { note: 'other' } });
    trust.accept();
    expect([trust.alarm, trust.checkpoint]).toEqual([null, null]);
    trust = await loaded();
    expect(trust.alarm).toBe(null);
  },
);

test('a log that looks shorter is read again before it is an alarm', async () => {
  const trust = await loaded();
  says('first');
  await shown(trust, 'two');
  get.mockResolvedValue({ head: head('one') });
  says('shorter');
  says('same'); // the first answer was late
  await shown(trust, 'one');
  expect(trust.alarm).toBe(null);
  says('shorter');
  says('shorter');
  await shown(trust, 'one');
  expect(trust.alarm?.fault).toBe('shorter');
});

test('another key is an alarm at once, and its history is not kept', async () => {
  const trust = await loaded();
  says('first');
  await shown(trust, 'one');
  const other = { ...head('other'), verifier_key: 'other.test/chain+00000000+AVlG' };
  trust.observe(other);
  expect(trust.alarm?.fault).toBe('key');
  ask.mockClear();
  expect(await trust.check(other)).toMatchObject({ is: 'key' });
  expect(ask).not.toHaveBeenCalled();
  expect([trust.pin?.key, trust.checkpoint?.note]).toEqual([key, 'one']);
});

test('a check that cannot be made is no alarm', async () => {
  const trust = await loaded();
  ask.mockRejectedValueOnce(new Error('no tiles'));
  trust.observe(head('one'));
  await expect(trust.check(head('one'))).rejects.toThrow('no tiles');
  expect([trust.alarm, trust.checkpoint]).toEqual([null, null]);
  says('first');
  await trust.check(head('one'));
  expect(trust.checkpoint?.note).toBe('one');
});

test('an alarm about a game waits behind a weightier one, over a reload, until each is discarded', async () => {
  let trust = await loaded();
  says('first');
  await shown(trust, 'one');
  expect(trust.report('texts', ['sent'])).toBe(true);
  says('root');
  await shown(trust, 'other');
  expect(trust.report('check', ['seed'])).toBe(true);
  const discarded: string[] = [];
  trust = await loaded();
  trust.onDiscard(({ fault }) => discarded.push(fault));
  const notes = [];
  while (trust.alarm) {
    notes.push(trust.alarm.shown.note);
    trust.accept();
  }
  expect(notes).toEqual(['other', 'sent', 'seed']);
  expect(discarded).toEqual(['root', 'texts', 'check']);
  trust = await loaded();
  expect(trust.alarm).toBe(null);
});

test('what is found later about a fault is added to its alarm, on display or waiting, once', async () => {
  let trust = await loaded();
  expect(trust.report('check', ['seed 1', 'receipt'])).toBe(true);
  expect(trust.report('check', ['seed 2', 'receipt'])).toBe(true);
  says('first');
  await shown(trust, 'one');
  says('root');
  await shown(trust, 'other');
  expect(trust.report('check', ['seed 3'])).toBe(true); // it waits behind the fault of the chain
  trust = await loaded();
  trust.accept();
  expect(trust.alarm?.shown.note).toBe('seed 1\nreceipt\nseed 2\nseed 3');
});

test('evidence of any size raises the alarm, and what has no room comes once that is discarded', async () => {
  let trust = await loaded();
  expect(trust.report('check', ['x'.repeat(6e6)])).toBe(true);
  const long = Array.from({ length: 200 }, (_, i) => `${String(i)} ${'y'.repeat(3000)}`);
  expect(trust.report('check', long)).toBe(false);
  expect(items.get('roshambo/alarm')?.length).toBeLessThan(300_000);
  trust = await loaded();
  expect(trust.alarm?.fault).toBe('check');
  trust.accept();
  expect(trust.report('check', ['the last'])).toBe(true);
  expect(trust.alarm?.shown.note).toBe('the last');
});

test('an alarm that could not be stored is not reported as kept, and outlasts changes by other tabs', async () => {
  const changes: (() => void)[] = [];
  vi.stubGlobal('addEventListener', (_: string, listener: () => void) => changes.push(listener));
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: () => {
      throw new Error('quota exceeded');
    },
    removeItem: (name: string) => items.delete(name),
  });
  const trust = await loaded();
  trust.start();
  expect(trust.report('check', ['seed'])).toBe(false);
  expect(trust.report('texts', ['sent'])).toBe(false); // it waits
  for (const change of changes) change();
  expect(trust.alarm?.shown.note).toBe('seed');
  trust.accept();
  expect(trust.alarm?.shown.note).toBe('sent');
});
