import { expect, test } from 'vitest';
import type { TransactionRow } from '../api/shapes.ts';
import { balanceChanges, coinTotals } from './transfers.ts';
import { withoutGaps } from './periods.ts';
import { runOf, runsIn } from './runs.ts';

const row = (data: unknown, time: string, token?: number): TransactionRow =>
  ({
    raw: JSON.stringify({ data }),
    time,
    transfers:
      token === undefined ? [] : [{ asset: 'token', token_id: token, from: null, to: 'rps1x', tier: 2 }],
  }) as unknown as TransactionRow;

test('runsIn reads runs from the history of an address', () => {
  const runs = runsIn([
    row({ run_id: 'b', entry: 'fee' }, '3'),
    row({ run_id: 'a', status: 'claimed', cleared: 2 }, '2', 7),
    row({ run_id: 'a', entry: 'free' }, '1'),
    row({ commitment: 'x' }, '0'),
  ]);
  expect(runs).toEqual([
    { id: 'b', time: '3', status: null, cleared: null, token: null },
    { id: 'a', time: '2', status: 'claimed', cleared: 2, token: 7 },
  ]);
});

test.each(['', 'null', '[]', '{"data":null}', '{"data":{"run_id":7}}', 'no json'])(
  '%j belongs to no run',
  (raw) => {
    expect(runOf(raw)).toBeNull();
  },
);

const period = (start: string, transactions: number, circulating: number) => ({
  start,
  blocks: 1,
  transactions,
  created: circulating,
  destroyed: 0,
  circulating,
});

test('periods without a block are filled in with unchanged circulation', () => {
  const moments = withoutGaps(
    [period('2026-11-22T02:00:00Z', 7, 300), period('2026-11-21T23:00:00Z', 3, 100)],
    'hour',
  );
  expect(moments.map(({ start }) => new Date(start).toISOString().slice(8, 13))).toEqual([
    '21T23',
    '22T00',
    '22T01',
    '22T02',
  ]);
  expect(moments.map(({ transactions }) => transactions)).toEqual([3, 0, 0, 7]);
  expect(moments.map(({ circulating }) => circulating)).toEqual([100, 100, 100, 300]);
  expect(withoutGaps([], 'day')).toEqual([]);
  expect(withoutGaps([period('2026-11-22T00:00:00Z', 1, 1)], 'day')).toHaveLength(1);
  const [before, first] = withoutGaps([period('2026-11-22T00:00:00Z', 1, 5)], 'day', true);
  expect([before?.start, before?.circulating, first?.circulating]).toEqual([
    Date.parse('2026-11-21T00:00:00Z'),
    0,
    5,
  ]);
});

const coin = (from: string | null, to: string | null, amount: number) =>
  ({ asset: 'coin', from, to, amount }) as unknown as TransactionRow['transfers'][number];
const token = (from: string | null, to: string | null, token_id: number) =>
  ({ asset: 'token', from, to, token_id }) as unknown as TransactionRow['transfers'][number];

test('a sale changes the balances of both sides and the coin totals', () => {
  const sale = [coin('buyer', 'seller', 97), coin('buyer', null, 3), token('seller', 'buyer', 17)];
  expect(balanceChanges(sale, 'buyer')).toEqual([
    { text: '−100 coins', incoming: false },
    { text: '+#17', incoming: true },
  ]);
  expect(balanceChanges(sale, 'seller')).toEqual([
    { text: '+97 coins', incoming: true },
    { text: '−#17', incoming: false },
  ]);
  expect(balanceChanges(sale, 'other')).toEqual([]);
  expect(coinTotals([{ transfers: sale }, { transfers: [coin(null, 'seller', 1000)] }])).toEqual({
    created: 1000,
    destroyed: 3,
    moved: 97,
  });
});
