// What the next throw can bring and cost. Ladder, odds, hands and decision all show this one result, which follows from
// the run on the table or, without one, from the selected entry.

import type { Entry, EntryChoice, Holding, Run, Tiers } from '../api/shapes.ts';

/** The numbers of the rules that this module needs. */
export type Rules = Pick<Tiers, 'tiers' | 'entry_fee' | 'buyback_bps'>;

/** A tier with its two prices in coins. */
export interface Priced {
  tier: number;
  material: string;
  /** The base value, which the rules fix. */
  base: number;
  /** The price that the house pays for a token of the tier now. */
  pays: number;
}

/** A token of the player that an entry can burn. */
export interface OwnToken {
  token_id: number;
  tier: number;
  material: string;
}

export interface Selection {
  /** The run on the table; null before the first one. */
  run: Run | null;
  options: readonly Entry[];
  entry: EntryChoice;
  /** The token that is selected for an entry by burning; null for none. */
  token: OwnToken | null;
}

/** The cost of a lost throw. */
export type Loss = { of: 'nothing' } | { of: 'coins'; coins: number } | { of: 'tier'; tier: Priced };

export interface Outlook {
  /** The entry of the run, or of the next one; null when the selected one is not available. */
  entry: Entry['entry'] | null;
  /** The coins that the entry costs. */
  cost: number;
  /** The token that the next start destroys; null for none, and for a run that has started. */
  burns: OwnToken | null;
  /** The tier from which the next throw continues, and from which chances count; 0 is the bottom of the ladder. */
  from: number;
  /** The tier at `from`; null at the bottom. */
  held: Priced | null;
  /** The tier that a win brings; null at the top. */
  next: Priced | null;
  loss: Loss;
  /** The average return of the whole run; null where it depends on the strategy, as steps do not double the value. */
  back: Return | null;
}

/** The average return of a run, in coins: the base value of its tokens, and what the house pays for them. */
export interface Return {
  base: number;
  pays: number;
}

/** Returns tier `k` with its prices; null outside of the ladder. */
export function priced(rules: Rules, k: number): Priced | null {
  const tier = rules.tiers[k - 1];
  if (!tier) return null;
  // Rounded down, as the service does.
  const pays = Math.floor((tier.value * rules.buyback_bps) / 10_000);
  return { tier: tier.tier, material: tier.material, base: tier.value, pays };
}

/**
 * Returns the tokens that an entry can burn, the lowest tier first: the service refuses those that are for sale, and
 * those of the highest tier, from which no win leads further.
 */
export function burnable<T extends Pick<Holding, 'tier' | 'listing'>>(
  rules: Rules,
  tokens: readonly T[],
): T[] {
  return tokens
    .filter(({ tier, listing }) => listing === null && priced(rules, tier + 1) !== null)
    .toSorted((a, b) => a.tier - b.tier);
}

/** Returns the option that a choice resolves to; undefined when it is unavailable. */
export function usableEntry(options: readonly Entry[], chosen: EntryChoice): Entry | undefined {
  const usable = (entry: Entry['entry']) =>
    options.find((option) => option.entry === entry && option.available);
  return chosen === 'auto' ? (usable('free') ?? usable('fee')) : usable(chosen);
}

/** Returns what the next throw can bring and cost. After the end of a run that is the first throw of the next one. */
export function outlook(rules: Rules, { run, options, entry, token }: Selection): Outlook {
  if (run?.status === 'active' || run?.status === 'deciding') {
    const cost = run.entry === 'fee' ? rules.entry_fee : 0;
    return {
      ...step(rules, run.cleared, cost),
      entry: run.entry,
      burns: null,
      back: back(rules, run.first_tier),
    };
  }
  const option = usableEntry(options, entry);
  // A visitor without an account gets free runs.
  const kind = option?.entry ?? (options.length === 0 ? 'free' : null);
  const burns = kind === 'burn' ? token : null;
  const start = burns?.tier ?? 0;
  return { ...step(rules, start, option?.cost ?? 0), entry: kind, burns, back: back(rules, start) };
}

function step(rules: Rules, from: number, cost: number): Omit<Outlook, 'entry' | 'burns' | 'back'> {
  const held = priced(rules, from);
  const loss: Loss = held
    ? { of: 'tier', tier: held }
    : cost > 0
      ? { of: 'coins', coins: cost }
      : { of: 'nothing' };
  return { cost, from, held, next: priced(rules, from + 1), loss };
}

/** Returns the average return of a run from a tier: half of the next tier, if each step doubles the value. */
function back(rules: Rules, start: number): Return | null {
  const first = priced(rules, start + 1);
  const doubles = rules.tiers
    .slice(start)
    .every((tier, i, all) => i === 0 || tier.value === 2 * (all[i - 1]?.value ?? 0));
  if (!first || !doubles) return null;
  return { base: Math.floor(first.base / 2), pays: Math.floor(first.pays / 2) };
}

/** Returns the shares of entry fees and of burned tokens that runs return on average; null as for `Outlook.back`. */
export function expectedReturns(rules: Rules): Record<'fees' | 'burned', Return> | null {
  const paid = back(rules, 0);
  if (!paid) return null;
  return {
    fees: { base: paid.base / rules.entry_fee, pays: paid.pays / rules.entry_fee },
    // The stake is a tier's base value: double or nothing on it.
    burned: { base: 1, pays: rules.buyback_bps / 10_000 },
  };
}

/** Returns what a run that ended without a claim has cost: coins of its entry, and the tier that it had reached. */
export function lostIn(rules: Rules, run: Run): { coins: number; tier: Priced | null } {
  const ended = run.status === 'lost' || run.status === 'abandoned';
  if (!ended) return { coins: 0, tier: null };
  return { coins: run.entry === 'fee' ? rules.entry_fee : 0, tier: priced(rules, run.cleared) };
}
