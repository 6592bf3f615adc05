import { expect, test } from 'vitest';
import type { BotDuel } from '../api/shapes.ts';
import { voidDuels } from './rated.ts';

test('a correction makes the row of its duel void, and no other one', () => {
  const rows = [
    { game: 6, id: 'THIRD000', outcome: 'restored' },
    { game: 5, id: 'THIRD000', outcome: 'void' },
    { game: 4, id: 'THIRD000', outcome: 'win' },
    { game: 3, id: 'FIRST000', outcome: 'void' },
    { game: 2, id: 'SECOND00', outcome: 'loss' },
    { game: 1, id: 'FIRST000', outcome: 'win' },
  ];
  expect([...voidDuels(rows as BotDuel[])]).toEqual(['FIRST000']);
});
