// The alarm about a replaced commitment: stored with it, for each account, until its evidence is gone.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../api/client.ts';

const get = vi.hoisted(() => vi.fn());
vi.mock('../api/client.ts', async (original) => ({ ...(await original<object>()), get }));

const store = new Map<string, string>();

beforeEach(() => {
  store.clear();
  get.mockReset();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => store.set(key, value),
    removeItem: (key: string) => store.delete(key),
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Returns the envelope of a page that has just loaded. */
async function load() {
  vi.resetModules();
  return (await import('./envelope.svelte.ts')).envelope;
}

/** Returns the alarms of the page that was loaded last. */
const alarms = async () => (await import('./trust.svelte.ts')).trust;

/** What GET /api/me states about the next commitment. */
function me(address: string, commitment: string) {
  return {
    account: { address },
    next_commitment: { commitment, tx_hash: `tx ${commitment}`, height: 1 },
  } as never;
}

const transaction = (kind: string, data: object) => ({
  transaction: { kind, raw: JSON.stringify({ data }) },
});

/** A chain on which the transaction that published `b` is the start of a run with `used`. */
function chainWith(used: string): void {
  get.mockImplementation((path: string) =>
    Promise.resolve(
      path === '/api/chain/tx/{tx_hash}'
        ? transaction('run.start', { run_id: 'r', commitment: used })
        : { run: { commit_tx: 'tx none' } },
    ),
  );
}

test('an alarm stays after a reload and belongs to its account', async () => {
  let envelope = await load();
  await envelope.observe(me('ann', 'a'));
  expect(envelope.swapped).toBe(false);
  get.mockResolvedValue(transaction('account.create', {}));
  await envelope.observe(me('ann', 'b'));
  expect(envelope.swapped).toBe(true);
  await envelope.observe(me('ben', 'x'));
  expect(envelope.swapped).toBe(false);

  envelope = await load();
  await envelope.observe(me('ben', 'x'));
  expect(envelope.swapped).toBe(false);
  await envelope.observe(me('ann', 'b'));
  expect(envelope.swapped).toBe(true);
  // A later commitment that is accounted for does not end it.
  get.mockResolvedValue(transaction('run.start', { run_id: 'r', commitment: 'b' }));
  await envelope.observe(me('ann', 'c'));
  expect(envelope.swapped).toBe(true);
});

test('a replaced commitment raises the alarm with both, until the player discards it', async () => {
  let envelope = await load();
  await envelope.observe(me('ann', 'a'));
  expect((await alarms()).alarm).toBe(null);
  get.mockResolvedValue(transaction('account.create', {}));
  await envelope.observe(me('ann', 'b'));
  const other = envelope; // another tab
  envelope = await load();
  await envelope.observe(me('ann', 'b'));
  const trust = await alarms();
  expect(trust.alarm?.fault).toBe('commitment');
  expect(trust.alarm?.shown.note.split('\n').map((line) => JSON.parse(line) as object)).toEqual([
    { account: 'ann', unused: 'a' },
    { account: 'ann', commitment: 'b', tx_hash: 'tx b' },
  ]);
  trust.accept();
  expect([trust.alarm, envelope.swapped]).toEqual([null, false]);
  await other.observe(me('ann', 'b'));
  expect(other.swapped).toBe(false);
  envelope = await load();
  await envelope.observe(me('ann', 'b'));
  expect([(await alarms()).alarm, envelope.swapped]).toEqual([null, false]);
});

test('a second account whose commitment is replaced raises the alarm once the first one is discarded', async () => {
  const envelope = await load();
  const trust = await alarms();
  for (const name of ['ann', 'ben']) await envelope.observe(me(name, `${name}'s`));
  get.mockResolvedValue(transaction('account.create', {}));
  for (const name of ['ann', 'ben']) await envelope.observe(me(name, `not ${name}'s`));
  expect(trust.alarm?.shown.note).toContain('"unused":"ann\'s"');
  trust.accept();
  await envelope.observe(me('ben', "not ben's"));
  expect(trust.alarm?.shown.note).toContain('"unused":"ben\'s"');
});

test('an alarm of another tab is kept', async () => {
  const [one, two] = [await load(), await load()];
  for (const envelope of [one, two]) await envelope.observe(me('ann', 'a'));
  get.mockResolvedValue(transaction('account.create', {}));
  await one.observe(me('ann', 'b'));
  get.mockResolvedValue(transaction('run.start', { run_id: 'r', commitment: 'a' }));
  await two.observe(me('ann', 'c'));
  expect(two.swapped).toBe(true);
});

test('a commitment that a run used is no alarm', async () => {
  const envelope = await load();
  await envelope.observe(me('ann', 'a'));
  chainWith('a');
  await envelope.observe(me('ann', 'b'));
  expect(envelope.swapped).toBe(false);
});

test('a commitment that a recovery replaced is no alarm', async () => {
  const envelope = await load();
  await envelope.observe(me('ann', 'a'));
  get.mockResolvedValue(transaction('commitment.rotate', { commitment: 'z', next_commitment: 'b' }));
  await envelope.observe(me('ann', 'b'));
  expect(envelope.swapped).toBe(false);
});

test('after a failed request the next call traces again, and an unknown transaction is an alarm', async () => {
  const envelope = await load();
  await envelope.observe(me('ann', 'a'));
  get.mockRejectedValueOnce(new Error('offline'));
  await envelope.observe(me('ann', 'b'));
  expect(envelope.swapped).toBe(false);
  get.mockRejectedValueOnce(new ApiError(new Response(null, { status: 404 }), {}));
  await envelope.observe(me('ann', 'b'));
  expect(envelope.swapped).toBe(true);
});
