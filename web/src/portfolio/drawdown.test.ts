import { expect, test } from 'vitest';
import { change, drawdown } from './drawdown.ts';

const days = (...totals: number[]) => totals.map((total, i) => ({ date: `2026-11-0${i + 1}`, total }));

test.each([
  [[], []],
  [
    [0, 0],
    [0, 0],
  ],
  [
    [100, 80, 120, 90],
    [0, -20, 0, -25],
  ],
  [
    [0, 50, 25],
    [0, 0, -50],
  ],
])('the drawdown of %j is %j', (totals, want) => {
  expect(drawdown(days(...totals)).map(({ y }) => y)).toEqual(want);
});

test('the change is from the first day to the last', () => {
  expect(change(days(100, 80, 120))).toBe(20);
  expect(change(days(100))).toBeNull();
  expect(change([])).toBeNull();
});
