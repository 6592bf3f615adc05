// Quiet hours between time zones.

import { expect, test } from 'vitest';
import { later } from './quiet.ts';

test('a time moves over midnight in both directions', () => {
  expect(later('22:00', 60)).toBe('23:00');
  expect(later('23:30', 330)).toBe('05:00');
  expect(later('00:15', -345)).toBe('18:30');
  expect(later('07:05', 0)).toBe('07:05');
  expect(later('12:00', -840)).toBe('22:00');
});

test('a time comes back from UTC', () => {
  for (const minutes of [-840, -345, -60, 0, 210, 720]) {
    for (const time of ['00:00', '06:30', '23:59']) expect(later(later(time, minutes), -minutes)).toBe(time);
  }
});
