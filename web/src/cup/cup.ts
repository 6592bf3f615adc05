// Words and arithmetic of cups.

import type { Body } from '../api/client.ts';
import type { Cup, CupGame } from '../api/shapes.ts';
import { language, t } from '../text/language.ts';

/** The name of a cup. */
export function cupTitle({
  number,
  kind,
  name,
}: Pick<Cup, 'number' | 'kind'> & { name?: string | null }): string {
  if (name) return name;
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

/** Reports whether an event concerns a cup: one that names no cup may concern each. */
export function ofCup(number: number): (event: object) => boolean {
  return (event) => !('number' in event) || event.number === number;
}

/** The choices of the form of a new cup. An empty number is null. */
export interface Choices {
  kind: 'people' | 'bots';
  /** Minutes, `at` or `hand`. */
  start: string;
  /** A local time, for `at`. */
  at: string;
  name: string;
  system: 'swiss' | 'round_robin';
  rounds: number | null;
  seats: number;
  seconds: number | null;
  private: boolean;
  replay: boolean;
  house: boolean;
  play: boolean;
}

/** Returns the most rounds and seconds a move that the service accepts for a cup. */
export function mostOf({
  kind,
  system,
  house,
}: Pick<Choices, 'kind' | 'system' | 'house'>): Record<'rounds' | 'seconds', number> {
  const withHouse = kind === 'bots' && house;
  return { rounds: system === 'swiss' ? 7 : 63, seconds: withHouse ? 15 : 300 };
}

/** The choices that most hosts want; in a class they start a cup of bots by hand. */
export function byDefault(inClass = false): Choices {
  return {
    kind: inClass ? 'bots' : 'people',
    start: inClass ? 'hand' : '10',
    at: '',
    name: '',
    system: 'swiss',
    rounds: null,
    seats: 64,
    seconds: null,
    private: false,
    replay: false,
    house: false,
    play: true,
  };
}

/** The body of a request for a new cup. */
export function cupBody(c: Choices): Body<'/api/cups'> {
  const bots = c.kind === 'bots';
  return {
    kind: c.kind,
    system: c.system,
    seats: c.seats,
    private: c.private,
    replay_missed: c.replay,
    house_bots: bots && c.house,
    play: !bots && c.play,
    by_hand: c.start === 'hand',
    best_of: 5,
    ...(c.start === 'at' ? { at: new Date(c.at).toISOString() } : {}),
    ...(Number(c.start) > 0 ? { minutes: Number(c.start) } : {}),
    ...(c.name.trim() === '' ? {} : { name: c.name }),
    ...(c.rounds === null ? {} : { rounds: c.rounds }),
    ...(c.seconds === null ? {} : { move_seconds: c.seconds }),
  };
}

/** The operations of a cup's host that need nothing but the cup. */
export const paths = {
  start: '/api/cups/{number}/start',
  pause: '/api/cups/{number}/pause',
  resume: '/api/cups/{number}/resume',
  end: '/api/cups/{number}/end',
} as const;

/** The files of a cup. */
export const files = ['table.csv', 'pairings.csv', 'report.trf', 'moves.ndjson', 'proofs.ndjson'] as const;
