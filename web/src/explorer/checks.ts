// What this browser checks for itself on the pages of a block and of a transaction, believing the server nothing: hashes
// (docs/protocol.md, sections 2 and 3), and the way up to the checkpoint that the house signed (section 4).

import { fetchCode } from '../code.ts';
import { get } from '../api/client.ts';
import type { Block, Transaction } from '../api/shapes.ts';
import { live } from '../stores/live.svelte.ts';
import { trust } from '../stores/trust.svelte.ts';
import { hex, unhex } from '../text/hex.ts';
import { counted, grouped } from '../text/numbers.ts';
import { absolute } from '../text/times.ts';
import { verifier } from '../verifier.ts';
import { blockAt } from './reads.ts';

export type CheckId = 'hash' | 'shown' | 'transactions' | 'block' | 'checkpoint' | 'kept' | 'log';

export interface Step {
  id: CheckId;
  holds: boolean;
  text: string;
}
/** Takes a step as soon as it is made. */
export type Tell = (step: Step) => void;

/** Checks a block; rejects when something that it needs could not be had. */
export async function checkBlock(block: Block, tell: Tell): Promise<void> {
  await checkHeader(block, tell);
  await checkTransactions(block, tell);
  await checkLog(block, tell);
}

/** Checks a transaction, and the block that it says it is in. */
export async function checkTransaction(tx: Transaction, tell: Tell): Promise<void> {
  const { txHash } = await verifier();
  tell({
    id: 'hash',
    holds: txHash(tx.raw) === tx.hash,
    text: 'The raw text hashes to this transaction’s hash.',
  });
  tell({
    id: 'shown',
    holds: saysWhat(tx),
    text: 'Kind, account, number, time and what moved stand in the raw text.',
  });
  if (tx.height === null) return;
  const block = await blockAt(tx.height);
  const steps: Step[] = [];
  await checkHeader(block, (step) => steps.push(step));
  await checkTransactions(block, (step) => steps.push(step));
  const there = block.height === tx.height && block.transactions[tx.index ?? -1]?.hash === tx.hash;
  tell({
    id: 'block',
    holds: there && steps.every(({ holds }) => holds),
    text: `It is in block ${grouped(tx.height)}, at place ${grouped(tx.index ?? 0)}: the block’s Merkle root follows from it and its neighbours.`,
  });
  await checkLog(block, tell);
}

async function checkHeader(block: Block, tell: Tell): Promise<void> {
  const { blockHash, document: read } = await verifier();
  const header = read(block.raw, 'header');
  tell({
    id: 'hash',
    holds: blockHash(block.raw) === block.hash,
    text: 'The header’s raw text hashes to this block’s hash.',
  });
  tell({
    id: 'shown',
    holds:
      header?.height === block.height &&
      header.prev === block.prev &&
      header.merkle_root === block.merkle_root &&
      header.tx_count === block.tx_count &&
      header.time === Date.parse(block.time),
    text: 'Height, time, Merkle root and the block before stand in that text.',
  });
}

async function checkTransactions(block: Block, tell: Tell): Promise<void> {
  const { txHash } = await verifier();
  const { blockRoot } = await fetchCode('log', () => import('../log/log.ts'));
  const hashes = block.transactions.map((tx) => txHash(tx.raw));
  tell({
    id: 'transactions',
    holds:
      hashes.length === block.tx_count &&
      block.transactions.every((tx, i) => tx.hash === hashes[i] && saysWhat(tx)) &&
      hex(blockRoot(hashes.map(unhex))) === block.merkle_root,
    text: `${counted(hashes.length, 'transaction')} hashed again: the Merkle root follows.`,
  });
}

/** The checkpoint is signed and has grown from the one before, and the block is in its log. */
async function checkLog(block: Block, tell: Tell): Promise<void> {
  const known = live.head !== null && live.head.height >= block.height;
  const head = known && live.head ? live.head : (await get('/api/chain/head')).head;
  const before = trust.kept;
  const { tree, is } = await trust.check(head);
  tell({
    id: 'checkpoint',
    holds: tree !== null,
    text: tree
      ? `A checkpoint of ${counted(tree.size, 'block')} is signed by the key known since ${absolute(trust.pin?.since ?? Date.now())}.`
      : 'The checkpoint is not signed by the key that this browser knows.',
  });
  if (!tree) return;
  const grown = ['first', 'same', 'grown', 'older'].includes(is) && trust.alarm === null;
  tell({
    id: 'kept',
    holds: grown,
    text:
      before && grown
        ? `It has grown from the one that this browser kept ${absolute(before.at)}.`
        : grown
          ? 'It is the first that this browser has seen, and is kept from now on.'
          : is === 'damaged'
            ? 'The one that this browser kept is damaged, so that it cannot be told whether this has grown from it.'
            : 'It has not grown from the one that this browser kept.',
  });
  const { contains } = await fetchCode('log', () => import('../log/log.ts'));
  tell({
    id: 'log',
    holds: await contains(tree, block.raw, block.height),
    text: `The block is entry ${grouped(block.height)} of the log that the checkpoint states.`,
  });
}

/** What is shown of a transaction is what its raw text says; the sentence about it is the server's own. */
function saysWhat(tx: Transaction): boolean {
  let raw: Record<string, unknown>;
  try {
    raw = JSON.parse(tx.raw) as Record<string, unknown>;
  } catch {
    return false;
  }
  const moved = (list: readonly object[]) =>
    JSON.stringify(
      list.map((transfer) => {
        const { asset, from, to, amount, token_id, tier } = transfer as Record<string, unknown>;
        return [asset, from ?? null, to ?? null, amount ?? null, token_id ?? null, tier ?? null];
      }),
    );
  return (
    raw.kind === tx.kind &&
    raw.actor === tx.actor &&
    raw.nonce === tx.nonce &&
    raw.time === Date.parse(tx.time) &&
    Array.isArray(raw.transfers) &&
    moved(raw.transfers as object[]) === moved(tx.transfers)
  );
}
