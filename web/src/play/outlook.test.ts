import { expect, test } from 'vitest';
import type { Entry, Holding, Run } from '../api/shapes.ts';
import {
  burnable,
  expectedReturns,
  lostIn,
  outlook,
  priced,
  usableEntry,
  type Rules,
  type Selection,
} from './outlook.ts';
import {
  abandonText,
  lossText,
  lostText,
  outcomeSentence,
  pricesText,
  priceText,
  returnText,
} from './sentences.ts';

const materials = ['Clay', 'Wood', 'Stone', 'Copper'];
const rules: Rules = {
  tiers: materials.map((material, i) => ({ tier: i + 1, material, value: 96 * 2 ** i })),
  entry_fee: 50,
  buyback_bps: 8000,
};
const none = { cost: 0, left: null, reason: null, token_id: null };
const free: Entry = { ...none, entry: 'free', available: true, left: 2 };
const spent: Entry = { ...free, available: false, left: 0, reason: 'used up' };
const fee: Entry = { ...none, entry: 'fee', available: true, cost: 50 };
const burn: Entry = { ...none, entry: 'burn', available: true, token_id: 7 };
const clay = { token_id: 12, tier: 1, material: 'Clay' };
const top = { token_id: 13, tier: 4, material: 'Copper' };

const select = (over: Partial<Selection>) =>
  outlook(rules, { run: null, options: [free, fee, burn], entry: 'auto', token: null, ...over });
const run = (over: Partial<Run>): Run =>
  ({
    status: 'active',
    entry: 'free',
    first_tier: 0,
    cleared: 0,
    throws: [],
    claimable_tier: null,
    ...over,
  }) as Run;

test('a tier has a base value and the price that the house pays, rounded down', () => {
  expect(priced(rules, 1)).toEqual({ tier: 1, material: 'Clay', base: 96, pays: 76 });
  expect(priced(rules, 2)?.pays).toBe(153);
  expect([priced(rules, 0), priced(rules, 5)]).toEqual([null, null]);
  expect(pricesText({ tier: 4, material: 'Copper', base: 1536, pays: 1228 })).toBe(
    'base value 1,536, house pays 1,228',
  );
});

test('a token that is for sale or of the highest tier cannot be burned', () => {
  const tokens = [
    { ...top, listing: null },
    { token_id: 14, tier: 3, listing: null },
    { ...clay, token_id: 15, listing: 'l' },
    { ...clay, listing: null },
  ] as (Pick<Holding, 'tier' | 'listing'> & { token_id: number })[];
  expect(burnable(rules, tokens).map(({ token_id }) => token_id)).toEqual([12, 14]);
  // Each of them has a tier that a win brings, without which nothing can be confirmed.
  for (const { token_id, tier } of burnable(rules, tokens)) {
    const token = { token_id, tier, material: materials[tier - 1] ?? '' };
    expect(select({ entry: 'burn', token }).next).not.toBeNull();
  }
});

test('a free run risks nothing', () => {
  const found = select({});
  expect(found).toMatchObject({ entry: 'free', cost: 0, burns: null, from: 0, held: null });
  expect(found.next?.material).toBe('Clay');
  expect(lossText(found.loss)).toBe('Lose: the run is over.');
  expect(abandonText(found.loss)).toBe('Abandon this run?');
  expect(priceText(found)).toBeUndefined();
  expect(returnText(found)).toBe('On average this run returns 38 coins from the house, or 48 in base value.');
});

test('a visitor without an account gets a free run', () => {
  expect(select({ options: [] })).toMatchObject({ entry: 'free', cost: 0, from: 0 });
});

test.each(['auto', 'fee'] as const)('a paid run (%s) costs its coins, which a loss takes', (entry) => {
  const found = select({ options: [spent, fee, burn], entry });
  expect(found).toMatchObject({ entry: 'fee', cost: 50, from: 0, back: { base: 48, pays: 38 } });
  expect(lossText(found.loss)).toBe('Lose: 50 coins are gone.');
  expect(abandonText(found.loss)).toBe('Abandon this run? 50 coins are gone.');
  expect(priceText(found)).toBe('50 coins');
  expect(returnText(found)).toBe(
    'On average a run for 50 coins returns 38 coins from the house, or 48 in base value.',
  );
});

test('a burned token is named, and its ladder starts at its tier', () => {
  const found = select({ entry: 'burn', token: clay });
  expect(found).toMatchObject({ entry: 'burn', cost: 0, burns: clay, from: 1 });
  expect([found.held?.material, found.next?.material]).toEqual(['Clay', 'Wood']);
  expect(lossText(found.loss)).toBe('Lose: the Clay is gone.');
  expect(abandonText(found.loss)).toBe('Abandon this run? The Clay is gone.');
  expect(priceText(found)).toBe('burns Clay #12');
  expect(found.back).toEqual({ base: 96, pays: 76 });
});

test('an entry by burning without a selected token burns none', () => {
  const found = select({ entry: 'burn' });
  expect(found).toMatchObject({ entry: 'burn', burns: null, from: 0 });
  expect(returnText(found)).toBe('');
  // A token that was selected for another entry is not burned either.
  expect(select({ entry: 'free', token: clay }).burns).toBeNull();
  expect(
    select({ options: [free, { ...burn, available: false }], entry: 'burn', token: clay }),
  ).toMatchObject({
    entry: null,
    burns: null,
  });
});

test('at the top there is no next tier', () => {
  expect(select({ entry: 'burn', token: top })).toMatchObject({ from: 4, next: null, back: null });
});

test('the run on the table decides, whatever is selected', () => {
  const selected = { entry: 'burn', token: clay } as const;
  const tied = select({ ...selected, run: run({ entry: 'fee' }) });
  expect(tied).toMatchObject({ entry: 'fee', burns: null, from: 0, loss: { of: 'coins', coins: 50 } });
  const deciding = select({ ...selected, run: run({ status: 'deciding', entry: 'fee', cleared: 2 }) });
  expect([deciding.held?.material, deciding.next?.material]).toEqual(['Wood', 'Stone']);
  expect(lossText(deciding.loss)).toBe('Lose: the Wood is gone.');
  const burned = select({ run: run({ entry: 'burn', first_tier: 1, cleared: 1 }) });
  expect(burned).toMatchObject({ from: 1, burns: null, back: { base: 96, pays: 76 } });
});

test('after the end of a run the next one counts', () => {
  const ended = run({ status: 'lost', cleared: 3 });
  expect(select({ run: ended })).toMatchObject({ entry: 'free', from: 0 });
  expect(select({ run: ended, options: [spent, fee] })).toMatchObject({ entry: 'fee', cost: 50 });
});

test('where a step does not double the value, the return depends on the strategy', () => {
  const uneven = {
    ...rules,
    tiers: rules.tiers.map((tier, i) => (i === 3 ? { ...tier, value: 900 } : tier)),
  };
  const found = outlook(uneven, { run: null, options: [free], entry: 'auto', token: null });
  expect([found.back, returnText(found), expectedReturns(uneven)]).toEqual([null, '', null]);
});

test('the expected returns of entry fees and of burned tokens', () => {
  expect(expectedReturns(rules)).toEqual({
    fees: { base: 0.96, pays: 0.76 },
    burned: { base: 1, pays: 0.8 },
  });
});

test('a lost run names what it has cost', () => {
  const lost = { status: 'lost' } as const;
  expect(lostText(rules, run({ ...lost, entry: 'fee' }))).toBe('You lost 50 coins.');
  expect(lostText(rules, run(lost))).toBe('');
  expect(lostText(rules, run({ ...lost, entry: 'burn', first_tier: 1, cleared: 1 }))).toBe(
    'You lost the Clay: base value 96, house pays 76.',
  );
  expect(lostText(rules, run({ status: 'abandoned', entry: 'fee', cleared: 2 }))).toBe(
    'You lost the Wood: base value 192, house pays 153. You lost 50 coins.',
  );
  expect(lostIn(rules, run({ status: 'claimed', entry: 'fee', cleared: 2 }))).toEqual({
    coins: 0,
    tier: null,
  });
  expect(outcomeSentence(run({ ...lost, entry: 'fee', throws: [thrown('loss')] }), rules)).toBe(
    'You: rock. House: paper. You lose. The run is over. You lost 50 coins.',
  );
});

const thrown = (outcome: 'loss') =>
  ({ n: 1, move: 'rock', house: 'paper', outcome, entropy: '', entropy_hash: '', seed: '' }) as const;

test('auto takes a free entry, then the fee, and never burns', () => {
  expect(usableEntry([free, fee, burn], 'auto')).toBe(free);
  expect(usableEntry([spent, fee, burn], 'auto')).toBe(fee);
  expect(usableEntry([spent, burn], 'auto')).toBeUndefined();
});
