import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CupGame } from '../api/shapes.ts';
import { byDefault, byRound, cupBody, cupTitle, mostOf, ofCup, score } from './cup.ts';

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

test('events of other cups, and those that name none', () => {
  expect([{ number: 3 }, { number: 4 }, { code: 'AAAAAAAA' }].map(ofCup(3))).toEqual([true, false, true]);
});

test('titles', () => {
  expect([
    cupTitle({ number: 3, kind: 'bots', name: null }),
    cupTitle({ number: 4, kind: 'people', name: null }),
  ]).toEqual(['Bot cup 3', 'Cup 4']);
});

test('a new cup', () => {
  expect(cupTitle({ number: 5, kind: 'bots', name: 'Class 7b' })).toBe('Class 7b');
  const defaults = {
    kind: 'people',
    system: 'swiss',
    seats: 64,
    private: false,
    replay_missed: false,
    best_of: 5,
  };
  expect(cupBody(byDefault())).toEqual({
    ...defaults,
    house_bots: false,
    play: true,
    by_hand: false,
    minutes: 10,
  });
  expect(cupBody(byDefault(true))).toEqual({
    ...defaults,
    kind: 'bots',
    house_bots: false,
    play: false,
    by_hand: true,
  });
  const hand = {
    ...byDefault(),
    kind: 'bots' as const,
    start: 'hand',
    name: ' ',
    house: true,
    seconds: 30,
    rounds: 3,
  };
  expect(cupBody(hand)).toEqual({
    ...defaults,
    kind: 'bots',
    house_bots: true,
    play: false,
    by_hand: true,
    move_seconds: 30,
    rounds: 3,
  });
  const at = cupBody({ ...byDefault(), start: 'at', at: '2026-11-30T10:00' });
  expect('minutes' in at).toBe(false);
  expect(at.at).toBe(new Date('2026-11-30T10:00').toISOString());
});

test('the form names the bounds of the service', () => {
  const document = readFileSync(new URL('../../../api/openapi.yaml', import.meta.url), 'utf8');
  const body = /\n {4}CreateCupIn:\n([^]*?)\n {4}\w+:\n/.exec(document)?.[1] ?? '';
  const bound = (field: string, name: string) =>
    Number(new RegExp(`\\n {8}${field}:[^]*?\\n {10}${name}: (\\d+)`).exec(`\n${body}`)?.[1]);
  const chosen = byDefault();
  expect(bound('rounds', 'maximum')).toBe(mostOf({ ...chosen, system: 'round_robin' }).rounds);
  expect(bound('move_seconds', 'maximum')).toBe(mostOf(chosen).seconds);
  expect([bound('move_seconds', 'minimum'), bound('seats', 'minimum'), bound('seats', 'maximum')]).toEqual([
    5, 2, 64,
  ]);
  expect(bound('name', 'maxLength')).toBe(60);
  // What the document says in words.
  expect(mostOf(chosen).rounds).toBe(7);
  expect(mostOf({ ...chosen, kind: 'bots', house: true }).seconds).toBe(15);
  expect(mostOf({ ...chosen, house: true }).seconds).toBe(300);
});
