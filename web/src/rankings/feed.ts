// Text and link of a feed event.

import type { FeedEvent } from '../api/shapes.ts';
import { counted, grouped } from '../text/numbers.ts';

/** Returns the predicate of an event without the player's name: "claimed an Emerald". */
export function feedText(event: FeedEvent): string {
  const material = event.material ?? 'token';
  const article = /^[AEIOU]/.test(material) ? 'an' : 'a';
  switch (event.kind) {
    case 'tier_claimed':
      return `claimed ${article} ${material}`;
    case 'sale':
      return `sold ${article} ${material} for ${grouped(event.coins ?? 0)} coins`;
    case 'duel_won':
      return `won a duel for a stake of ${grouped(event.coins ?? 0)} coins`;
    case 'achievement':
      return `unlocked “${event.title ?? 'an achievement'}”`;
    case 'streak':
      return `played the daily challenge ${counted(event.streak ?? 0, 'day')} in a row`;
    case 'season_closed':
      return `won season ${event.season ?? 0}`;
    case 'result_voided':
      return `${event.duel_id === null ? 'Daily run' : 'Duel'} declared void: ${event.reason ?? ''}`;
  }
}

/** Returns the page with the details of an event; null if there is none. */
export function feedLink(event: FeedEvent): string | null {
  if (event.duel_id !== null) return `/d/${event.duel_id}`;
  if (event.run_id !== null) return `/r/${event.run_id}`;
  if (event.token_id !== null) return `/token/${event.token_id}`;
  if (event.season !== null) return `/season?number=${event.season}`;
  if (event.tx_hash !== null) return `/tx/${event.tx_hash}`;
  return event.achievement === null ? null : '/achievements';
}
