// A duel as somebody looks at it: who sits near, who far, which round lies on the table, and how it is said.

import type { Duel, DuelPlayer, DuelRound, DuelSide, Move } from '../api/shapes.ts';
import { beats } from '../play/sentences.ts';

/** One side of the table. */
export interface Seat {
  side: DuelSide;
  player: DuelPlayer | null;
  you: boolean;
  /** "You", or the name. */
  name: string;
}

export const other = (side: DuelSide): DuelSide => (side === 'a' ? 'b' : 'a');

/** Near and far seat: one's own is near; for spectators the creator's. */
export function seats(duel: Pick<Duel, 'you' | 'a' | 'b'>): [near: Seat, far: Seat] {
  const near = duel.you ?? 'a';
  return [seat(duel, near), seat(duel, other(near))];
}

function seat(duel: Pick<Duel, 'you' | 'a' | 'b'>, side: DuelSide): Seat {
  const player = duel[side];
  const you = duel.you === side;
  return { side, player, you, name: you ? 'You' : (player?.username ?? 'Nobody yet') };
}

export function isOver(duel: Pick<Duel, 'status'>): boolean {
  return duel.status !== 'open' && duel.status !== 'active';
}

/** The round that is played now; null before the first and after the last. */
export function currentRound(duel: Duel): DuelRound | null {
  const last = duel.rounds.at(-1);
  return duel.status === 'active' && last?.outcome === 'pending' ? last : null;
}

/**
 * The round that lies on the table: the one that is played, but the one before it for as long as nobody that the viewer
 * waits for has moved: its envelopes were opened just now.
 */
export function roundOnTable(duel: Duel): DuelRound | null {
  const current = currentRound(duel);
  if (!current) return duel.rounds.at(-1) ?? null;
  const begun = duel.you ? current.committed[duel.you] : current.committed.a || current.committed.b;
  return begun ? current : (duel.rounds.at(-2) ?? current);
}

/** What lies on a seat's mat. */
export interface Mat {
  state: 'empty' | 'sealed' | 'open';
  commitment: string | null;
  move: Move | null;
}

export function mat(round: DuelRound | null, side: DuelSide): Mat {
  if (!round) return { state: 'empty', commitment: null, move: null };
  const commitment = side === 'a' ? round.commitment_a : round.commitment_b;
  const move = side === 'a' ? round.move_a : round.move_b;
  if (!round.committed[side]) return { state: 'empty', commitment, move: null };
  // One's own move is known to oneself, but the envelope opens when both do.
  const open = round.outcome !== 'pending' && move !== null;
  return { state: open ? 'open' : 'sealed', commitment, move: open ? move : null };
}

/** How a round came out, in two or three words: "You win", "kea wins", "Tie", "Void". */
export function roundWord(round: DuelRound, near: Seat, far: Seat): string {
  if (round.outcome === 'tie') return 'Tie';
  if (round.outcome === 'void') return 'Void';
  const winner = round.outcome === near.side ? near : far;
  return winner.you ? 'You win' : far.you || near.you ? 'You lose' : `${winner.name} wins`;
}

/** Whether the near side won or lost it, for colours. */
export function roundTone(round: DuelRound, near: Seat): 'win' | 'loss' | 'even' {
  if (round.outcome !== 'a' && round.outcome !== 'b') return 'even';
  return round.outcome === near.side ? 'win' : 'loss';
}

/** Why a round came out so. */
export function roundReason(round: DuelRound, near: Seat, far: Seat): string {
  const missed = round.forfeited_by;
  if (missed === 'both') return 'Both missed the deadline: played again';
  if (missed) {
    const who = near.side === missed ? near : far;
    const did = round.committed.a && round.committed.b ? 'open' : 'seal';
    return `${who.name} did not ${did} in time`;
  }
  if (round.outcome === 'tie') return 'The same hand: played again';
  const move = round.outcome === 'a' ? round.move_a : round.move_b;
  return move ? beats[move] : '';
}

/** Who plays whom, as the heading of the page. */
export function duelTitle(duel: Duel): string {
  const [near, far] = seats(duel);
  if (far.player) return `${near.name} against ${far.name}`;
  if (duel.status !== 'open') return near.you ? 'Your duel' : `A duel of ${near.name}`;
  return near.you ? 'Waiting for an opponent' : `${near.name} is looking for an opponent`;
}

/** How a duel came out. */
export function endTitle(duel: Duel): string {
  const [near, far] = seats(duel);
  if (duel.status === 'expired') return 'Nobody came';
  if (duel.status === 'cancelled') return 'Taken back';
  if (duel.winner === null) return 'A draw';
  if (duel.you) return duel.winner === duel.you ? 'You won the duel' : 'You lost the duel';
  return `${(duel.winner === near.side ? near : far).name} won`;
}

/** "3 to 1", the near side first. */
export function scoreText(duel: Duel): string {
  const [near, far] = seats(duel);
  return `${duel.wins[near.side]} to ${duel.wins[far.side]}`;
}

/** What became of the last decided round, for those who listen. */
export function spoken(duel: Duel): string {
  const [near, far] = seats(duel);
  const last = duel.rounds.findLast((round) => round.outcome !== 'pending');
  if (!last) return duel.status === 'active' ? 'The duel begins. Choose rock, paper or scissors.' : '';
  const hand = (seat: Seat): string => {
    const move = seat.side === 'a' ? last.move_a : last.move_b;
    return `${seat.name}: ${move ?? 'nothing'}.`;
  };
  const words = `Round ${last.round}. ${hand(near)} ${hand(far)} ${roundWord(last, near, far)}. It stands ${scoreText(duel)}.`;
  return duel.status === 'finished' ? `${words} ${endTitle(duel)}.` : words;
}
