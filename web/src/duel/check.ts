// Checks each round of a duel in the browser, with the module that verifies complete proofs.

import type { Duel, DuelRound, DuelSide, Move } from '../api/shapes.ts';
import type { Failed } from '../stores/failed.ts';
import { ask } from '../verifier.ts';

/** Returns the commitment to a move: SHA-256 of "<move>:<salt>" in hex. */
export async function commitmentOf(move: Move, salt: string): Promise<string> {
  return ask('textHash', `${move}:${salt}`);
}

export interface RoundCheck {
  round: number;
  /** The revealed move of each side matches its commitment; null without a reveal. */
  a: boolean | null;
  b: boolean | null;
  /** The outcome follows from the moves, or from a missed deadline. */
  outcome: boolean;
}

/** Checks one decided round. */
export async function checkRound(round: DuelRound): Promise<RoundCheck> {
  const { move_a, move_b } = round;
  const equal = round.commitment_a !== null && round.commitment_a === round.commitment_b;
  const missed = equal ? null : (resigned(round) ?? forfeiter(round));
  const expected = equal
    ? 'void'
    : missed
      ? ({ a: 'b', b: 'a', both: 'void' } as const)[missed]
      : move_a &&
        move_b &&
        ({ win: 'a', loss: 'b', tie: 'tie' } as const)[await ask('outcome', move_a, move_b)];
  return {
    round: round.round,
    a: await holds(round, 'a'),
    b: await holds(round, 'b'),
    outcome: round.outcome === expected && round.forfeited_by === missed,
  };
}

/** Checks every decided round of a duel. */
export function checkRounds(duel: Duel): Promise<RoundCheck[]> {
  return checkDecided(duel.rounds.filter((round) => round.outcome !== 'pending'));
}

/** Checks decided rounds. After a resignation, the same side forfeits every round. */
export async function checkDecided(rounds: readonly DuelRound[]): Promise<RoundCheck[]> {
  const checks = await Promise.all(rounds.map(checkRound));
  let side: DuelSide | null = null;
  for (const [i, round] of rounds.entries()) {
    const check = checks[i];
    const now = resigned(round);
    if (check && side !== null && now !== side) check.outcome = false;
    side = now;
  }
  return checks;
}

/** Returns the side that resigned in a round: a round without hands that one side forfeited. */
function resigned({ committed, forfeited_by, ...round }: DuelRound): DuelSide | null {
  const hands = [round.move_a, round.move_b, round.salt_a, round.salt_b];
  if (committed.a || committed.b || hands.some((part) => part !== null)) return null;
  return forfeited_by === 'a' || forfeited_by === 'b' ? forfeited_by : null;
}

/** Reports whether no part of a check failed. */
export function passes(check: RoundCheck): boolean {
  return check.a !== false && check.b !== false && check.outcome;
}

/** Returns the rounds of a duel that have failed their check, as evidence. */
export function failedRounds({ rounds }: Pick<Duel, 'rounds'>, checks: readonly RoundCheck[]): Failed[] {
  const failed = checks.filter((check) => !passes(check)).map(({ round }) => round);
  return rounds
    .filter(({ round }) => failed.includes(round))
    .map((evidence) => ({ n: evidence.round, evidence }));
}

async function holds(round: DuelRound, side: DuelSide): Promise<boolean | null> {
  const [move, salt] = side === 'a' ? [round.move_a, round.salt_a] : [round.move_b, round.salt_b];
  if (move === null || salt === null) return null;
  return (await commitmentOf(move, salt)) === (side === 'a' ? round.commitment_a : round.commitment_b);
}

/** Returns the side that missed the round's last step (commit, or reveal after both commits); null when neither did. */
function forfeiter(round: DuelRound): 'both' | DuelSide | null {
  const done = round.committed.a && round.committed.b ? round.revealed : round.committed;
  if (done.a && done.b) return null;
  return done.a ? 'b' : done.b ? 'a' : 'both';
}
