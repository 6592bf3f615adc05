// The files that the page verifies: a proof, or several, one a line, as in the file of a cup's proofs.

import { get } from '../api/client.ts';
import type { Requirements } from '../stores/trust.svelte.ts';
import { ask } from '../verifier.ts';
import { gameOf, outcomeOf, verify, type Outcome, type Verified } from './proof.ts';

/** Proofs of a file that the page lists. A cup of 64 players has 2,016 duels at most, with the house's bots some 5,000. */
const MAX_PROOFS = 10_000;

/** A proof of a file of several: the bytes `from` to before `to`, and its verdict. */
export interface Entry {
  line: number;
  from: number;
  to: number;
  /** The id of the run or the code of the duel; '' if the line is unreadable. */
  game: string;
  outcome: Outcome;
}

/** What a file is: a proof with its report, or several with their verdicts. */
export type FileResult = { single: Verified; entries: null } | { single: null; entries: Entry[] };

/** Called after each proof of several, with how many are done; returns whether to go on. */
type Progress = (done: number, total: number) => boolean;

/**
 * Verifies each proof of a file, one after the other: the reports of a large cup at once would take much memory. Returns
 * null when `goOn` has ended it.
 */
export async function verifyFile(
  file: ArrayBuffer,
  required: Requirements,
  goOn: Progress = () => true,
): Promise<FileResult | null> {
  const places = await ask('proofsIn', new Uint8Array(file), MAX_PROOFS);
  const [first] = places;
  // The bytes that the programs verify: blank lines around a proof may have characters that JSON does not allow.
  if (first?.line === 0)
    return { single: await verify(file.slice(first.from, first.to), required), entries: null };
  const entries: Entry[] = [];
  for (const place of places) {
    const proof = file.slice(place.from, place.to);
    const { report } = await verify(proof, required);
    entries.push({ ...place, game: gameOf(proof), outcome: outcomeOf(report) });
    if (!goOn(entries.length, places.length)) return null;
  }
  return { single: null, entries };
}

/** The verdict on a file: valid only if every proof is. */
export function wholeOutcome(entries: readonly Entry[]): Outcome {
  const outcomes = new Set(entries.map(({ outcome }) => outcome));
  if (outcomes.has('contradicted')) return 'contradicted';
  if (outcomes.has('invalid') || outcomes.has('unreadable')) return 'invalid';
  return outcomes.has('pending') ? 'pending' : 'valid';
}

/** Returns the code of the duel that has finished last; null while there is none. */
export async function newestDuel(): Promise<string | null> {
  const { duels } = await get('/api/duels', { query: { status: 'finished', limit: 1 } });
  return duels[0]?.id ?? null;
}
