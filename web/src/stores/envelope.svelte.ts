// The envelope that lies on the table: the commitment of the player's next run. It was shown before the player chose
// anything, so it must be the one that is opened. This browser remembers the one it showed, also over a reload, and a
// later one is believed only when the chain tells how the former was used up.

import { ApiError, get } from '../api/client.ts';
import type { Me } from '../api/shapes.ts';
import { dataOf } from '../explorer/runs.ts';
import { isText, recall, remember } from './memory.ts';

interface Sealed {
  account: string;
  commitment: string;
}

function isSealed(value: unknown): value is Sealed {
  const sealed = (value ?? {}) as Record<string, unknown>;
  return isText(sealed.account) && isText(sealed.commitment);
}

/** Runs played elsewhere that are followed back before giving up; more is not held against the house. */
const farthest = 20;

class Envelope {
  /** The house put another envelope in the place of one that was not used: must never happen. */
  swapped = $state(false);
  #seen: Sealed | null = recall('sealed', isSealed);

  /** Takes note of what the server says the next run will use. */
  async meet(me: Pick<Me, 'account' | 'next_commitment'>): Promise<void> {
    const [account, { commitment, tx_hash }] = [me.account.address, me.next_commitment];
    const before = this.#seen;
    if (before?.account === account && before.commitment === commitment) return;
    this.#seen = { account, commitment };
    try {
      if (before?.account === account && !(await usedUp(before.commitment, tx_hash))) this.swapped = true;
      remember('sealed', this.#seen);
    } catch (error) {
      // A transaction that the chain does not know explains nothing. No answer at all is no proof of anything: the
      // former envelope stays in mind, to be asked about again.
      if (error instanceof ApiError && error.status === 404) this.swapped = true;
      else this.#seen = before;
    }
  }
}

/**
 * Whether a run used the commitment: each commitment but an account's first is published by the run that used the one
 * before it, so the way back from `publisher`, the transaction of a later one, must pass it.
 */
async function usedUp(commitment: string, publisher: string): Promise<boolean> {
  let hash = publisher;
  for (let i = 0; i < farthest; i++) {
    const { transaction } = await get('/api/chain/tx/{tx_hash}', { path: { tx_hash: hash } });
    const data = dataOf(transaction.raw);
    if (transaction.kind !== 'run.start' || !isText(data.run_id)) return false;
    if (data.commitment === commitment) return true;
    const { run } = await get('/api/runs/{run_id}', { path: { run_id: data.run_id } });
    hash = run.commit_tx;
  }
  return true;
}

export const envelope = new Envelope();
