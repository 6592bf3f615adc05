import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { TransactionRow } from '../api/shapes.ts';
import { hex } from '../text/hex.ts';
import { merkleRoot } from './rehash.ts';
import { runOf, runsIn } from './runs.ts';

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());

// Certificate Transparency's own test tree (RFC 6962): eight leaves of growing length, and the root after each.
const leaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

test.each(roots.map((root, i) => [i + 1, root] as const))('the Merkle root of %i leaves', (n, root) => {
  const inputs = leaves.slice(0, n).map((leaf) => new Uint8Array(Buffer.from(leaf, 'hex')));
  expect(hex(merkleRoot(inputs, sha256))).toBe(root);
});

test('the empty tree is the hash of nothing', () => {
  expect(hex(merkleRoot([], sha256))).toBe(createHash('sha256').digest('hex'));
});

const row = (data: unknown, time: string, token?: number): TransactionRow =>
  ({
    raw: JSON.stringify({ data }),
    time,
    transfers:
      token === undefined ? [] : [{ asset: 'token', token_id: token, from: null, to: 'rps1x', tier: 2 }],
  }) as unknown as TransactionRow;

test('runs are read from an address’s history', () => {
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
