// Each answer to a step of a run continues the run that the page shows: a house that goes on with another run, another
// commitment or other throws could choose among several.

import type { Move, Run } from '../api/shapes.ts';
import { evidenceOf } from '../stores/evidence.ts';
import type { Failed } from '../stores/failed.ts';

/** What an answer to a step must continue. */
export type RunSoFar = Pick<Run, 'id' | 'commitment' | 'throws'>;

/** Members of a throw, which never change. */
const lasting = ['n', 'move', 'house', 'outcome', 'seed', 'entropy_hash'];
const text = (thrown: unknown): string => JSON.stringify(evidenceOf(thrown, lasting));

/**
 * Returns the first throw at which an answer contradicts the run before it, as evidence; null if it continues the run.
 * `sent` is the hand of a throw, null for a decision. Another tab or device may have thrown in between, so more throws
 * than one may be new.
 */
export function broken(before: RunSoFar, after: Run, sent: Move | null): Failed | null {
  const { id, commitment, throws } = before;
  try {
    const changed = throws.findIndex((thrown, i) => text(thrown) !== text(after.throws[i]));
    const last = after.throws.at(-1);
    const lacks = sent !== null && (after.throws.length <= throws.length || last?.move !== sent);
    if (changed < 0 && !lacks && after.id === id && after.commitment === commitment) return null;
    const i = changed < 0 ? throws.length : changed;
    const kept = { commitment, throw: evidenceOf(throws[i], lasting), sent };
    const answer = {
      ...evidenceOf(after, ['id', 'commitment']),
      throw: evidenceOf(changed < 0 ? last : after.throws[i], lasting),
    };
    return { n: i + 1, check: '/answer', evidence: { kept, answer } };
  } catch {
    // An answer without a readable run continues none.
    return { n: throws.length + 1, check: '/answer', evidence: { kept: { commitment, sent }, answer: null } };
  }
}
