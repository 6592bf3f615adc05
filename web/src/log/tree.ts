// Merkle trees of RFC 6962, 2.1.

import { nodeHash, sha256 } from '../../../verify/ts/verify.ts';

/** Returns the largest power of two below n, the size of the left subtree of n leaves. */
export function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** Returns the root over leaf hashes, or over roots of complete subtrees of one size. */
export function merkleRoot(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length < 2) return hashes[0] ?? sha256(new Uint8Array());
  const middle = split(hashes.length);
  return nodeHash(merkleRoot(hashes.slice(0, middle)), merkleRoot(hashes.slice(middle)));
}
