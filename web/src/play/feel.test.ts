import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inputLockMs, InputLock } from '../stores/inputlock.svelte.ts';
import { freshUnlocks } from '../stores/unlocks.ts';
import { levelOf } from './celebration.svelte.ts';
import { notes, vibration, type Cue } from './cues.ts';
import { beatMs, drama, shoot, words } from './drama.svelte.ts';

let reduced = false;

beforeEach(() => {
  vi.useFakeTimers();
  reduced = false;
  vi.stubGlobal('document', { hidden: false });
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query.includes('reduced-motion') && reduced }));
});

afterEach(() => {
  drama.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Reports whether the promise is settled, after all pending microtasks. */
async function settled(promise: Promise<void>): Promise<boolean> {
  let done = false;
  void promise.then(() => (done = true));
  await vi.advanceTimersByTimeAsync(0);
  return done;
}

test('the countdown shows four words in 700 ms', async () => {
  const countdown = drama.start();
  for (let beat = 0; beat < words.length; beat++) {
    expect(drama.beat).toBe(beat);
    expect(await settled(countdown)).toBe(false);
    await vi.advanceTimersByTimeAsync(beatMs);
  }
  expect(words.length * beatMs).toBe(700);
  expect(await settled(countdown)).toBe(true);
  // The last word stays until the answer of the server.
  expect(drama.beat).toBe(shoot);
  drama.end();
  expect(drama.beat).toBeNull();
});

test('the countdown is skipped once', async () => {
  const countdown = drama.start();
  expect(drama.skip()).toBe(true);
  expect(await settled(countdown)).toBe(true);
  expect(drama.beat).toBe(shoot);
  expect(drama.skip()).toBe(false);
  drama.end();
  await vi.advanceTimersByTimeAsync(1000);
  expect(drama.beat).toBeNull();
});

test('with reduced motion, or on a hidden page, there is no countdown', async () => {
  reduced = true;
  expect(await settled(drama.start())).toBe(true);
  expect(drama.beat).toBeNull();
  reduced = false;
  vi.stubGlobal('document', { hidden: true });
  expect(await settled(drama.start())).toBe(true);
  expect(drama.beat).toBeNull();
});

test('the input lock ends after 600 ms, counted from the last change', () => {
  const lock = new InputLock();
  expect(lock.settled).toBe(true);
  lock.lock();
  vi.advanceTimersByTime(inputLockMs - 1);
  lock.lock();
  vi.advanceTimersByTime(inputLockMs - 1);
  expect(lock.settled).toBe(false);
  vi.advanceTimersByTime(1);
  expect(lock.settled).toBe(true);
  lock.lock();
  lock.release();
  expect(lock.settled).toBe(true);
});

test('celebrations grow with the tier, on a ladder of any length', () => {
  const all = (top: number) => Array.from({ length: top }, (_, i) => levelOf(i + 1, top));
  expect(all(16)).toEqual([
    ...Array<string>(4).fill('nod'),
    ...Array<string>(4).fill('burst'),
    ...Array<string>(4).fill('shower'),
    ...Array<string>(4).fill('page'),
  ]);
  expect(all(3)).toEqual(['burst', 'shower', 'page']);
  expect(all(1)).toEqual(['page']);
});

const cues: Cue[] = [
  { kind: 'beat', last: false },
  { kind: 'beat', last: true },
  { kind: 'win' },
  { kind: 'loss' },
  { kind: 'tie' },
  { kind: 'claim', height: 1 / 16 },
  { kind: 'claim', height: 1 },
];

test.each(cues)('the cue %o is audible, short and can be felt', (cue) => {
  for (const { frequency, at, length } of notes(cue)) {
    expect(frequency).toBeGreaterThan(100);
    expect(frequency).toBeLessThan(2000);
    expect(at + length).toBeLessThan(3);
  }
  expect(notes(cue).length).toBeGreaterThan(0);
  expect(vibration(cue).reduce((sum, ms) => sum + ms, 0)).toBeLessThan(1000);
});

test('a higher tier has more notes', () => {
  const counts = Array.from({ length: 16 }, (_, i) => notes({ kind: 'claim', height: (i + 1) / 16 }).length);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(counts[0]).toBe(2);
  expect(counts.at(-1)).toBe(12);
});

test('an unlock is reported once, within five minutes', () => {
  const now = Date.parse('2026-01-01T12:00:00Z');
  const all = [
    { id: 'new', unlocked_at: '2026-01-01T11:59:58Z' },
    { id: 'reported', unlocked_at: '2026-01-01T11:59:58Z' },
    { id: 'old', unlocked_at: '2026-01-01T11:54:59Z' },
    { id: 'locked', unlocked_at: null },
  ];
  expect(freshUnlocks(all, ['reported 2026-01-01T11:59:58Z'], now).map(({ id }) => id)).toEqual(['new']);
});
