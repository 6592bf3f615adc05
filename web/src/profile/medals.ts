// Words of medals.

import type { Medal } from '../api/shapes.ts';
import { cupTitle } from '../cup/cup.ts';
import { t } from '../text/language.ts';

/** Returns the name of the medal of a place, 1 to 3. */
export function medalName(place: number): string {
  return place === 1 ? t('Gold medal') : place === 2 ? t('Silver medal') : t('Bronze medal');
}

/** Returns the season or cup of a medal: "Season 3", "Bot cup 12". */
export function medalOf({ kind, number, cup_kind }: Pick<Medal, 'kind' | 'number' | 'cup_kind'>): string {
  return kind === 'season'
    ? t('Season {number}', { number })
    : cupTitle({ number, kind: cup_kind ?? 'people' });
}

/** Returns the page of the season or cup. */
export function medalLink({ kind, number }: Pick<Medal, 'kind' | 'number'>): string {
  return kind === 'season' ? `/season?number=${number}` : `/cups/${number}`;
}
