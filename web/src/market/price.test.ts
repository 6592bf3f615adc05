import { expect, test } from 'vitest';
import { startingPrice } from './price.ts';

test.each([
  [76, null, 77],
  [76, undefined, 77],
  [76, 120, 120],
  // At a price that the house pays, too, no other player is needed.
  [76, 76, 77],
  [76, 40, 77],
  [0, null, 1],
])('a house that pays %i and a last sale at %s give the price %i', (pays, lastSale, expected) => {
  expect(startingPrice(pays, lastSale)).toBe(expected);
});
