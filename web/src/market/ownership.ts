// Which transactions of a token's history are still pending.

import type { Token } from '../api/shapes.ts';

/** The maximum number of transactions in a response. For a longer history, pending transactions are unknown. */
const maxTransactions = 200;

/** Reports whether a transaction of the token's history is not in a block yet. */
export function isPendingTransaction(token: Token, tx_hash: string): boolean {
  return (
    token.transactions.length < maxTransactions && token.transactions.every(({ hash }) => hash !== tx_hash)
  );
}

/** Reports whether any entry of the token's history is not in a block yet. */
export function isPending(token: Token): boolean {
  return (
    token.end?.status === 'pending' ||
    token.owners.some(({ tx_hash }) => isPendingTransaction(token, tx_hash))
  );
}
