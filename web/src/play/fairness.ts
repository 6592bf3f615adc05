// The check the player watches: each opened seed is hashed back to the one before it, and the house's hand is drawn
// from it again, by the very module that verifies whole proofs.

import type { Move, Run, Throw } from '../api/shapes.ts';
import { verifier } from '../verifier.ts';

export interface ThrowCheck {
  n: number;
  seed: string;
  /** What the seed hashes to, computed here. */
  digest: string;
  /** It is the seed opened before it, or the sealed commitment for throw 1. */
  seedHolds: boolean;
  /** The hand that seed, client seed and entropy give. */
  drawn: Move;
  /** The house showed that hand. */
  moveHolds: boolean;
}

/** Fetches the verifier ahead of the first throw, so that its check does not wait for the network. */
export function prepare(): void {
  void verifier().catch(() => undefined);
}

/** Checks throw number `n` (1, 2, …) of a run. */
export async function checkThrow(
  run: Pick<Run, 'commitment' | 'client_seed' | 'throws'>,
  n: number,
): Promise<ThrowCheck> {
  const { houseMove, previousSeed } = await verifier();
  const thrown = run.throws[n - 1] as Throw;
  const sealed = n === 1 ? run.commitment : (run.throws[n - 2] as Throw).seed;
  const digest = previousSeed(n, thrown.seed);
  const drawn = houseMove(thrown.seed, n, run.client_seed, thrown.entropy);
  return {
    n,
    seed: thrown.seed,
    digest,
    seedHolds: digest === sealed,
    drawn,
    moveHolds: drawn === thrown.house,
  };
}
