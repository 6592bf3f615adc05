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
    return this.#heights.find(([tx]) => tx === this.tx)?.[1] ?? null;
  });

  /** Heights by transaction: the next commitment's height is still needed when it has become the run's. */
  #heights = $state.raw<(readonly [tx: string, height: number])[]>([]);

  /** Loads the height unless it is known, or comes with the account (App.svelte). */
  async load(): Promise<void> {
    const [tx, next] = [this.tx, session.me?.next_commitment];
    if (next?.height != null) this.#keep(next.tx_hash, next.height);
    if (tx === null || this.height !== null || tx === next?.tx_hash) return;
    const { transaction } = await get('/api/chain/tx/{tx_hash}', { path: { tx_hash: tx } });
    if (transaction.height !== null) this.#keep(tx, transaction.height);
  }

  #keep(tx: string, height: number): void {
    if (!this.#heights.some(([known]) => known === tx))
      this.#heights = [...this.#heights.slice(-3), [tx, height]];
  }
}

export const anchor = new Anchor();
