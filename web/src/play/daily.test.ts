// The daily run: open or not, its result, and the replay of a run.

import { describe, expect, test } from 'vitest';
import type { Daily, Entry, Me, Run } from '../api/shapes.ts';
import { framesOf } from './replay.ts';
import { rankingOf, rankText, shareLine } from './result.ts';
import { dailyOpen, dailyUsed } from './today.ts';

const day = Date.parse('2026-11-28T00:00:00Z');
const hour = 3_600_000;

function entries(available: boolean): Entry[] {
  return [
    { entry: 'free', available: !available },
    { entry: 'daily', available },
  ] as Entry[];
}

test('the daily run is open until it was started, and again on the next UTC day', () => {
  const noon = day + 12 * hour;
  expect(dailyOpen(entries(true), noon, noon)).toBe(true);
  expect(dailyOpen(entries(false), noon, noon)).toBe(false);
  expect(dailyOpen(entries(false), noon, day + 24 * hour - 1)).toBe(false);
  expect(dailyOpen(entries(false), noon, day + 24 * hour)).toBe(true);
  expect(dailyOpen([], noon, day + 24 * hour)).toBe(false);
  const used = dailyUsed(entries(true));
  expect(dailyOpen(used, noon, noon)).toBe(false);
  expect(used[0]).toEqual(entries(true)[0]);
});

interface Case {
  run?: Partial<Run>;
  rank?: number;
  streak?: number;
  voided?: true;
}

/** Returns the answer about a caller whose run ended at noon. */
function daily({ run, rank, streak = 1, voided }: Case): Daily {
  const ended: Partial<Run> = {
    status: 'lost',
    cleared: 2,
    claimable_tier: null,
    throws: [],
    unranked: false,
    ended_at: '2026-11-28T12:00:00Z',
    ...run,
  };
  const me = { attempt: ended, row: rank ? { rank } : null, streak, ...(voided && { voided: {} }) };
  return { day: '2026-11-28', starts_at: '2026-11-28T00:00:00Z', total: 1041, me } as unknown as Daily;
}

const free: Pick<Me, 'start' | 'secured_at'> = { start: 'free', secured_at: null };

describe('the state of an ended run in the ranking', () => {
  const late = day + 13 * hour;

  test('depends on the run', () => {
    expect(rankingOf(daily({ rank: 3 }), free, late)).toBe('ranked');
    expect(rankingOf(daily({}), free, late)).toBe('none');
    expect(rankingOf(daily({}), free, day + 12 * hour + 2000)).toBe('counting');
    expect(rankingOf(daily({ voided: true }), free, late)).toBe('void');
    expect(rankingOf(daily({ run: { status: 'void' } }), free, late)).toBe('void');
    expect(rankingOf(daily({ run: { unranked: true } }), free, late)).toBe('network');
  });

  test('and on when an account with a bound start was secured', () => {
    const of = (secured_at: string | null) => rankingOf(daily({}), { start: 'bound', secured_at }, late);
    expect(of(null)).toBe('unsecured');
    expect(of('2026-11-26T08:00:00Z')).toBe('unsecured');
    // Secured for 3 days at midnight, which is not before the day, and just before it.
    expect(of('2026-11-25T00:00:00Z')).toBe('unsecured');
    expect(of('2026-11-24T23:59:59Z')).toBe('none');
    expect(rankingOf(daily({}), { start: 'free', secured_at: null }, late)).toBe('none');
    expect(rankingOf(daily({}), null, late)).toBe('none');
  });
});

test('a rank is that of the moment', () => {
  expect(rankText(daily({ rank: 3 }))).toBe('3 of 1,041 so far');
  expect(rankText(daily({}))).toBeNull();
  expect(rankText({ me: null, total: 4 })).toBeNull();
});

describe('the line to share', () => {
  const throws = (n: number) => Array.from({ length: n }, (_, i) => ({ n: i + 1 })) as Run['throws'];

  test('has the day, the result, the throws, the rank and the streak', () => {
    const glass = { material: 'Glass' } as Run['claimable_tier'];
    const run: Partial<Run> = { status: 'claimed', cleared: 4, claimable_tier: glass, throws: throws(7) };
    expect(shareLine(daily({ run, rank: 3, streak: 5 }))).toBe(
      'Roshambo daily, Nov 28, 2026 · Glass claimed · 7 throws · rank 3 of 1,041 · 5 days in a row',
    );
  });

  test('leaves out a rank that is not known, and a streak that has just begun', () => {
    expect(shareLine(daily({ run: { throws: throws(1), cleared: 0 } }))).toBe(
      'Roshambo daily, Nov 28, 2026 · Lost on the first step · 1 throw',
    );
  });

  test('is one line, and empty without a run', () => {
    expect(shareLine(daily({ rank: 1, streak: 2 }))).not.toContain('\n');
    expect(shareLine({ day: '2026-11-28', total: 3, me: null })).toBe('');
  });
});

describe('the replay', () => {
  const run = (cleared: number, ...outcomes: string[]) =>
    ({ cleared, throws: outcomes.map((outcome, i) => ({ n: i + 1, outcome })) }) as unknown as Run;
  const steps = (of: Run) =>
    framesOf(of).map(({ thrown, sealed, cleared }) => `${thrown.n}${sealed ? 's' : 'r'}${cleared}`);

  test('shows each throw sealed, then open, with the step that was reached', () => {
    expect(steps(run(2, 'win', 'tie', 'win', 'loss'))).toEqual([
      ...['1s0', '1r1', '2s1', '2r1'],
      ...['3s1', '3r2', '4s2', '4r2'],
    ]);
  });

  test('begins at the tier of a burnt token', () => {
    expect(steps(run(4, 'win'))).toEqual(['1s3', '1r4']);
    expect(steps(run(3, 'loss'))).toEqual(['1s3', '1r3']);
  });

  test('of a run without throws is empty', () => {
    expect(steps(run(0))).toEqual([]);
  });
});
