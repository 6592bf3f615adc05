import { expect, test } from 'vitest';
import type { Crosstable } from '../api/shapes.ts';
import { crossed } from './crosstable.ts';

test('the crosstable has a cell for each pair that has met, from both sides', () => {
  const bots = ['x', 'y', 'z'].map((address) => ({ address }));
  const pairs = [
    { bot: 'x', opponent: 'y', games: 4, wins: 2, draws: 1, losses: 1 },
    { bot: 'y', opponent: 'x', games: 4, wins: 1, draws: 1, losses: 2 },
  ];
  const rows = crossed({ bots, pairs } as unknown as Crosstable);
  expect(rows.map(({ cells }) => cells.map((cell) => cell?.text ?? null))).toEqual([
    [null, '63', null],
    ['38', null, null],
    [null, null, null],
  ]);
});
