// The trace of a player's commitments through the signed chain. The service that is under suspicion answers each
// request, so an answer counts for what its hashes and the log's signature show.

import { get } from '../api/client.ts';
import { ChunkLoadError } from '../chunks.ts';
import { hex, unhex } from '../text/hex.ts';
import { ask } from '../verifier.ts';
import { live } from './live.svelte.ts';
import { trust } from './trust.svelte.ts';

/** The most runs to trace back. A longer history since the commitment was stored counts as used. */
const maxRuns = 20;

/** A commitment that this browser has seen. */
export interface Seen {
  account: string;
  commitment: string;
  /** The size of the signed log before the browser saw it. A run that uses it is in a later block. */
  size?: number;
}

/** A later commitment, and the transaction that has published it. */
export interface Published {
  commitment: string;
  tx_hash: string;
}

/** `missing`: the service shows, in signed blocks, no use of the commitment, and nothing that excludes one. */
export type Trace = 'used' | 'unused' | 'missing';

interface Publisher {
  kind: 'account.create' | 'run.start' | 'commitment.rotate';
  actor: string | null;
  data: { commitment: string; next_commitment?: string; run_id?: string };
}

/**
 * Finds what became of a commitment. Each but an account's first is published by the start of the run that used the
 * previous one, or by the rotation that replaced it, so the trace back from a later one must pass it.
 */
export async function trace(seen: Seen, later: Published): Promise<Trace> {
  let published = later;
  try {
    for (let i = 0; i < maxRuns; i++) {
      const { transaction } = await get('/api/chain/tx/{tx_hash}', { path: { tx_hash: published.tx_hash } });
      const { raw, height } = transaction;
      const tx = await publisherOf(raw, published, seen.account);
      if (tx?.kind === 'account.create') return unused();
      if (tx === null || height === null || !(await isSealed(published.tx_hash, height))) return 'missing';
      if (tx.data.commitment === seen.commitment) return 'used';
      // After a recovery that the chain declares, the house replaces every commitment. A replay refuses others.
      if (tx.kind === 'commitment.rotate') return 'used';
      // The browser saw the commitment after this run had begun, so no earlier one has used it.
      if (height < (seen.size ?? 0)) return unused();
      const { run } = await get('/api/runs/{run_id}', { path: { run_id: tx.data.run_id ?? '' } });
      published = { commitment: tx.data.commitment, tx_hash: run.commit_tx };
    }
  } catch (error) {
    // Without the verifier nothing was checked.
    if (error instanceof ChunkLoadError) throw error;
    return 'missing';
  }
  return 'used';
}

/** While the service recovers, its answers may be older than the commitment that it has shown. */
function unused(): Trace {
  return live.recovering ? 'missing' : 'unused';
}

/** Returns the account's transaction that has published a commitment; null if the raw text is another one. */
async function publisherOf(
  raw: string,
  { commitment, tx_hash }: Published,
  account: string,
): Promise<Publisher | null> {
  if ((await ask('txHash', raw)) !== tx_hash) return null;
  const kinds = ['account.create', 'run.start', 'commitment.rotate'];
  const tx = (await ask('document', raw, ...kinds)) as Publisher | null;
  const published = tx?.kind === 'account.create' ? tx.data.commitment : tx?.data.next_commitment;
  return tx?.actor === account && published === commitment ? tx : null;
}

/** Reports whether a block has a transaction, and is in a checkpoint of the key that this browser knows. */
async function isSealed(hash: string, height: number): Promise<boolean> {
  const { block } = await get('/api/chain/blocks/{height}', { path: { height } });
  const header = await ask('document', block.raw, 'header');
  const hashes = await Promise.all(block.transactions.map(({ raw }) => ask('txHash', raw)));
  const root = hex(await ask('blockRoot', hashes.map(unhex)));
  if (header?.height !== height || header.merkle_root !== root || !hashes.includes(hash)) return false;
  const { tree } = await trust.check((await get('/api/chain/head')).head);
  return tree !== null && ask('contains', tree, block.raw, height);
}
