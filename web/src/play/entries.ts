// The ways into a run, in words.

import type { Entry, EntryChoice } from '../api/shapes.ts';
import { grouped } from '../text/numbers.ts';

const names: Readonly<Record<Entry['entry'], string>> = {
  free: 'Free',
  fee: 'Fee',
  burn: 'Burn a token',
  daily: 'Daily challenge',
};

/** One option as a choice: "Fee, 50 coins", "Free, 2 left today", "Burn a token (there is no token to burn)". */
export function entryChoice(option: Entry): string {
  const name = names[option.entry];
  if (!option.available && option.reason) return `${name} (${option.reason})`;
  if (option.entry === 'fee') return `${name}, ${grouped(option.cost)} coins`;
  if (option.entry === 'burn') return `${name}: start on the tier of your cheapest one`;
  if (option.left !== null) return `${name}, ${grouped(option.left)} left today`;
  return name;
}

/** An account with these options can start a run with the chosen entry. */
export function canEnter(options: readonly Entry[], chosen: EntryChoice): boolean {
  return usableEntry(options, chosen) !== undefined;
}

/** What the chosen entry will cost now: "free, 2 left today", "50 coins". */
export function entryText(options: readonly Entry[], chosen: EntryChoice): string {
  const option = usableEntry(options, chosen);
  switch (option?.entry) {
    case 'free':
      return option.left === null ? 'free' : `free, ${grouped(option.left)} left today`;
    case 'fee':
      return `${grouped(option.cost)} coins`;
    case 'burn':
      return 'your cheapest token is burnt, and you start on its tier';
    case 'daily':
      return 'the daily challenge';
    default:
      return options.length === 0 ? 'free' : 'not possible with what you have';
  }
}

/** The option that a choice comes down to now; undefined when it is not to be had. */
function usableEntry(options: readonly Entry[], chosen: EntryChoice): Entry | undefined {
  const usable = (entry: Entry['entry']) =>
    options.find((option) => option.entry === entry && option.available);
  return chosen === 'auto' ? (usable('free') ?? usable('fee')) : usable(chosen);
}
