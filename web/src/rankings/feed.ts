// Text and link of a feed event.

import type { FeedEvent } from '../api/shapes.ts';
import { counted, grouped } from '../text/numbers.ts';
import { t } from '../text/language.ts';

/** Returns the predicate of an event without the player's name: "claimed an Emerald". */
export function feedText(event: FeedEvent): string {
  const material = t(event.material ?? 'token');
  switch (event.kind) {
    case 'tier_claimed':
      return /^[AEIOU]/.test(material)
        ? t('claimed an {material}', { material })
        : t('claimed a {material}', { material });
    case 'sale':
      return /^[AEIOU]/.test(material)
        ? t('sold an {material} for {coins} coins', { material, coins: grouped(event.coins ?? 0) })
        : t('sold a {material} for {coins} coins', { material, coins: grouped(event.coins ?? 0) });
    case 'duel_won':
      return t('won a duel for a stake of {coins} coins', { coins: grouped(event.coins ?? 0) });
    case 'achievement':
      return t('unlocked “{title}”', { title: t(event.title ?? 'Achievement') });
    case 'streak':
      return counted(
        event.streak ?? 0,
        'played the daily challenge {n} day in a row',
        'played the daily challenge {n} days in a row',
      );
    case 'season_closed':
      return t('won season {season}', { season: event.season ?? 0 });
    case 'result_voided':
      return event.duel_id === null
        ? t('Daily run declared void: {reason}', { reason: event.reason ?? '' })
        : t('Duel declared void: {reason}', { reason: event.reason ?? '' });
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
