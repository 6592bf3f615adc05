// The check after each throw: the revealed seed must hash to the previous one and give the house's hand. The code is
// the module that verifies complete proofs.

import type { Move, Run, Throw } from '../api/shapes.ts';
import { ask } from '../verifier.ts';

export interface ThrowCheck {
  n: number;
  seed: string;
  /** The hash of the seed, computed in this browser. */
  digest: string;
  /** The digest is the previous seed, or the commitment for throw 1. */
  seedHolds: boolean;
  /** The hand derived from seed, client seed and entropy. */
  drawn: Move;
  /** The derived hand is the house's hand. */
  moveHolds: boolean;
}

/** Prefetches the verifier, so that the check of the first throw does not wait for the network. */
export function prepare(): void {
  void ask('textHash', '').catch(() => undefined);
}

/** Checks throw number `n` (1, 2, …) of a run. */
export async function checkThrow(
  run: Pick<Run, 'commitment' | 'client_seed' | 'throws'>,
  n: number,
): Promise<ThrowCheck> {
  const thrown = run.throws[n - 1] as Throw;
  const previous = n === 1 ? run.commitment : (run.throws[n - 2] as Throw).seed;
  const [digest, clientSeed, entropy] = await Promise.all([
    ask('previousSeed', n, thrown.seed),
    ask('textHash', run.client_seed),
    ask('textHash', thrown.entropy),
  ]);
  const drawn = await ask('houseMove', thrown.seed, n, clientSeed, entropy);
  return {
    n,
    seed: thrown.seed,
    digest,
    seedHolds: digest === previous,
    drawn,
    moveHolds: drawn === thrown.house,
  };
}
