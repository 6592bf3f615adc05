// What transfers add up to: for one address, and for the coins that there are.

import type { TransactionRow } from '../api/shapes.ts';
import { signed } from '../text/numbers.ts';

type Transfer = TransactionRow['transfers'][number];

/** What an address got and gave, as it is written beside a transaction: "−25 coins", "+#17". */
export function brought(transfers: readonly Transfer[], address: string): { text: string; got: boolean }[] {
  let coins = 0;
  const tokens = [];
  for (const { asset, from, to, amount, token_id } of transfers) {
    if (from === to || (from !== address && to !== address)) continue;
    const got = to === address;
    if (asset === 'coin') coins += (got ? 1 : -1) * (amount ?? 0);
    else tokens.push({ text: `${got ? '+' : '−'}#${token_id}`, got });
  }
  return coins === 0
    ? tokens
    : [{ text: `${signed(coins)} ${Math.abs(coins) === 1 ? 'coin' : 'coins'}`, got: coins > 0 }, ...tokens];
}

/** Coins that transactions made, destroyed and moved from one address to another. */
export function coinsOf(transactions: readonly Pick<TransactionRow, 'transfers'>[]): {
  created: number;
  destroyed: number;
  moved: number;
} {
  const sum = { created: 0, destroyed: 0, moved: 0 };
  for (const { asset, from, to, amount } of transactions.flatMap((tx) => tx.transfers))
    if (asset === 'coin') sum[from === null ? 'created' : to === null ? 'destroyed' : 'moved'] += amount ?? 0;
  return sum;
}
