// The page shows the file that the player has chosen last, whatever ends later.
import { beforeEach, expect, test, vi } from 'vitest';
import type { Entry } from './file.ts';
import { FileCheck } from './filecheck.svelte.ts';

const { newestDuel, verifyFile, fetchProof, verify } = vi.hoisted(() => ({
  newestDuel: vi.fn(),
  verifyFile: vi.fn(),
  fetchProof: vi.fn(),
  verify: vi.fn(),
}));
vi.mock('./file.ts', () => ({ newestDuel, verifyFile }));
vi.mock('./proof.ts', () => ({ duelProofAddress: (code: string) => code, fetchProof, verify }));

const settled = () => new Promise((done) => setTimeout(done, 0));

/** The calls of a function, which the test ends in any order. */
class Held {
  readonly #calls: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];
  constructor(call: typeof verify) {
    call.mockReset();
    call.mockImplementation(() => new Promise((resolve, reject) => this.#calls.push({ resolve, reject })));
  }
  async end(n: number, value: unknown): Promise<void> {
    if (value instanceof Error) this.#calls[n]?.reject(value);
    else this.#calls[n]?.resolve(value);
    await settled();
  }
}

const bytes = (text: string) => new TextEncoder().encode(text).buffer;
const picked = (name: string) => ({ name, arrayBuffer: () => Promise.resolve(bytes(name)) });
const verified = (format: string, waiting = false) => ({ report: { format }, waiting });
const single = (format: string, waiting = false) => ({ single: verified(format, waiting), entries: null });
/** The proofs of the file "one two". */
const one: Entry = { line: 1, from: 0, to: 3, game: '', outcome: 'valid' };
const two: Entry = { line: 2, from: 4, to: 7, game: '', outcome: 'valid' };

let newest: Held;
let fetches: Held;
let verifications: Held;
let check: FileCheck;

beforeEach(() => {
  newest = new Held(newestDuel);
  fetches = new Held(fetchProof);
  verifications = new Held(verifyFile);
  verify.mockReset();
  verify.mockImplementation((file: ArrayBuffer) => Promise.resolve(verified(new TextDecoder().decode(file))));
  check = new FileCheck(() => Promise.resolve({ key: null, witnesses: [], quorum: 0 }));
});

/** Opens the file "one two". */
async function openTwo(): Promise<void> {
  void check.open(picked('one two'));
  await settled();
  await verifications.end(0, { single: null, entries: [one, two] });
}

/** Fetches a proof that is in no block yet. */
async function fetchEarly(): Promise<void> {
  void check.tryNewest();
  await newest.end(0, 'ABCD2345');
  await fetches.end(0, bytes('early'));
  await verifications.end(0, single('early', true));
}

test.each([
  ['asks for the duel', 0],
  ['reads the proof', 1],
  ['is verified', 2],
] as const)('a fetch that %s when the player opens a file changes nothing', async (_, step) => {
  void check.tryNewest();
  expect(check.fetching).toBe(true);
  const steps = [
    () => newest.end(0, 'ABCD2345'),
    () => fetches.end(0, bytes('fetched')),
    () => verifications.end(0, single('fetched')),
  ];
  for (const end of steps.slice(0, step)) await end();
  void check.open(picked('own'));
  expect([check.fetching, check.fetched, check.file]).toEqual([false, null, null]);
  await settled();
  await steps[step]?.();
  expect([check.file?.name, check.result]).toEqual(['own', null]);
  await verifications.end(step < 2 ? 0 : 1, single('own'));
  expect([check.file?.name, check.result?.report.format]).toEqual(['own', 'own']);
  expect([check.fetched, check.error]).toEqual([null, null]);
  expect(verifyFile).toHaveBeenCalledTimes(step < 2 ? 1 : 2);
});

test('the error of the newest action is shown, with its repetition, and no other one', async () => {
  void check.tryNewest();
  void check.open(picked('own'));
  await newest.end(0, new Error('refused'));
  expect(check.error).toBeNull();
  void check.tryNewest();
  await newest.end(1, new Error('refused'));
  expect([check.error, check.fetching]).toEqual([new Error('refused'), false]);
  void check.retry();
  expect([check.error, check.fetching]).toEqual([null, true]);
  await newest.end(2, null);
  expect([check.noDuel, check.fetching]).toEqual([true, false]);
});

test.each([
  ['another file', () => check.open(picked('other'))],
  ['a fetch', () => check.tryNewest()],
])('no verdict stands while %s is under way', async (_, begin) => {
  await openTwo();
  await check.choose(one);
  expect([check.result?.report.format, check.shown, check.list?.entries.length]).toEqual(['one', 1, 2]);
  void begin();
  for (let step = 0; step < 2; step++) {
    expect([check.result, check.shown, check.list]).toEqual([null, null, null]);
    await settled();
    await check.choose(one);
  }
  expect(verify).toHaveBeenCalledTimes(1);
});

test('a chosen proof is shown unless another one or another file is chosen meanwhile', async () => {
  await openTwo();
  const reports = new Held(verify);
  void check.choose(one);
  void check.choose(two);
  await settled();
  await reports.end(1, verified('two'));
  await reports.end(0, verified('one'));
  expect([check.result?.report.format, check.shown]).toEqual(['two', 2]);
  void check.choose(one);
  await settled();
  void check.open(picked('other'));
  await reports.end(2, verified('one'));
  expect([check.file?.name, check.result, check.shown]).toEqual(['other', null, null]);
});

test('a file is verified again with another key, also while one of its proofs is chosen', async () => {
  await openTwo();
  void check.recheck();
  await check.choose(two);
  expect([check.result?.report.format, check.shown]).toEqual(['two', 2]);
  await settled();
  await verifications.end(1, { single: null, entries: [one] });
  expect([check.result, check.shown, check.list?.entries]).toEqual([null, null, [one]]);
});

test('a proof in no block yet is fetched again, once at a time, and keeps its verdict', async () => {
  await fetchEarly();
  expect(check.waiting).toBe(true);
  void check.again();
  void check.again();
  expect(fetchProof).toHaveBeenCalledTimes(2);
  expect(check.result?.report.format).toBe('early');
  await fetches.end(1, bytes('late'));
  await verifications.end(1, single('late'));
  expect([check.result?.report.format, check.waiting]).toEqual(['late', false]);
});

test('a proof that is fetched again does not replace a file of the player', async () => {
  await fetchEarly();
  void check.again();
  void check.open(picked('own'));
  await fetches.end(1, bytes('late'));
  await verifications.end(1, single('own'));
  expect([check.file?.name, check.result?.report.format]).toEqual(['own', 'own']);
  await check.again();
  expect(fetchProof).toHaveBeenCalledTimes(2);
});
