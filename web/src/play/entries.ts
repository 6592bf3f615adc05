// Texts for the entries of a run.

import type { Entry, EntryChoice } from '../api/shapes.ts';
import { counted, grouped } from '../text/numbers.ts';
import { t } from '../text/language.ts';
import { usableEntry } from './outlook.ts';

const names: Readonly<Record<Entry['entry'], string>> = {
  free: t('Free'),
  fee: t('Fee'),
  burn: t('Burn a token'),
  daily: t('Daily challenge'),
};

/**
 * Returns the label of an option: "Fee, 50 coins", "Free, 2 left today", "Burn a token (there is no token to burn)".
 */
export function entryChoice(option: Entry): string {
  const name = names[option.entry];
  if (!option.available && option.reason) return `${name} (${t(option.reason)})`;
  if (option.entry === 'fee') return t('{name}, {cost} coins', { name, cost: grouped(option.cost) });
  if (option.entry === 'burn') return t('{name}: start at its tier', { name });
  if (option.left !== null) return t('{name}, {left} left today', { name, left: grouped(option.left) });
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
      return option.left === null ? t('free') : t('free, {left} left today', { left: grouped(option.left) });
    case 'fee':
      return counted(option.cost, 'coin');
    case 'burn':
      return t('burn a token and start at its tier');
    case 'daily':
      return t('the daily challenge');
    default:
      // A visitor without an account gets one with the first throw.
      if (options.length === 0) return chosen === 'daily' ? t('the daily challenge') : t('free');
      return requirement(options, chosen);
  }
}

/** Returns the requirement for an unavailable entry: "you need 50 coins". */
function requirement(options: readonly Entry[], chosen: EntryChoice): string {
  const option = options.find(({ entry }) => entry === (chosen === 'auto' ? 'fee' : chosen));
  if (option?.entry === 'fee') return t('you need {cost} coins', { cost: grouped(option.cost) });
  return t(option?.reason ?? 'not available');
}
