import { expect, test } from 'vitest';
import type { CollectedTier, Medal } from '../api/shapes.ts';
import { marks, sumOf } from './collection.ts';
import { medalLink, medalName, medalOf } from './medals.ts';

const tier = (
  n: number,
  count: number,
  ...owned: CollectedTier['shapes'][number]['shape'][]
): CollectedTier => ({
  tier: n,
  material: 'Clay',
  count,
  shapes: owned.map((shape, i) => ({ shape, token_id: 10 * n + i })),
});

test('a collection adds up, with what is missing', () => {
  expect(sumOf([tier(1, 3, 'narrow', 'wide'), tier(2, 0), tier(3, 1, 'medium')])).toEqual({
    tokens: 4,
    tiers: 2,
    allTiers: 3,
    shapes: 3,
    allShapes: 9,
  });
  expect(sumOf([])).toEqual({ tokens: 0, tiers: 0, allTiers: 0, shapes: 0, allShapes: 0 });
});

test('a tier marks the shapes that it has', () => {
  expect(marks(tier(1, 3, 'narrow', 'wide'))).toEqual([true, false, true]);
  expect(marks(tier(2, 0))).toEqual([false, false, false]);
});

test.each([
  [{ kind: 'season', number: 3, cup_kind: null }, 'Season 3', '/season?number=3'],
  [{ kind: 'cup', number: 12, cup_kind: 'bots' }, 'Bot cup 12', '/cups/12'],
  [{ kind: 'cup', number: 4, cup_kind: 'people' }, 'Cup 4', '/cups/4'],
] satisfies [Pick<Medal, 'kind' | 'number' | 'cup_kind'>, string, string][])('%o', (medal, title, link) => {
  expect(medalOf(medal)).toBe(title);
  expect(medalLink(medal)).toBe(link);
});

test('each place has a medal', () => {
  expect([1, 2, 3].map(medalName)).toEqual(['Gold medal', 'Silver medal', 'Bronze medal']);
});
