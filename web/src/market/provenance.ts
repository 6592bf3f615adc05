// What the chain already holds of a token's past, and what still waits for a block.

import type { Token } from '../api/shapes.ts';

/** How many of a token's transactions its page is given: of a longer past nothing can be said to be pending. */
const most = 200;

/** Whether a transaction of the token's past waits for a block. */
export function waits(token: Token, tx_hash: string): boolean {
  return token.transactions.length < most && token.transactions.every(({ hash }) => hash !== tx_hash);
}

/** Whether anything of what the page of a token shows waits for a block. */
export function isPending(token: Token): boolean {
  return token.end?.status === 'pending' || token.owners.some(({ tx_hash }) => waits(token, tx_hash));
}
