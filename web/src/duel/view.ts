// The view model of a duel: near and far seat, the round on display, and its texts.

import type { Duel, DuelPlayer, DuelRound, DuelSide, Move } from '../api/shapes.ts';
import { beats } from '../play/sentences.ts';
import { t } from '../text/language.ts';
import { handNames } from '../text/names.ts';

/** One side of the duel. */
export interface Seat {
  side: DuelSide;
  player: DuelPlayer | null;
  you: boolean;
  /** "You", or the name. */
  name: string;
}

export const other = (side: DuelSide): DuelSide => (side === 'a' ? 'b' : 'a');

/** Returns the near and the far seat. The viewer sits near; for spectators the creator does. */
export function seats(duel: Pick<Duel, 'you' | 'a' | 'b'>): [near: Seat, far: Seat] {
  const near = duel.you ?? 'a';
  return [seat(duel, near), seat(duel, other(near))];
}

function seat(duel: Pick<Duel, 'you' | 'a' | 'b'>, side: DuelSide): Seat {
  const player = duel[side];
  const you = duel.you === side;
  return { side, player, you, name: you ? t('You') : (player?.username ?? t('No opponent')) };
}

export function isOver(duel: Pick<Duel, 'status'>): boolean {
  return duel.status !== 'open' && duel.status !== 'active';
}

/** Reports whether the sides may play a rematch: not of practice, nor in the arena. */
export function mayRematch(duel: Pick<Duel, 'kind'>): boolean {
  return duel.kind === 'open' || duel.kind === 'quick';
}

/** Milliseconds after the end of a duel in which its sides may talk; the service allows some more. */
const talkMs = 14 * 60_000;

/** Reports whether the viewer may say something to the other side: a person, until some minutes after the end. */
export function mayTalk(
  duel: Pick<Duel, 'you' | 'status' | 'a' | 'b' | 'finished_at'>,
  now: number,
): boolean {
  const far = duel.you && duel[other(duel.you)];
  if (!far || far.kind === 'bot') return false;
  return (
    duel.status === 'active' ||
    (duel.status === 'finished' && now - Date.parse(duel.finished_at ?? '') < talkMs)
  );
}

/** Returns where the opponent is: "kea is here", "kea left 2 min ago"; nothing for spectators and bots. */
export function presenceText(duel: Duel, since: (time: string) => string): string {
  if (!duel.you || !duel.presence) return '';
  const far = seats(duel)[1];
  if (!far.player || far.player.kind === 'bot') return '';
  const { watching, gone_since } = duel.presence[far.side];
  if (watching) return t('{name} is here', { name: far.name });
  return gone_since
    ? t('{name} left {since}', { name: far.name, since: since(gone_since) })
    : t('{name} is not here yet', { name: far.name });
}

/** Returns the current round; null before the first and after the last. */
export function currentRound(duel: Duel): DuelRound | null {
  const last = duel.rounds.at(-1);
  return duel.status === 'active' && last?.outcome === 'pending' ? last : null;
}

/**
 * Returns the round on display. The previous round, just revealed, stays until the viewer commits in the current one;
 * for spectators, until either side commits.
 */
export function roundOnTable(duel: Duel): DuelRound | null {
  const current = currentRound(duel);
  if (!current) return duel.rounds.at(-1) ?? null;
  const begun = duel.you ? current.committed[duel.you] : current.committed.a || current.committed.b;
  return begun ? current : (duel.rounds.at(-2) ?? current);
}

/** The state of a seat's envelope. */
export interface SideState {
  state: 'empty' | 'sealed' | 'open';
  commitment: string | null;
  move: Move | null;
}

export function sideState(round: DuelRound | null, side: DuelSide): SideState {
  if (!round) return { state: 'empty', commitment: null, move: null };
  const commitment = side === 'a' ? round.commitment_a : round.commitment_b;
  const move = side === 'a' ? round.move_a : round.move_b;
  if (!round.committed[side]) return { state: 'empty', commitment, move: null };
  // The viewer knows the own move, but both envelopes open at the same time.
  const open = round.outcome !== 'pending' && move !== null;
  return { state: open ? 'open' : 'sealed', commitment, move: open ? move : null };
}

/** Returns the outcome of a round: "You win", "kea wins", "Tie", "Void". */
export function roundTitle(round: DuelRound, near: Seat, far: Seat): string {
  if (round.outcome === 'tie') return t('Tie');
  if (round.outcome === 'void') return t('Void');
  const winner = round.outcome === near.side ? near : far;
  return winner.you
    ? t('You win')
    : far.you || near.you
      ? t('You lose')
      : t('{name} wins', { name: winner.name });
}

/** Returns the outcome for the near side, for colours. */
export function roundTone(round: DuelRound, near: Seat): 'win' | 'loss' | 'even' {
  if (round.outcome !== 'a' && round.outcome !== 'b') return 'even';
  return round.outcome === near.side ? 'win' : 'loss';
}

/** Returns the reason for the outcome of a round. */
export function roundReason(round: DuelRound, near: Seat, far: Seat): string {
  const missed = round.forfeited_by;
  if (missed && missed !== 'both' && !round.committed.a && !round.committed.b)
    return t('{name} resigned', { name: near.side === missed ? near.name : far.name });
  if (missed === 'both') return t('Both missed the deadline, replayed');
  if (missed) {
    const { name } = near.side === missed ? near : far;
    return round.committed.a && round.committed.b
      ? t('{name} did not reveal in time', { name })
      : t('{name} did not seal a hand in time', { name });
  }
  if (round.outcome === 'tie') return t('Same hand, replayed');
  if (round.outcome === 'void') return t('Equal fingerprints, replayed');
  const move = round.outcome === 'a' ? round.move_a : round.move_b;
  return move ? beats[move] : '';
}

/** Returns the heading of the page. */
export function duelTitle(duel: Duel): string {
  const [near, far] = seats(duel);
  if (far.player) return t('{near} vs. {far}', { near: near.name, far: far.name });
  if (duel.status === 'open' && duel.invited)
    return near.you
      ? t('Waiting for {name}', { name: duel.invited.username })
      : t('{name} challenges you', { name: near.name });
  if (duel.status !== 'open') return near.you ? t('Your duel') : t('Duel by {name}', { name: near.name });
  return near.you
    ? t('Waiting for an opponent')
    : t('{name} is waiting for an opponent', { name: near.name });
}

/** Returns the result of a duel. */
export function endTitle(duel: Duel): string {
  const [near, far] = seats(duel);
  if (duel.status === 'expired') return t('Expired');
  if (duel.status === 'cancelled') return t('Cancelled');
  if (duel.winner === null) return t('A draw');
  if (duel.resigned_by && duel.you)
    return duel.resigned_by === duel.you ? t('You resigned') : t('Your opponent resigned');
  if (duel.you) return duel.winner === duel.you ? t('You won the duel') : t('You lost the duel');
  return t('{name} won', { name: (duel.winner === near.side ? near : far).name });
}

/** Returns the score, "3 to 1", with the near side first. */
export function scoreText(duel: Duel): string {
  const [near, far] = seats(duel);
  return t('{near} to {far}', { near: duel.wins[near.side], far: duel.wins[far.side] });
}

/** Returns the score over the chain of rematches, "You 2 : 1 kea", with the near side first; empty for a first duel. */
export function seriesText(duel: Pick<Duel, 'you' | 'a' | 'b' | 'series'>): string {
  if (!duel.series) return '';
  const [near, far] = seats(duel);
  return t('Series: {near} {won} : {lost} {far}', {
    near: near.name,
    won: duel.series[near.side],
    lost: duel.series[far.side],
    far: far.name,
  });
}

/** Returns the screen reader's announcement of the last decided round. */
export function announcement(duel: Duel): string {
  const [near, far] = seats(duel);
  const last = duel.rounds.findLast((round) => round.outcome !== 'pending');
  if (!last)
    return duel.status === 'active' ? t('The duel has started. Choose rock, paper or scissors.') : '';
  const hand = (seat: Seat): string => {
    const move = seat.side === 'a' ? last.move_a : last.move_b;
    return `${seat.name}: ${move ? handNames[move] : t('no hand')}.`;
  };
  const text = t('Round {round}. {near} {far} {outcome}. Score {score}.', {
    round: last.round,
    near: hand(near),
    far: hand(far),
    outcome: roundTitle(last, near, far),
    score: scoreText(duel),
  });
  return duel.status === 'finished' ? `${text} ${endTitle(duel)}.` : text;
}
