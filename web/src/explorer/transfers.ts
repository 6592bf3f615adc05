// Sums over transfers: balance changes of one address, and totals of coins.

import type { TransactionRow } from '../api/shapes.ts';
import { counted, signed } from '../text/numbers.ts';

type Transfer = TransactionRow['transfers'][number];

/** Returns the balance changes of an address as texts: "−25 coins", "+#17". */
export function balanceChanges(
  transfers: readonly Transfer[],
  address: string,
): { text: string; incoming: boolean }[] {
  let coins = 0;
  const tokens = [];
  for (const { asset, from, to, amount, token_id } of transfers) {
    if (from === to || (from !== address && to !== address)) continue;
    const incoming = to === address;
    if (asset === 'coin') coins += (incoming ? 1 : -1) * (amount ?? 0);
    else tokens.push({ text: `${incoming ? '+' : '−'}#${token_id}`, incoming });
  }
  return coins === 0
    ? tokens
    : [
        {
          text: counted(Math.abs(coins), '{signed} coin', '{signed} coins', { signed: signed(coins) }),
          incoming: coins > 0,
        },
        ...tokens,
      ];
}

/** Returns how many coins transactions created, destroyed and moved between addresses. */
export function coinTotals(transactions: readonly Pick<TransactionRow, 'transfers'>[]): {
  created: number;
  destroyed: number;
  moved: number;
} {
  const sum = { created: 0, destroyed: 0, moved: 0 };
  for (const { asset, from, to, amount } of transactions.flatMap((tx) => tx.transfers))
    if (asset === 'coin') sum[from === null ? 'created' : to === null ? 'destroyed' : 'moved'] += amount ?? 0;
  return sum;
}
