// Whether today's daily run is open: it is one of the entries of an account.

import type { Entry } from '../api/shapes.ts';

const dayMs = 86_400_000;

/**
 * Reports whether an account can start today's daily run. Its entries were read at `readAt`; a later UTC day brings
 * another run. Times are in milliseconds, by the server's clock.
 */
export function dailyOpen(entries: readonly Entry[], readAt: number, now: number): boolean {
  const daily = entries.find(({ entry }) => entry === 'daily');
  return daily !== undefined && (daily.available || Math.floor(now / dayMs) > Math.floor(readAt / dayMs));
}

/** Returns the entries of an account after the start of today's daily run. */
export function dailyUsed(entries: readonly Entry[]): Entry[] {
  return entries.map((option) =>
    option.entry === 'daily' ? { ...option, available: false, left: 0 } : option,
  );
}
