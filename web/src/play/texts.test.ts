import { beforeEach, expect, test, vi } from 'vitest';
import { textHash } from '../../../verify/ts/verify.ts';
import type { Recorded } from './texts.ts';

vi.mock('../verifier.ts', () => ({ ask: (_: string, text: string) => Promise.resolve(textHash(text)) }));

const items = new Map<string, string>();
let full = false;
beforeEach(() => {
  items.clear();
  full = false;
  globalThis.localStorage = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (full) throw new Error('quota exceeded');
      items.set(name, value);
    },
    removeItem: (name: string) => void items.delete(name),
  } as Storage;
  vi.resetModules();
});

/** Returns the module as after a reload of the page. */
const loaded = () => {
  vi.resetModules();
  return import('./texts.ts');
};

const fresh = /^[0-9a-f]{16}$/;

/** Returns what is reported about a run; `stored` is whether the alarm could be stored. */
async function altered(texts: Awaited<ReturnType<typeof loaded>>, recorded: Recorded, stored = true) {
  const lines: object[] = [];
  await texts.reportAltered(recorded, (more) => {
    lines.push(...more.map((line) => JSON.parse(line) as object));
    return stored;
  });
  return lines;
}

test('each throw and each run has a fresh text, which is stored and the same after a reload', async () => {
  let texts = await loaded();
  const seed = texts.clientSeedFor('a', '');
  const sent = [1, 2, 3].map((n) => texts.entropyFor('a', n, ''));
  expect(new Set([seed, ...sent, texts.clientSeedFor('b', '')]).size).toBe(5);
  for (const text of [seed, ...sent]) {
    expect(text).toMatch(fresh);
    expect(items.get('roshambo/texts')).toContain(text);
  }
  texts = await loaded();
  // What the player enters after the text was stored comes too late.
  expect(texts.clientSeedFor('a', 'another')).toBe(seed);
  expect([3, 1, 2].map((n) => texts.entropyFor('a', n, 'another'))).toEqual([sent[2], sent[0], sent[1]]);
  expect([texts.storedSeed('a'), texts.storedEntropy('a', 2), texts.storedEntropy('a', 4)]).toEqual([
    seed,
    sent[1],
    null,
  ]);
});

test('a text of the player is stored in the form that the service accepts', async () => {
  const texts = await loaded();
  expect(texts.clientSeedFor('a', 'grüße, rook ♜')).toBe('grüße, rook ♜');
  expect(texts.entropyFor('a', 1, '\u0000\ud800')).toMatch(fresh);
  expect(texts.entropyFor('a', 2, '♜\n'.repeat(80))).toBe('♜'.repeat(64));
});

test('a browser that stores nothing more keeps the texts until the page is closed', async () => {
  const texts = await loaded();
  const seed = texts.clientSeedFor('a', '');
  full = true;
  const entropy = texts.entropyFor('a', 1, '');
  expect(texts.entropyFor('a', 1, '')).toBe(entropy);
  expect(texts.clientSeedFor('a', '')).toBe(seed);
});

test('the texts of the oldest of many runs are forgotten', async () => {
  const texts = await loaded();
  for (let i = 0; i <= 100; i++) texts.clientSeedFor(String(i), '');
  expect([texts.storedSeed('0'), texts.storedSeed('1') !== null]).toEqual([null, true]);
});

test('a run that has begun is known by its commitment', async () => {
  const texts = await loaded();
  texts.clientSeedFor('a', '');
  expect(texts.runOf('a')).toBe(null);
  texts.noteBegun('a', 'x');
  texts.noteBegun('b', 'y'); // a run of another browser
  expect([texts.runOf('a'), texts.runOf('b'), texts.storedSeed('b')]).toEqual(['x', null, null]);
});

test('what the house records is compared with what was sent, and a difference is reported once', async () => {
  const texts = await loaded();
  const seed = texts.clientSeedFor('a', '');
  const entropy = texts.entropyFor('a', 2, ''); // throw 1 was sent by another browser
  const run = (client_seed: string, second: string) => ({
    run_id: 'x',
    commitment: 'a',
    client_seed_hash: textHash(client_seed),
    throws: [
      { n: 1, entropy_hash: textHash('of another browser') },
      { n: 2, entropy_hash: textHash(second) },
    ],
  });
  expect(await altered(texts, run(seed, entropy))).toEqual([]);
  expect(await altered(texts, { ...run('made up', 'made up'), commitment: 'b' })).toEqual([]);
  const lines = await altered(texts, run('made up', 'made up'));
  expect(lines).toMatchObject([{ sent: { client_seed: seed } }, { sent: { throw: 2, entropy } }]);
  expect(await altered(texts, run('made up', 'made up'))).toEqual([]);
  expect(texts.entropyFor('a', 2, '')).toBe(entropy);
});

test('a house that states another commitment for a run receives the same texts, and is reported', async () => {
  const texts = await loaded();
  const seed = texts.clientSeedFor('a', '');
  texts.clientSeedFor('b', ''); // offered, and not used
  texts.noteBegun('a', 'x');
  texts.noteBegun('b', 'x');
  expect(texts.firstCommitment({ id: 'x', commitment: 'b' })).toBe('a');
  expect(texts.firstCommitment({ id: 'y', commitment: 'b' })).toBe('b');
  const stated = { run_id: 'x', commitment: 'b', client_seed_hash: textHash(seed), throws: [] };
  expect(await altered(texts, stated)).toEqual([
    { run_id: 'x', sent: { run_id: 'x', commitment: 'a' }, recorded_commitment: 'b' },
  ]);
  expect(await altered(texts, stated)).toEqual([]);
});

test('a difference that could not be stored is reported again', async () => {
  const texts = await loaded();
  texts.clientSeedFor('a', '');
  const recorded = { run_id: 'x', commitment: 'a', client_seed_hash: textHash('made up'), throws: [] };
  expect(await altered(texts, recorded, false)).toHaveLength(1);
  expect(await altered(texts, recorded)).toHaveLength(1);
  expect(await altered(texts, recorded)).toEqual([]);
});

test('neither the number of a throw nor the id of another run hides a difference', async () => {
  const texts = await loaded();
  const [seed, other] = [texts.clientSeedFor('a', ''), texts.clientSeedFor('b', '')];
  texts.noteBegun('a', 'x');
  texts.noteBegun('b', 'y');
  const entropy = texts.entropyFor('b', 1, '');
  const made = { client_seed_hash: textHash('made up'), throws: [] };
  expect(await altered(texts, { run_id: 'x', commitment: 'a', ...made })).toMatchObject([
    { sent: { client_seed: seed } },
  ]);
  // Run x is reported, and the house states its id for the other one.
  const throws = [{ n: 99, entropy_hash: textHash('made up') }];
  const stated = { run_id: 'x', commitment: 'b', client_seed_hash: textHash(other), throws };
  expect(await altered(texts, stated)).toEqual([
    { run_id: 'x', sent: { run_id: 'y', commitment: 'b' }, recorded_commitment: 'b' },
    { run_id: 'x', sent: { throw: 1, entropy }, recorded_hash: textHash('made up') },
  ]);
});
