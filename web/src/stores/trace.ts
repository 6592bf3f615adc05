// The trace of a player's commitments through the chain.

import { ApiError, get } from '../api/client.ts';
import { dataOf } from '../explorer/runs.ts';
import { isText } from './storage.ts';

/** The maximum number of runs to trace back. A longer history counts as used. */
const maxRuns = 20;

/**
 * Reports whether a run used the commitment. Each commitment but an account's first is published by the start of the
 * run that used the previous one, so the trace back from `publisher`, the transaction of a later one, must pass it.
 */
export async function wasUsed(commitment: string, publisher: string): Promise<boolean> {
  let hash = publisher;
  try {
    for (let i = 0; i < maxRuns; i++) {
      const { transaction } = await get('/api/chain/tx/{tx_hash}', { path: { tx_hash: hash } });
      // After a recovery that the chain declares, the house replaces every commitment. A replay refuses any other rotation.
      if (transaction.kind === 'commitment.rotate') return true;
      const data = dataOf(transaction.raw);
      if (transaction.kind !== 'run.start' || !isText(data.run_id)) return false;
      if (data.commitment === commitment) return true;
      const { run } = await get('/api/runs/{run_id}', { path: { run_id: data.run_id } });
      hash = run.commit_tx;
    }
  } catch (error) {
    // An unknown transaction or run explains nothing.
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
  return true;
}
