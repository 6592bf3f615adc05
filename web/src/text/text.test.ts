import { expect, test } from 'vitest';
import { counted, grouped, oneIn, relativePrice, shortAddress, shortened } from './numbers.ts';
import { ago, countdown } from './times.ts';

test('formats of numbers', () => {
  expect(grouped(3145728)).toBe('3,145,728');
  expect(counted(1, 'throw')).toBe('1 throw');
  expect(counted(1200, 'throw')).toBe('1,200 throws');
  expect(oneIn(0)).toBe('1 in 1');
  expect(oneIn(16)).toBe('1 in 65,536');
});

test('hashes are shortened in the middle, and short texts are unchanged', () => {
  expect(shortened('0123456789abcdef0123456789abcdef')).toBe('012345…abcdef');
  expect(shortened('0123456789abc')).toBe('0123456789abc');
  expect(shortAddress('rps1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysn3ahnau')).toBe('rps1qqqq…hnau');
});

test.each([
  [0, 'just now'],
  [-5000, 'just now'],
  [12_000, '12 s ago'],
  [60_000, '1 min ago'],
  [7_200_000, '2 h ago'],
  [86_400_000, 'yesterday'],
  [200_000_000, '2 days ago'],
])('%i ms ago reads %s', (ms, want) => {
  expect(ago(1_000_000_000_000, 1_000_000_000_000 + ms)).toBe(want);
});

test.each([
  [1, 384, '−99%'],
  [20, 60, '−67%'],
  [60, 60, '±0%'],
  [599, 60, '+898%'],
  [600, 60, '10×'],
  [2_147_483_647, 60, '35,791,394×'],
])('price %i relative to %i is %s', (price, other, want) => {
  expect(relativePrice(price, other)).toBe(want);
});

test.each([
  [-1, '0 s'],
  [1, '1 s'],
  [61_000, '1 min 01 s'],
  [14_400_000, '4 h 00 min'],
  [172_799_000, '47 h 59 min'],
  [2_361_600_000, '27 days 8 h'],
])('the countdown of %i ms is %s', (ms, want) => {
  expect(countdown(ms)).toBe(want);
});
