// The view model of a duel: near and far seat, the round on display, and its texts.

import type { Duel, DuelPlayer, DuelRound, DuelSide, Move } from '../api/shapes.ts';
import { beats } from '../play/sentences.ts';

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
  return { side, player, you, name: you ? 'You' : (player?.username ?? 'No opponent') };
}

export function isOver(duel: Pick<Duel, 'status'>): boolean {
  return duel.status !== 'open' && duel.status !== 'active';
}

/** Returns the codes of the duels that wait for the viewer's hand, the most urgent first. */
export function waitingFor(duels: readonly Duel[]): string[] {
  const due = duels.flatMap(({ id, you, status, rounds }) => {
    const round = rounds.at(-1);
    const mine = status === 'active' && you !== null && round?.outcome === 'pending' && !round.committed[you];
    return mine ? [{ id, deadline: Date.parse(round.deadline ?? '') }] : [];
  });
  return due.sort((a, b) => a.deadline - b.deadline).map(({ id }) => id);
}

/** Reports whether the sides may play a rematch: not of practice, nor in the arena. */
export function mayRematch(duel: Pick<Duel, 'kind'>): boolean {
  return duel.kind === 'open' || duel.kind === 'quick';
}

/** Returns where the opponent is: "kea is here", "kea left 2 min ago"; nothing for spectators and bots. */
export function presenceText(duel: Duel, since: (time: string) => string): string {
  if (!duel.you || !duel.presence) return '';
  const far = seats(duel)[1];
  if (!far.player || far.player.kind === 'bot') return '';
  const { watching, gone_since } = duel.presence[far.side];
  if (watching) return `${far.name} is here`;
  return gone_since ? `${far.name} left ${since(gone_since)}` : `${far.name} is not here yet`;
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
  if (round.outcome === 'tie') return 'Tie';
  if (round.outcome === 'void') return 'Void';
  const winner = round.outcome === near.side ? near : far;
  return winner.you ? 'You win' : far.you || near.you ? 'You lose' : `${winner.name} wins`;
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
    return `${near.side === missed ? near.name : far.name} resigned`;
  if (missed === 'both') return 'Both missed the deadline, replayed';
  if (missed) {
    const loser = near.side === missed ? near : far;
    const step = round.committed.a && round.committed.b ? 'reveal' : 'seal a hand';
    return `${loser.name} did not ${step} in time`;
  }
  if (round.outcome === 'tie') return 'Same hand, replayed';
  const move = round.outcome === 'a' ? round.move_a : round.move_b;
  return move ? beats[move] : '';
}

/** Returns the heading of the page. */
export function duelTitle(duel: Duel): string {
  const [near, far] = seats(duel);
  if (far.player) return `${near.name} vs. ${far.name}`;
  if (duel.status !== 'open') return near.you ? 'Your duel' : `Duel by ${near.name}`;
  return near.you ? 'Waiting for an opponent' : `${near.name} is waiting for an opponent`;
}

/** Returns the result of a duel. */
export function endTitle(duel: Duel): string {
  const [near, far] = seats(duel);
  if (duel.status === 'expired') return 'Expired';
  if (duel.status === 'cancelled') return 'Cancelled';
  if (duel.winner === null) return 'A draw';
  if (duel.resigned_by && duel.you)
    return duel.resigned_by === duel.you ? 'You resigned' : 'Your opponent resigned';
  if (duel.you) return duel.winner === duel.you ? 'You won the duel' : 'You lost the duel';
  return `${(duel.winner === near.side ? near : far).name} won`;
}

/** Returns the score, "3 to 1", with the near side first. */
export function scoreText(duel: Duel): string {
  const [near, far] = seats(duel);
  return `${duel.wins[near.side]} to ${duel.wins[far.side]}`;
}

/** Returns the screen reader's announcement of the last decided round. */
export function announcement(duel: Duel): string {
  const [near, far] = seats(duel);
  const last = duel.rounds.findLast((round) => round.outcome !== 'pending');
  if (!last) return duel.status === 'active' ? 'The duel has started. Choose rock, paper or scissors.' : '';
  const hand = (seat: Seat): string => {
    const move = seat.side === 'a' ? last.move_a : last.move_b;
    return `${seat.name}: ${move ?? 'no hand'}.`;
  };
  const text = `Round ${last.round}. ${hand(near)} ${hand(far)} ${roundTitle(last, near, far)}. Score ${scoreText(duel)}.`;
  return duel.status === 'finished' ? `${text} ${endTitle(duel)}.` : text;
}
