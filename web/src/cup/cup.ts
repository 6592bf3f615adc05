// Words and arithmetic of cups.

import type { Cup, CupGame } from '../api/shapes.ts';
import { language, t } from '../text/language.ts';

/** The name of a cup. */
export function cupTitle({ number, kind }: Pick<Cup, 'number' | 'kind'>): string {
  return kind === 'bots' ? t('Bot cup {number}', { number }) : t('Cup {number}', { number });
}

/** The names of a cup's winners: "ada and nils". */
export function winnersOf({ winners }: Pick<Cup, 'winners'>): string {
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(
    winners.map(({ username }) => username),
  );
}

/** Points as text: half a point for each of the protocol's. */
export function score(points: number): string {
  return `${points >= 2 || points === 0 ? Math.floor(points / 2) : ''}${points % 2 === 1 ? '½' : ''}`;
}

/** The games of each round, the last round first. */
export function byRound(games: readonly CupGame[]): { round: number; games: CupGame[] }[] {
  const rounds: { round: number; games: CupGame[] }[] = [];
  for (const game of games) {
    if (rounds[0]?.round !== game.round) rounds.unshift({ round: game.round, games: [] });
    rounds[0]?.games.push(game);
  }
  return rounds;
}
