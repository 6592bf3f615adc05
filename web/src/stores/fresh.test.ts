import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ofCup } from '../cup/cup.ts';
import { most, span } from './budget.ts';
import { changes, type Subject } from './fresh.ts';
import { install, open, setVisible, Source, uninstall } from './stream.fake.ts';

beforeEach(install);
afterEach(uninstall);

const subjects = changes.reset.of;

/** A page that follows `what`, with a stream or without one. Its reads are named and timed. */
async function page(what: readonly Subject[], streamed = true) {
  if (!streamed) vi.stubGlobal('EventSource', undefined);
  const [{ fresh }, { events }] = await Promise.all([import('./fresh.ts'), import('./events.svelte.ts')]);
  fresh.start();
  events.start();
  await vi.advanceTimersByTimeAsync(3000);
  if (streamed) open().emit('ready', {}, '1');
  const reads: { subject: Subject; at: number }[] = [];
  const ends = what.map((subject) =>
    fresh.follow(subject, () => reads.push({ subject, at: performance.now() })),
  );
  await vi.advanceTimersByTimeAsync(0);
  return { fresh, reads, ends, names: () => reads.splice(0).map(({ subject }) => subject) };
}

/** Returns the largest number of times within a minute. */
function busiest(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + span).length));
}

test('the page listens for every kind of event that the service sends, and for no other', async () => {
  await page([]);
  const kinds = readFileSync(
    path.join(import.meta.dirname, '../../../internal/platform/event/kind.go'),
    'utf8',
  );
  const stored = [...kinds.matchAll(/^\t\w+ +Kind = "(\w+)"$/gm)].map(([, kind]) => kind);
  const ofStream = ['ready', 'reset', 'end', 'duel', 'presence'];
  expect(stored.length).toBeGreaterThan(10);
  expect([...new Set(open().kinds)].filter((kind) => kind !== 'error').sort()).toEqual(
    [...stored, ...ofStream].sort(),
  );
});

test.each(Object.entries(changes))('%s refreshes what the table says', async (kind, { of }) => {
  const { names } = await page(subjects);
  expect(names()).toEqual(subjects);
  open().emit(kind, { code: 'AAAAAAAA' }, '2');
  open().emit(kind, { code: 'AAAAAAAA' }, '3');
  await vi.advanceTimersByTimeAsync(span - 100);
  expect(names().sort()).toEqual([...of].slice(0, most).sort());
});

test.each([true, false])(
  'a page reads at most four times a minute, and starves no list (stream: %s)',
  async (streamed) => {
    const { reads } = await page(['head', 'lobby', 'lobby', 'scores', 'feed', 'time', 'blocks'], streamed);
    const initial = reads.splice(0).length;
    expect(initial).toBe(7);
    for (let second = 0; second < 600; second++) {
      if (streamed)
        for (const kind of ['block', 'feed', 'duel_created', 'listing']) open().emit(kind, {}, `${second}`);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(reads.length).toBeGreaterThan(30);
    expect(busiest(reads.map(({ at }) => at))).toBeLessThanOrEqual(most);
    for (const subject of ['head', 'lobby', 'scores', 'feed', 'time', 'blocks'] as const) {
      const times = reads.filter((read) => read.subject === subject).map(({ at }) => at);
      expect(times.length, subject).toBeGreaterThan(2);
      expect(Math.max(...times.slice(1).map((at, i) => at - (times[i] ?? 0))), subject).toBeLessThan(
        3 * span,
      );
    }
  },
);

test('a player of a cup sees its events although the budget is spent, others within it, and no other cups', async () => {
  const { fresh, reads } = await page(['feed', 'lobby', 'market']);
  const cup: number[] = [];
  let plays = true;
  const about = () => plays;
  fresh.follow('cups', () => cup.push(performance.now()), { first: false, of: ofCup(7), about });
  // Others spend the budget.
  for (let second = 0; second < 60; second++) {
    for (const kind of ['feed', 'duel_created', 'listing']) open().emit(kind, {}, `${second}`);
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(reads.length).toBeGreaterThanOrEqual(3 + most);
  const began = performance.now();
  for (let n = 0; n < 100; n++) {
    open().emit('cup', { number: 7 }, `1${n}`);
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.advanceTimersByTimeAsync(5000);
  expect(cup[0]).toBeLessThan(began + 500);
  expect(cup.length).toBeGreaterThanOrEqual(4);
  expect(cup.length).toBeLessThanOrEqual(5);
  expect(cup.at(-1)).toBeGreaterThanOrEqual(began + 9900); // the last event is not lost
  cup.length = 0;
  for (let second = 0; second < 50; second++) {
    for (const kind of ['cup', 'cup_result']) open().emit(kind, { number: 8 }, `2${second}`);
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(cup).toEqual([]);
  plays = false;
  reads.length = 0;
  for (let second = 0; second < 300; second++) {
    for (const kind of ['feed', 'duel_created', 'listing']) open().emit(kind, {}, `3${second}`);
    for (const kind of ['cup', 'cup_result']) open().emit(kind, { number: 7 }, `3${second}`);
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(cup.length).toBeGreaterThan(2);
  expect(busiest([...reads.map(({ at }) => at), ...cup])).toBeLessThanOrEqual(most);
});

test('attempts to open a refused stream count', async () => {
  const { reads } = await page(['head', 'lobby', 'scores', 'feed', 'time']);
  reads.splice(0);
  const attempts: number[] = [];
  for (let second = 0; second < 300; second++) {
    if (Source.all.at(-1)?.readyState !== Source.CLOSED) {
      attempts.push(performance.now());
      open().fail(Source.CLOSED);
    }
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(attempts.length).toBeGreaterThan(3);
  expect(busiest([...attempts.slice(1), ...reads.map(({ at }) => at)])).toBe(most);
});

test('without events, a list is as old with a stream as without one', async () => {
  const ages: number[] = [];
  for (const streamed of [true, false]) {
    install();
    const { reads } = await page(['lobby'], streamed);
    await vi.advanceTimersByTimeAsync(10 * span);
    const times = reads.map(({ at }) => at);
    ages.push(Math.max(...times.slice(1).map((at, i) => at - (times[i] ?? 0))));
    uninstall();
  }
  expect(ages[0]).toBe(span);
  expect(ages[1]).toBe(span);
});

test('what concerns the viewer alone is read at once, also when the budget is spent', async () => {
  const { names } = await page(['turns', 'lobby', 'feed']);
  names();
  for (let n = 0; n < 3; n++) {
    open().emit('feed', {}, `${n + 2}`);
    open().emit('duel_created', {}, `${n + 2}`);
    await vi.advanceTimersByTimeAsync(15_000);
  }
  names();
  for (let n = 0; n < 5; n++) {
    open().emit('duel', { code: 'AAAAAAAA', version: n }, '');
    await vi.advanceTimersByTimeAsync(150);
    expect(names()).toEqual(['turns']);
  }
});

test('a hidden page is silent; when it is shown again, it reads what is due', async () => {
  const { names, ends } = await page(['lobby', 'feed']);
  names();
  setVisible(false);
  await vi.advanceTimersByTimeAsync(50_000);
  expect(names()).toEqual([]);
  setVisible(true);
  expect(names()).toEqual([]);
  setVisible(false);
  await vi.advanceTimersByTimeAsync(10_000);
  setVisible(true);
  expect(names()).toEqual(['lobby', 'feed']);
  for (const end of ends) end();
  await vi.advanceTimersByTimeAsync(10 * span);
  expect(names()).toEqual([]);
});

test('a read is not repeated while it lasts, and follows an event that came meanwhile', async () => {
  const { fresh } = await page([]);
  const answers: (() => void)[] = [];
  fresh.follow('feed', () => new Promise<void>((done) => answers.push(done)), { seconds: 1 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(answers).toHaveLength(1);
  open().emit('feed', {}, '2');
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(100);
  expect(answers).toHaveLength(2);
});

test('a held page reads nothing by itself, and then what has become due', async () => {
  const { fresh, names } = await page(['account', 'feed']);
  names();
  fresh.hold(true);
  open().emit('sold', {}, '2');
  fresh.all();
  setVisible(false);
  setVisible(true);
  await vi.advanceTimersByTimeAsync(10 * span);
  expect(names()).toEqual([]);
  fresh.hold(false);
  await vi.advanceTimersByTimeAsync(span);
  expect(new Set(names())).toEqual(new Set(['account', 'feed']));
});
