import { expect, test } from 'vitest';
import type { Duel } from '../api/shapes.ts';
import { duelAt, replayStep } from './pace.ts';

const slot = 30_000;

test('a replay shows each round sealed, then revealed, then the result', () => {
  expect(replayStep(-50, 4, slot)).toEqual({ round: 0, closed: true, over: false, next: 1000 });
  expect(replayStep(999, 4, slot)).toEqual({ round: 0, closed: true, over: false, next: 1 });
  expect(replayStep(1000, 4, slot)).toEqual({ round: 0, closed: false, over: false, next: 1500 });
  expect(replayStep(2500, 4, slot)).toEqual({ round: 1, closed: true, over: false, next: 1000 });
  expect(replayStep(10_000, 4, slot)).toEqual({ round: 3, closed: false, over: true, next: 20_000 });
  expect(replayStep(31_000, 4, slot).next).toBe(0);
});

test('a long duel is faster, and leaves time for the result', () => {
  for (const rounds of [1, 5, 10, 11, 25, 60]) {
    const last = replayStep(slot - 5000, rounds, slot);
    expect(last).toMatchObject({ round: rounds - 1, over: true });
  }
  expect(replayStep(slot - 5001, 60, slot).over).toBe(false);
});

test('following the steps visits each of them once', () => {
  const seen: string[] = [];
  for (let at = 0; at < slot;) {
    const step = replayStep(at, 13, slot);
    seen.push(`${step.round}${step.closed ? 's' : step.over ? 'o' : 'r'}`);
    at += Math.ceil(step.next) || 1;
  }
  expect(seen).toEqual([...Array.from({ length: 13 }, (_, i) => [`${i}s`, `${i}r`]).flat(), '12o']);
});

test('the score counts the revealed rounds only', () => {
  const rounds = ['a', 'tie', 'b', 'a', 'a'].map((outcome, i) => ({ round: i + 1, outcome }));
  const duel = { status: 'finished', winner: 'a', wins: { a: 3, b: 1 }, rounds } as unknown as Duel;
  const at = (round: number, closed: boolean, over = false) => duelAt(duel, { round, closed, over, next: 0 });
  expect(at(0, true)).toMatchObject({ wins: { a: 0, b: 0 }, status: 'active', winner: null });
  expect(at(2, true).wins).toEqual({ a: 1, b: 0 });
  expect(at(2, false).wins).toEqual({ a: 1, b: 1 });
  expect(at(4, false, true)).toMatchObject({ wins: { a: 3, b: 1 }, status: 'finished', winner: 'a' });
});
