import { expect, test } from 'vitest';
import type { CupGame } from '../api/shapes.ts';
import { byRound, cupTitle, score } from './cup.ts';

test('points are shown as in chess', () => {
  expect([0, 1, 2, 3, 10, 13].map(score)).toEqual(['0', '½', '1', '1½', '5', '6½']);
});

test('rounds: the last one first, boards in their order', () => {
  const game = (round: number, board: number) => ({ round, board }) as CupGame;
  const rounds = byRound([game(1, 1), game(1, 2), game(2, 1)]);
  expect(rounds.map(({ round, games }) => [round, games.map(({ board }) => board)])).toEqual([
    [2, [1]],
    [1, [1, 2]],
  ]);
});

test('titles', () => {
  expect([cupTitle({ number: 3, kind: 'bots' }), cupTitle({ number: 4, kind: 'people' })]).toEqual([
    'Bot cup 3',
    'Cup 4',
  ]);
});
