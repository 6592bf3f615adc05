// What this browser knows by itself about a duel of its player: that it plays, what it has sealed, and what the house
// has signed. The service's answer about the duel is compared with that.

import { receiptsOf } from '../api/receipts.ts';
import type { Duel, DuelRound } from '../api/shapes.ts';
import { trust } from '../stores/trust.svelte.ts';
import { hasSigned } from '../verification/signed.ts';
import { tried } from '../verification/tried.ts';
import { decidedRounds, resigned, type RoundCheck } from './check.ts';
import { sentIn } from './sent.ts';

/** A duel of the player of this browser. */
export interface Own {
  code: string;
  /** The commitments of this browser; entry n - 1 is of round n. */
  sent: readonly (string | null)[];
}

/**
 * Returns what this browser knows about a duel of its player; null for a spectator. The player's address is a side, or
 * this browser has sealed a hand: `you` of the answer is the service's word.
 */
export function ownIn(code: string, duel: Pick<Duel, 'a' | 'b'>, address: string | undefined): Own | null {
  const sent = sentIn(code);
  const isSide = address !== undefined && [duel.a, duel.b].some((side) => side?.address === address);
  return isSide || sent.length > 0 ? { code, sent } : null;
}

export interface OwnChecks {
  checks: readonly RoundCheck[];
  /** A recovery that would excuse a round is in no signed block yet. */
  waiting: boolean;
}

/**
 * Fails each decided round that is not the one that the house has signed, or that lacks what this browser has sealed.
 * A recovery that the chain declares may lose a round, which is played again: then the proof of the duel decides, which
 * the verifier compares with all receipts.
 */
export async function checkOwn(
  duel: Pick<Duel, 'rounds'>,
  checks: readonly RoundCheck[],
  own: Own,
): Promise<OwnChecks> {
  const rounds = decidedRounds(duel);
  const differs = await Promise.all(rounds.map((round, i) => tried(() => differ(round, i + 1, own), true)));
  if (!differs.includes(true)) return { checks, waiting: false };
  const excuse = await excuseOf(own.code);
  if (excuse !== 'none') return { checks, waiting: excuse === 'pending' };
  return {
    checks: checks.map((check, i) => (differs[i] ? { ...check, outcome: false } : check)),
    waiting: false,
  };
}

/** Reports whether round n is another one than this browser knows. One that a side has resigned has no commitments. */
async function differ(round: DuelRound, n: number, { code, sent }: Own): Promise<boolean> {
  if (resigned(round) !== null) return false;
  const mine = sent[n - 1] ?? null;
  if (mine !== null && round.commitment_a !== mine && round.commitment_b !== mine) return true;
  return contradictsReceipt(round, n, code);
}

/** Reports whether the house has signed other commitments of round n than are shown. */
function contradictsReceipt(round: DuelRound, n: number, code: string): Promise<boolean> {
  return hasSigned(
    receiptsOf(code),
    trust.pin?.key,
    ({ kind, duel_id, n: of, commitment_a, commitment_b }) => {
      if (kind !== 'round' || duel_id !== code || of !== n) return false;
      return commitment_a !== round.commitment_a || commitment_b !== round.commitment_b;
    },
  );
}

/**
 * Returns whether the proof of a duel holds, with what the house has signed, and shows a recovery during it in a signed
 * block: an excuse, which is pending until the recovery is in such a block. Throws if the proof could not be fetched or
 * verified: nothing is known then.
 */
function excuseOf(code: string): Promise<'none' | 'pending' | 'proved'> {
  return tried(async () => {
    const { duelProofAddress, fetchProof, outcomeOf, verify } = await import('../proof/proof.ts');
    const file = await fetchProof(duelProofAddress(code));
    const { report } = await verify(file, await trust.requirements());
    const proof = JSON.parse(new TextDecoder().decode(file)) as { duel_id?: unknown; recovery?: unknown };
    const holds = proof.duel_id === code && ['valid', 'pending'].includes(outcomeOf(report));
    if (!holds || proof.recovery == null) return 'none';
    return report.pending.includes('recovery') ? 'pending' : 'proved';
  }, 'none');
}
