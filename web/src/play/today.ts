// Whether today's daily run is open: it is one of the entries of an account.

import type { Entry } from '../api/shapes.ts';

const dayMs = 86_400_000;
/** The clocks of page and server differ by up to a second and a half. */
const slackMs = 2000;

/** Returns the time from which the entries of an account, read at `readAt`, are of an earlier UTC day. */
export function dayEnd(readAt: number): number {
  return (Math.floor((readAt - slackMs) / dayMs) + 1) * dayMs + slackMs;
}

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
