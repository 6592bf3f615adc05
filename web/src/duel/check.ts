// What the page checks for itself of each round, by the module that verifies whole proofs.

import type { Duel, DuelRound, DuelSide, Move } from '../api/shapes.ts';
import { hex } from '../text/hex.ts';
import { verifier } from '../verifier.ts';

/** What a side sends before it shows its move: SHA-256 of "<move>:<salt>", in hex. */
export async function commitmentOf(move: Move, salt: string): Promise<string> {
  const { sha256 } = await verifier();
  return hex(sha256(new TextEncoder().encode(`${move}:${salt}`)));
}

export interface RoundCheck {
  round: number;
  /** What each side showed hashes to what it had sealed; null where nothing was shown. */
  a: boolean | null;
  b: boolean | null;
  /** The outcome follows from the two moves, or from what is missing. */
  outcome: boolean;
}

/** Checks one decided round. */
export async function checkRound(round: DuelRound): Promise<RoundCheck> {
  const { outcome } = await verifier();
  const { move_a, move_b } = round;
  const missed = forfeiter(round);
  const expected = missed
    ? ({ a: 'b', b: 'a', both: 'void' } as const)[missed]
    : move_a && move_b && ({ win: 'a', loss: 'b', tie: 'tie' } as const)[outcome(move_a, move_b)];
  return {
    round: round.round,
    a: await holds(round, 'a'),
    b: await holds(round, 'b'),
    outcome: round.outcome === expected && round.forfeited_by === missed,
  };
}

export function checkRounds(duel: Duel): Promise<RoundCheck[]> {
  return Promise.all(duel.rounds.filter((round) => round.outcome !== 'pending').map(checkRound));
}

export function sound(check: RoundCheck): boolean {
  return check.a !== false && check.b !== false && check.outcome;
}

async function holds(round: DuelRound, side: DuelSide): Promise<boolean | null> {
  const [move, salt] = side === 'a' ? [round.move_a, round.salt_a] : [round.move_b, round.salt_b];
  if (move === null || salt === null) return null;
  return (await commitmentOf(move, salt)) === (side === 'a' ? round.commitment_a : round.commitment_b);
}

/** Who did not take the last step that both could take: seal, or, when both have sealed, open. */
function forfeiter(round: DuelRound): 'both' | DuelSide | null {
  const did = round.committed.a && round.committed.b ? round.revealed : round.committed;
  if (did.a && did.b) return null;
  return did.a ? 'b' : did.b ? 'a' : 'both';
}
