// The state of an address on the chain, with its history in pages.

import { get } from '../api/client.ts';
import type { AddressPage, TransactionRow } from '../api/shapes.ts';
import { fresh } from '../stores/fresh.ts';
import { paged, type Pages } from '../stores/pages.svelte.ts';

export class History {
  holder = $state.raw<AddressPage['address'] | null>(null);
  readonly pages: Pages<TransactionRow>;

  constructor(address: () => string) {
    this.pages = paged(
      (page) =>
        get('/api/chain/address/{address}', { path: { address: address() }, query: { limit: 20, ...page } }),
      (answer) => {
        this.holder = answer.address;
        return answer.transactions;
      },
      (tx) => tx.hash,
      false,
      '+history',
    );
  }
}

/** Returns the history of an address for the calling component, refreshed after new blocks. */
export function readHistory(address: () => string): History {
  const history = new History(address);
  $effect(() => (address() ? fresh.follow('blocks', history.pages.refresh) : undefined));
  return history;
}
