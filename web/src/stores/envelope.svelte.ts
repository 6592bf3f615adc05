// The commitment of the player's next run, shown as the sealed envelope. The run must use the commitment that the
// player saw. This browser stores it across reloads, and accepts a new one only if the chain shows that a run used the
// old one.

import { ApiError, get } from '../api/client.ts';
import type { Me } from '../api/shapes.ts';
import { dataOf } from '../explorer/runs.ts';
import { hasBegun } from '../play/texts.ts';
import { isText, getStored, setStored } from './storage.ts';

interface Sealed {
  account: string;
  commitment: string;
}

function isSealed(value: unknown): value is Sealed {
  const sealed = (value ?? {}) as Record<string, unknown>;
  return isText(sealed.account) && isText(sealed.commitment);
}

/** The maximum number of runs to trace back. A longer history counts as used. */
const maxRuns = 20;

class Envelope {
  /** The house replaced an unused commitment, which must never happen. */
  swapped = $state(false);
  #stored: Sealed | null = getStored('sealed', isSealed);

  /** Compares the server's next commitment with the stored one. */
  async observe(me: Pick<Me, 'account' | 'next_commitment'>): Promise<void> {
    const [account, { commitment, tx_hash }] = [me.account.address, me.next_commitment];
    const before = this.#stored;
    if (before?.account === account && before.commitment === commitment) return;
    this.#stored = { account, commitment };
    try {
      // This browser's own run with the commitment needs no trace: its seeds are checked against it.
      const traced = before?.account === account && !hasBegun(before.commitment);
      if (traced && !(await wasUsed(before.commitment, tx_hash))) this.swapped = true;
      setStored('sealed', this.#stored);
    } catch (error) {
      // An unknown transaction is no valid explanation. After a failed request the old commitment stays stored, and the
      // next call checks it again.
      if (error instanceof ApiError && error.status === 404) this.swapped = true;
      else this.#stored = before;
    }
  }
}

/**
 * Reports whether a run used the commitment. Each commitment but an account's first is published by the start of the
 * run that used the previous one, so the trace back from `publisher`, the transaction of a later one, must pass it.
 */
async function wasUsed(commitment: string, publisher: string): Promise<boolean> {
  let hash = publisher;
  for (let i = 0; i < maxRuns; i++) {
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
