// Before the browser reveals a move, the house must have signed both commitments of the round: otherwise it could exchange
// the opponent's commitment after the reveal, and the proof of the duel would not show it.

import { receiptsOf } from '../api/receipts.ts';
import type { Duel, DuelRound } from '../api/shapes.ts';
import { ask } from '../verifier.ts';

/** The house has not signed the commitments of the round. */
export class Unsigned extends Error {
  override readonly name = 'Unsigned';
}

/** Reports whether a kept receipt, signed by the key, states both commitments of the round. */
export async function isSigned(duel: Duel, round: DuelRound, key: string | undefined): Promise<boolean> {
  const house = key === undefined ? null : await ask('parseKey', key);
  if (!house) return false;
  const statements = await Promise.all(
    receiptsOf(duel.id).map((receipt) => ask('statementOf', receipt, house)),
  );
  return statements.some(
    (said) =>
      said?.kind === 'round' &&
      said.duel_id === duel.id &&
      said.n === round.round &&
      said.commitment_a === round.commitment_a &&
      said.commitment_b === round.commitment_b,
  );
}
