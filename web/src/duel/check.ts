// Checks each round of a duel in the browser, with the module that verifies complete proofs.

import type { Duel, DuelRound, DuelSide, Move } from '../api/shapes.ts';
import { evidenceOf } from '../stores/evidence.ts';
import type { Failed } from '../stores/failed.ts';
import { tried } from '../verification/tried.ts';
import { ask } from '../verifier.ts';

/** Returns the commitment to a move: SHA-256 of "<move>:<salt>" in hex. */
export async function commitmentOf(move: Move, salt: string): Promise<string> {
  return ask('textHash', `${move}:${salt}`);
}

/** Whether a revealed move matches its commitment; null without a reveal, `unknown` without the salt. */
type Holds = boolean | 'unknown' | null;

export interface RoundCheck {
  round: number;
  a: Holds;
  b: Holds;
  /**
   * The outcome follows from the moves, or from a missed deadline. Of a duel of this browser's player the round is also
   * the one that was signed and sealed (own.ts).
   */
  outcome: boolean;
}

/**
 * Checks one decided round. For a `player` each revealed move needs its salt. A spectator may lack salts, and then
 * knows nothing.
 */
export async function checkRound(round: DuelRound, player = false): Promise<RoundCheck> {
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
    a: await holds(round, 'a', player),
    b: await holds(round, 'b', player),
    outcome: round.outcome === expected && round.forfeited_by === missed,
  };
}

/** Returns the decided rounds of a duel. A malformed one is decided, and fails. */
export function decidedRounds({ rounds }: Pick<Duel, 'rounds'>): DuelRound[] {
  return rounds.filter((round) => (round as DuelRound | null)?.outcome !== 'pending');
}

/** Checks every decided round of a duel. */
export function checkRounds(duel: Duel, player = false): Promise<RoundCheck[]> {
  return checkDecided(decidedRounds(duel), player);
}

/**
 * Checks the decided rounds of a duel from the first one on. After a resignation, the same side forfeits every round. A
 * malformed round fails, and the others are checked.
 */
export async function checkDecided(rounds: readonly DuelRound[], player = false): Promise<RoundCheck[]> {
  const checks = await Promise.all(
    rounds.map((round, i) =>
      tried(() => checkRound(round, player), { round: i + 1, a: false, b: false, outcome: false }),
    ),
  );
  let side: DuelSide | null = null;
  for (const [i, round] of rounds.entries()) {
    const check = checks[i];
    const now = await tried(() => resigned(round), null);
    if (check && (check.round !== i + 1 || (side !== null && now !== side))) check.outcome = false;
    side = now;
  }
  return checks;
}

/** Returns the side that resigned in a round: a round without hands that one side forfeited. */
export function resigned({ committed, forfeited_by, ...round }: DuelRound): DuelSide | null {
  const hands = [round.move_a, round.move_b, round.salt_a, round.salt_b];
  if (committed.a || committed.b || hands.some((part) => part !== null)) return null;
  return forfeited_by === 'a' || forfeited_by === 'b' ? forfeited_by : null;
}

/** Reports whether no part of a check failed. */
export function passes(check: RoundCheck): boolean {
  return check.a !== false && check.b !== false && check.outcome;
}

/** Reports whether every part of a check passed; undefined without a salt that it needs. */
export function verdictOf(check: RoundCheck): boolean | undefined {
  if (!passes(check)) return false;
  return check.a === 'unknown' || check.b === 'unknown' ? undefined : true;
}

/** Members of a round that its check reads. */
const checked = [
  'round',
  'committed',
  'revealed',
  'commitment_a',
  'commitment_b',
  'move_a',
  'move_b',
  'salt_a',
  'salt_b',
  'forfeited_by',
  'outcome',
];

/** Returns the rounds of a duel that have failed their check, as evidence, with what this browser has sent for each. */
export function failedRounds(
  duel: Pick<Duel, 'rounds'>,
  checks: readonly RoundCheck[],
  sent: readonly (string | null)[] = [],
): Failed[] {
  const failed = decidedRounds(duel).map((round, i) => {
    const check = checks[i];
    if (!check || passes(check)) return [];
    return [{ n: i + 1, evidence: { ...evidenceOf(round, checked), sent: sent[i] ?? null } }];
  });
  return failed.flat();
}

async function holds(round: DuelRound, side: DuelSide, player: boolean): Promise<Holds> {
  const [move, salt] = side === 'a' ? [round.move_a, round.salt_a] : [round.move_b, round.salt_b];
  if (move === null) return player && round.revealed[side] ? false : null;
  if (salt === null) return player ? false : 'unknown';
  return (await commitmentOf(move, salt)) === (side === 'a' ? round.commitment_a : round.commitment_b);
}

/** Returns the side that missed the round's last step (commit, or reveal after both commits); null when neither did. */
function forfeiter(round: DuelRound): 'both' | DuelSide | null {
  const done = round.committed.a && round.committed.b ? round.revealed : round.committed;
  if (done.a && done.b) return null;
  return done.a ? 'b' : done.b ? 'a' : 'both';
}
