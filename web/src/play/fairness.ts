// The check after each throw: the revealed seed must hash to the previous one and give the house's hand, and the
// outcome must follow from both hands. The code is the module that verifies complete proofs. It reads the hashes of the
// player's texts, which texts.ts compares with what this browser has sent.

import type { Move, Run, Throw } from '../api/shapes.ts';
import { tried } from '../verification/tried.ts';
import { ask } from '../verifier.ts';

type Thrown = Pick<Run, 'commitment' | 'client_seed_hash' | 'throws'>;

export interface ThrowCheck {
  n: number;
  seed: string;
  /** The hash of the seed, computed in this browser. */
  digest: string;
  /** The digest is the previous seed, or the commitment for throw 1. */
  seedHolds: boolean;
  /** The hand derived from seed and the hashes of client seed and entropy; null for a malformed throw. */
  drawn: Move | null;
  /** The derived hand is the house's hand. */
  moveHolds: boolean;
  /** The throw has the number of its position, and its outcome follows from both hands. */
  outcomeHolds: boolean;
}

/** Prefetches the verifier, so that the check of the first throw does not wait for the network. */
export function prepare(): void {
  void ask('textHash', '').catch(() => undefined);
}

/** Reports whether no part of a check failed. */
export function passes({ seedHolds, moveHolds, outcomeHolds }: ThrowCheck): boolean {
  return seedHolds && moveHolds && outcomeHolds;
}

/** Checks throw number `n` (1, 2, …) of a run, by its position. A malformed throw fails. */
export function checkThrow(run: Thrown, n: number): Promise<ThrowCheck> {
  const nothing = { seedHolds: false, moveHolds: false, outcomeHolds: false };
  return tried(() => check(run, n), { n, seed: '', digest: '', drawn: null, ...nothing });
}

async function check(run: Thrown, n: number): Promise<ThrowCheck> {
  const thrown = run.throws[n - 1] as Throw;
  const previous = n === 1 ? run.commitment : (run.throws[n - 2] as Throw).seed;
  const [digest, drawn, outcome] = await Promise.all([
    ask('previousSeed', n, thrown.seed),
    ask('houseMove', thrown.seed, n, run.client_seed_hash, thrown.entropy_hash),
    ask('outcome', thrown.move, thrown.house),
  ]);
  return {
    n,
    seed: thrown.seed,
    digest,
    seedHolds: digest === previous,
    drawn,
    moveHolds: drawn === thrown.house,
    outcomeHolds: thrown.n === n && thrown.outcome === outcome && hands.includes(thrown.move),
  };
}

const hands: readonly string[] = ['rock', 'paper', 'scissors'];
