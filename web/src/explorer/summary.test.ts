import { expect, test } from 'vitest';
import type { TransactionRow } from '../api/shapes.ts';
import { summary } from './summary.ts';

const [a, b] = ['rps13pku6g7ygpademxk8uy775zrmv0tn3w22c7f5s', 'rps1emm4rep7rhexj5hwh7cl666uf70zlr2lje77fx'];
const coin = (amount: number) => ({ asset: 'coin', from: a, to: b, amount });
const token = { asset: 'token', from: b, to: a, token_id: 7 };

test.each([
  ['account.create', { kind: 'guest' }, [coin(1000)], 'rps13pku…7f5s joined as a guest with 1,000 coins.'],
  ['account.create', { kind: 'account' }, [coin(1)], 'rps13pku…7f5s joined as a player with 1 coin.'],
  ['run.start', { entry: 'fee' }, [coin(50)], 'rps13pku…7f5s began a run for 50 coins.'],
  ['run.start', { entry: 'burn' }, [token], 'rps13pku…7f5s burned token 7 and began a run at its tier.'],
  ['run.end', { status: 'lost', throws: 1 }, [], 'rps13pku…7f5s lost a run after 1 throw.'],
  [
    'run.end',
    { status: 'claimed', cleared: 2, throws: 3 },
    [token],
    'rps13pku…7f5s claimed 2 after 3 throws: token 7.', // the rules are not loaded
  ],
  [
    'duel.settle',
    { a, b, duel_id: 'D1', winner: 'b' },
    [],
    'rps1emm4…77fx won duel D1 against rps13pku…7f5s.',
  ],
  [
    'duel.settle',
    { a, b, duel_id: 'D1', winner: null },
    [],
    'Duel D1 between rps13pku…7f5s and rps1emm4…77fx ended in a draw.',
  ],
  [
    'duel.settle',
    { a, b: null, duel_id: 'D1' },
    [],
    'Duel D1 of rps13pku…7f5s found no opponent. The stake was refunded.',
  ],
  [
    'market.sale',
    { listing_id: 1 },
    [coin(97), coin(3), token],
    'rps13pku…7f5s bought token 7 from rps1emm4…77fx for 100 coins.',
  ],
  ['cup.close', { cup: 4 }, [], 'Cup 4 closed.'],
  ['result.void', { game: 'duel:D1' }, [], 'The result of duel D1 was declared void.'],
  ['result.restore', { game: 'run:R1' }, [], 'The result of run R1 counts again.'],
  ['unknown', {}, [], 'from the service'],
] as const)('%s %j', (kind, data, transfers, expected) => {
  const raw = JSON.stringify({ data });
  const tx = { kind, raw, transfers, actor: a, summary: 'from the service' } as unknown as TransactionRow;
  expect(summary(tx)).toBe(expected);
});
