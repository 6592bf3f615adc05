import { expect, test } from 'vitest';
import type { Entry, Run } from '../api/shapes.ts';
import { canEnter, entryChoice, entryText } from './entries.ts';
import { endingTitle, outcomeSentence, reason } from './sentences.ts';

const free: Entry = { entry: 'free', available: true, cost: 0, left: 2, reason: null, token_id: null };
const fee: Entry = { entry: 'fee', available: true, cost: 50, left: null, reason: null, token_id: null };
const spent: Entry = { ...free, available: false, left: 0, reason: 'used up today' };
const poor: Entry = { ...fee, available: false, reason: 'too few coins' };

test('the text of a choice shows the entry that it resolves to', () => {
  expect(entryText([free, fee], 'auto')).toBe('free, 2 left today');
  expect(entryText([spent, fee], 'auto')).toBe('50 coins');
  expect(entryText([spent, poor], 'auto')).toBe('you need 50 coins');
  expect(entryText([], 'auto')).toBe('free');
  expect(entryText([], 'daily')).toBe('the daily challenge');
  expect(canEnter([spent, fee], 'auto')).toBe(true);
  expect(canEnter([spent, poor], 'auto')).toBe(false);
  expect(canEnter([spent, fee], 'free')).toBe(false);
  expect(entryChoice(poor)).toBe('Fee (too few coins)');
});

const run = (over: Partial<Run>): Run =>
  ({
    status: 'active',
    cleared: 0,
    claimable_tier: null,
    throws: [{ n: 1, move: 'rock', house: 'scissors', outcome: 'win', entropy: '', seed: '' }],
    ...over,
  }) as Run;
const wood = { tier: 2, material: 'Wood', value: 1192 };
const rules = { tiers: [{ ...wood, tier: 1 }, wood], entry_fee: 50, buyback_bps: 8000 };

test('texts of outcomes and results', () => {
  expect(outcomeSentence(run({ status: 'deciding', claimable_tier: wood }), rules)).toBe(
    'You: rock. House: scissors. You win. You can claim Wood: base value 1,192, house pays 953.',
  );
  expect(outcomeSentence(run({ status: 'lost' }), null)).toMatch(/The run is over\.$/);
  expect(outcomeSentence(run({ throws: [] }), null)).toMatch(/^The run has started/);
  expect(endingTitle(run({ status: 'claimed', claimable_tier: wood }))).toBe('Wood claimed');
  expect(endingTitle(run({ status: 'lost' }))).toBe('Lost on the first step');
  expect(endingTitle(run({ status: 'lost', cleared: 2 }))).toBe('Lost after 2 steps');
  expect(endingTitle(run({ status: 'abandoned' }))).toBe('Abandoned');
});

test('the reason for an outcome', () => {
  const thrown = { n: 1, entropy: '', entropy_hash: '', seed: '' };
  expect(reason({ ...thrown, move: 'rock', house: 'scissors', outcome: 'win' })).toBe('Rock beats scissors');
  expect(reason({ ...thrown, move: 'rock', house: 'paper', outcome: 'loss' })).toBe('Paper beats rock');
  expect(reason({ ...thrown, move: 'rock', house: 'rock', outcome: 'tie' })).toBe('Throw again');
});
