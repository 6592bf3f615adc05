// What happened, as a sentence with a place to look.

import type { FeedEvent } from '../api/shapes.ts';
import { counted, grouped } from '../text/numbers.ts';

/** What somebody did, without their name: "claimed an Emerald". */
export function deed(event: FeedEvent): string {
  const material = event.material ?? 'token';
  const article = /^[AEIOU]/.test(material) ? 'an' : 'a';
  switch (event.kind) {
    case 'tier_claimed':
      return `claimed ${article} ${material}`;
    case 'sale':
      return `sold ${article} ${material} for ${grouped(event.coins ?? 0)} coins`;
    case 'duel_won':
      return `won a duel for ${grouped(event.coins ?? 0)} coins a side`;
    case 'achievement':
      return `reached “${event.title ?? 'an achievement'}”`;
    case 'streak':
      return `has played the daily run ${counted(event.streak ?? 0, 'day')} in a row`;
    case 'season_closed':
      return `won season ${event.season ?? 0}`;
  }
}

/** Where there is more to see of it. */
export function place(event: FeedEvent): string | null {
  if (event.duel_id !== null) return `/d/${event.duel_id}`;
  if (event.run_id !== null) return `/r/${event.run_id}`;
  if (event.token_id !== null) return `/token/${event.token_id}`;
  if (event.season !== null) return `/season?number=${event.season}`;
  if (event.tx_hash !== null) return `/tx/${event.tx_hash}`;
  return event.achievement === null ? null : '/achievements';
}
