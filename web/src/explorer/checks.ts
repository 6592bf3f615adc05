// The checks that this browser makes on the pages of a block and of a transaction without trusting the server: hashes
// (docs/protocol.md, sections 2 and 3), and inclusion in the signed checkpoint (section 4).

import { get } from '../api/client.ts';
import type { Block, Head, Transaction } from '../api/shapes.ts';
import { reasons } from '../proof/reasons.ts';
import { cosignedText } from '../proof/witnesses.ts';
import { live } from '../stores/live.svelte.ts';
import { trust } from '../stores/trust.svelte.ts';
import { hex, unhex } from '../text/hex.ts';
import { counted, grouped } from '../text/numbers.ts';
import { absolute } from '../text/times.ts';
import { ask } from '../verifier.ts';
import { blockAt } from './lookup.ts';
import { t } from '../text/language.ts';

export type CheckId =
  'hash' | 'shown' | 'transactions' | 'block' | 'checkpoint' | 'kept' | 'witnesses' | 'log';

export interface Step {
  id: CheckId;
  holds: boolean;
  text: string;
}
/** Receives each step when it completes. */
export type Report = (step: Step) => void;

/** Checks a block; rejects when a required response is missing. */
export async function checkBlock(block: Block, report: Report): Promise<void> {
  await checkHeader(block, report);
  await checkTransactions(block, report);
  await checkLog(block, report);
}

/** Checks a transaction and the block that it names. */
export async function checkTransaction(tx: Transaction, report: Report): Promise<void> {
  report({
    id: 'hash',
    holds: (await ask('txHash', tx.raw)) === tx.hash,
    text: t('The raw text hashes to this transaction’s hash.'),
  });
  report({
    id: 'shown',
    holds: matchesRaw(tx),
    text: t('Kind, account, number, time and transfers match the raw text.'),
  });
  if (tx.height === null) return;
  const block = await blockAt(tx.height);
  const steps: Step[] = [];
  await checkHeader(block, (step) => steps.push(step));
  await checkTransactions(block, (step) => steps.push(step));
  const included = block.height === tx.height && block.transactions[tx.index ?? -1]?.hash === tx.hash;
  report({
    id: 'block',
    holds: included && steps.every(({ holds }) => holds),
    text: t(
      'The transaction is in block {height} at index {index}, and the block’s Merkle root includes it.',
      { height: grouped(tx.height), index: grouped(tx.index ?? 0) },
    ),
  });
  await checkLog(block, report);
}

async function checkHeader(block: Block, report: Report): Promise<void> {
  const header = await ask('document', block.raw, 'header');
  report({
    id: 'hash',
    holds: (await ask('blockHash', block.raw)) === block.hash,
    text: t('The header’s raw text hashes to this block’s hash.'),
  });
  report({
    id: 'shown',
    holds:
      header?.height === block.height &&
      header.prev === block.prev &&
      header.merkle_root === block.merkle_root &&
      header.tx_count === block.tx_count &&
      header.time === Date.parse(block.time),
    text: t('Height, time, Merkle root and previous block match the raw text.'),
  });
}

async function checkTransactions(block: Block, report: Report): Promise<void> {
  const hashes = await Promise.all(block.transactions.map((tx) => ask('txHash', tx.raw)));
  const root = hex(await ask('blockRoot', hashes.map(unhex)));
  report({
    id: 'transactions',
    holds:
      hashes.length === block.tx_count &&
      block.transactions.every((tx, i) => tx.hash === hashes[i] && matchesRaw(tx)) &&
      root === block.merkle_root,
    text: t('{length} hashed: the Merkle root matches.', { length: counted(hashes.length, 'transaction') }),
  });
}

/**
 * Checks the checkpoint's signature, its consistency with the stored checkpoint, and the block's inclusion in the log.
 */
async function checkLog(block: Block, report: Report): Promise<void> {
  const known = live.head !== null && live.head.height >= block.height;
  const head = known && live.head ? live.head : (await get('/api/chain/head')).head;
  const before = trust.checkpoint;
  const { tree, is } = await trust.check(head);
  report({
    id: 'checkpoint',
    holds: tree !== null,
    text: tree
      ? t('A checkpoint of {size} is signed by the key known since {since}.', {
          size: counted(tree.size, 'block'),
          since: absolute(trust.pin?.since ?? Date.now()),
        })
      : t('The checkpoint is not signed by the key that this browser knows.'),
  });
  if (!tree) return;
  const consistent = ['first', 'same', 'grown', 'older'].includes(is) && trust.alarm === null;
  report({
    id: 'kept',
    holds: consistent,
    text:
      before && consistent
        ? t('The checkpoint extends the one that this browser stored on {at}.', { at: absolute(before.at) })
        : consistent
          ? t('This is the first checkpoint for this browser. It is stored for later comparison.')
          : is === 'damaged'
            ? t('The stored checkpoint is damaged, so consistency cannot be checked.')
            : t('The checkpoint does not extend the one that this browser stored.'),
  });
  await checkWitnesses(head, report);
  report({
    id: 'log',
    holds: await ask('contains', tree, block.raw, block.height),
    text: t('The block is entry {height} of the log in the checkpoint.', { height: grouped(block.height) }),
  });
}

/**
 * Checks that as many witnesses as the policy of this browser demands have cosigned a checkpoint of the log that it knows.
 * Without witnesses there is nothing to check.
 */
async function checkWitnesses(head: Head, report: Report): Promise<void> {
  const { witnesses, quorum } = await trust.requirements();
  if (witnesses.length === 0) return;
  const note = await ask('witnessed');
  const result = await ask('cosigned', note, { keys: witnesses, quorum });
  const inLanguage = await reasons().catch(() => (reason: string) => reason);
  const text = inLanguage(cosignedText(result));
  if (note === null || result.fault !== '') {
    report({ id: 'witnesses', holds: false, text });
    return;
  }
  // What the witnesses saw must be the log that this browser sees.
  const { tree, is } = await trust.check({ verifier_key: head.verifier_key, checkpoint: note });
  report({
    id: 'witnesses',
    holds: tree !== null && ['same', 'grown', 'older'].includes(is),
    text: `${text} ${t('They saw {size}.', { size: counted(tree?.size ?? 0, 'block') })}`,
  });
}

/**
 * Reports whether the displayed fields match the raw text. The summary is the server's and is not part of the check.
 */
function matchesRaw(tx: Transaction): boolean {
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
