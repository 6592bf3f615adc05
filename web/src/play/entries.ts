// Texts for the entries of a run.

import type { Entry, EntryChoice } from '../api/shapes.ts';
import { grouped } from '../text/numbers.ts';

const names: Readonly<Record<Entry['entry'], string>> = {
  free: 'Free',
  fee: 'Fee',
  burn: 'Burn a token',
  daily: 'Daily challenge',
};

/**
 * Returns the label of an option: "Fee, 50 coins", "Free, 2 left today", "Burn a token (there is no token to burn)".
 */
export function entryChoice(option: Entry): string {
  const name = names[option.entry];
  if (!option.available && option.reason) return `${name} (${option.reason})`;
  if (option.entry === 'fee') return `${name}, ${grouped(option.cost)} coins`;
  if (option.entry === 'burn') return `${name}: start at the tier of your cheapest token`;
  if (option.left !== null) return `${name}, ${grouped(option.left)} left today`;
  return name;
}

/** Reports whether an account with these options can start a run with the chosen entry. */
export function canEnter(options: readonly Entry[], chosen: EntryChoice): boolean {
  return usableEntry(options, chosen) !== undefined;
}

/** Returns the cost of the chosen entry: "free, 2 left today", "50 coins". */
export function entryText(options: readonly Entry[], chosen: EntryChoice): string {
  const option = usableEntry(options, chosen);
  switch (option?.entry) {
    case 'free':
      return option.left === null ? 'free' : `free, ${grouped(option.left)} left today`;
    case 'fee':
      return `${grouped(option.cost)} coins`;
    case 'burn':
      return 'burn your cheapest token and start at its tier';
    case 'daily':
      return 'the daily challenge';
    default:
      return options.length === 0 ? 'free' : requirement(options, chosen);
  }
}

/** Returns the requirement for an unavailable entry: "you need 50 coins". */
function requirement(options: readonly Entry[], chosen: EntryChoice): string {
  const option = options.find(({ entry }) => entry === (chosen === 'auto' ? 'fee' : chosen));
  if (option?.entry === 'fee') return `you need ${grouped(option.cost)} coins`;
  return option?.reason ?? 'not available';
}
/** Returns the option that a choice resolves to; undefined when it is unavailable. */
function usableEntry(options: readonly Entry[], chosen: EntryChoice): Entry | undefined {
  const usable = (entry: Entry['entry']) =>
    options.find((option) => option.entry === entry && option.available);
  return chosen === 'auto' ? (usable('free') ?? usable('fee')) : usable(chosen);
}
