// Text and link of a feed event.

import type { FeedEvent } from '../api/shapes.ts';
import { grouped } from '../text/numbers.ts';
import { parts, t, type Part } from '../text/language.ts';

/** Returns the sentence of an event; part 0 is the player's name: "<0/> claimed an Emerald". */
export function feedText(event: FeedEvent): Part[] {
  const material = t(event.material ?? 'token');
  const coins = grouped(event.coins ?? 0);
  switch (event.kind) {
    case 'tier_claimed':
      return parts(/^[AEIOU]/.test(material) ? '<0/> claimed an {material}' : '<0/> claimed a {material}', {
        material,
      });
    case 'sale':
      return parts(
        /^[AEIOU]/.test(material)
          ? '<0/> sold an {material} for {coins} coins'
          : '<0/> sold a {material} for {coins} coins',
        { material, coins },
      );
    case 'duel_won':
      return parts('<0/> won a duel for a stake of {coins} coins', { coins });
    case 'achievement':
      return parts('<0/> unlocked “{title}”', { title: t(event.title ?? 'Achievement') });
    case 'streak': // from seven days on
      return parts('<0/> played the daily challenge {n} days in a row', { n: grouped(event.streak ?? 0) });
    case 'season_closed':
      return parts('<0/> won season {season}', { season: event.season ?? 0 });
    case 'result_voided':
      return parts(
        event.duel_id === null ? 'Daily run declared void: {reason}' : 'Duel declared void: {reason}',
        { reason: event.reason ?? '' },
      );
    case 'result_restored':
      return parts(
        event.duel_id === null ? 'Daily run counts again: {reason}' : 'Duel counts again: {reason}',
        { reason: event.reason ?? '' },
      );
    default: // a kind that a newer service reports
      return parts(`<0/>: ${event.kind}`);
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
