// Text and link of a feed event.

import type { FeedEvent } from '../api/shapes.ts';
import { cupTitle } from '../cup/cup.ts';
import { grouped } from '../text/numbers.ts';
import { parts, t, type Part } from '../text/language.ts';

/** Returns the sentence of an event; part n is the name of namesOf(event)[n]: "<0/> claimed an Emerald". */
export function feedText(event: FeedEvent): Part[] {
  const material = t(event.material ?? 'token');
  const coins = grouped(event.coins ?? 0);
  switch (event.kind) {
    case 'tier_claimed':
      return claimText(event.first, material);
    case 'upset':
      return parts('<0/> beat <1/>, rated {n} points higher', { n: grouped(event.above ?? 0) });
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
      return medalsText(t('Season {number}', { number: event.season ?? 0 }), event.medals.length);
    case 'cup_closed':
      return medalsText(
        cupTitle({ number: event.cup ?? 0, kind: event.cup_kind ?? 'people' }),
        event.medals.length,
      );
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

function claimText(first: FeedEvent['first'], material: string): Part[] {
  const vowel = /^[AEIOU]/.test(material);
  if (first === 'service')
    return parts(
      vowel
        ? '<0/> is the first player here to claim an {material}'
        : '<0/> is the first player here to claim a {material}',
      { material },
    );
  if (first === 'player')
    return parts(
      vowel
        ? '<0/> claimed an {material} for the first time'
        : '<0/> claimed a {material} for the first time',
      { material },
    );
  return parts(vowel ? '<0/> claimed an {material}' : '<0/> claimed a {material}', { material });
}

/** Returns the sentence about the medals of a season or cup, the best one first. */
function medalsText(title: string, medals: number): Part[] {
  switch (medals) {
    case 0:
      return parts('{title} is over', { title });
    case 1:
      return parts('{title} is over. Medal: <0/>', { title });
    case 2:
      return parts('{title} is over. Medals: <0/> <1/>', { title });
    default:
      return parts('{title} is over. Medals: <0/> <1/> <2/>', { title });
  }
}

/** A player in the sentence of an event. */
export interface Named {
  username: string | null;
  address: string | null;
  /** Of a medal: 1 to 3. */
  place?: number;
}

/** Returns the players in the sentence of an event. */
export function namesOf(event: FeedEvent): readonly Named[] {
  if (event.medals.length > 0) return event.medals;
  return event.opponent ? [event, event.opponent] : [event];
}

/** Returns the page with the details of an event; null if there is none. */
export function feedLink(event: FeedEvent): string | null {
  if (event.duel_id !== null) return `/d/${event.duel_id}`;
  if (event.run_id !== null) return `/r/${event.run_id}`;
  if (event.token_id !== null) return `/token/${event.token_id}`;
  if (event.cup !== null) return `/cups/${event.cup}`;
  if (event.season !== null) return `/season?number=${event.season}`;
  if (event.tx_hash !== null) return `/tx/${event.tx_hash}`;
  return event.achievement === null ? null : '/achievements';
}
