// What the page hashes again for itself on block and transaction pages: docs/protocol.md, sections 2 and 3.

import type { Block } from '../api/shapes.ts';
import { hex, unhex } from '../text/hex.ts';
import { verifier } from '../verifier.ts';

/** The block's hash, its Merkle root and the hashes of its transactions follow from the texts that are shown. */
export async function blockHolds(block: Block): Promise<boolean> {
  const { blockHash, sha256, txHash } = await verifier();
  const hashes = block.transactions.map((tx) => txHash(tx.raw));
  const header = JSON.parse(block.raw) as { merkle_root?: unknown; height?: unknown };
  return (
    hashes.every((hash, i) => hash === block.transactions[i]?.hash) &&
    header.height === block.height &&
    header.merkle_root === hex(merkleRoot(hashes.map(unhex), sha256)) &&
    block.hash === blockHash(block.raw)
  );
}

/** The transaction's hash follows from its text. */
export async function transactionHolds(tx: { raw: string; hash: string }): Promise<boolean> {
  const { txHash } = await verifier();
  return txHash(tx.raw) === tx.hash;
}

type Hash = (message: Uint8Array) => Uint8Array;

/** Merkle tree hash of RFC 6962, section 2.1, over 32-byte leaves. */
export function merkleRoot(leaves: readonly Uint8Array[], sha256: Hash): Uint8Array {
  const [first] = leaves;
  if (!first) return sha256(new Uint8Array());
  if (leaves.length === 1) return sha256(Uint8Array.of(0, ...first));
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256(
    Uint8Array.of(
      1,
      ...merkleRoot(leaves.slice(0, split), sha256),
      ...merkleRoot(leaves.slice(split), sha256),
    ),
  );
}
