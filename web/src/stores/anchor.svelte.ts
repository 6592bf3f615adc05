// The block that recorded the current commitment.

import { get } from '../api/client.ts';
import { game } from './game.svelte.ts';
import { session } from './session.svelte.ts';

class Anchor {
  /** The transaction that published the commitment. */
  readonly tx: string | null = $derived(game.run?.commit_tx ?? session.me?.next_commitment.tx_hash ?? null);
  /** Height of its block; null while it is pending or unknown. */
  readonly height: number | null = $derived.by(() => {
    const next = session.me?.next_commitment;
    if (next?.height != null && next.tx_hash === this.tx) return next.height;
    return this.#loaded?.tx === this.tx ? this.#loaded.height : null;
  });

  #loaded = $state.raw<{ tx: string; height: number } | null>(null);

  /** Loads the height unless it is known. */
  async load(): Promise<void> {
    const tx = this.tx;
    if (tx === null || this.height !== null) return;
    const { transaction } = await get('/api/chain/tx/{tx_hash}', { path: { tx_hash: tx } });
    if (transaction.height !== null) this.#loaded = { tx, height: transaction.height };
  }
}

export const anchor = new Anchor();
