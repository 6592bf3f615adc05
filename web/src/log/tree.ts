// Merkle trees of RFC 6962, 2.1.

import { nodeHash, sha256 } from '../../../verify/ts/verify.ts';

/** The largest power of two below n: where a tree of n leaves is split. */
export function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** The root of the tree over leaves with these hashes, or over as many whole subtrees of one size. */
export function merkleRoot(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length < 2) return hashes[0] ?? sha256(new Uint8Array());
  const middle = split(hashes.length);
  return nodeHash(merkleRoot(hashes.slice(0, middle)), merkleRoot(hashes.slice(middle)));
}
