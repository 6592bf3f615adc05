// The comparison of a checkpoint that the user has kept with the chain that the service shows now.

import { get } from '../api/client.ts';
import type { SignedCheckpoint, Verdict } from '../log/compare.ts';
import { confront } from '../log/confront.ts';
import { contradicts } from '../stores/faults.ts';
import { trust } from '../stores/trust.svelte.ts';
import type { StoredCheckpoint } from '../stores/trusted.ts';
import { ask } from '../verifier.ts';

/** Compares a kept checkpoint with the server's chain, and raises an alarm if they contradict. */
export async function confrontServer(kept: StoredCheckpoint): Promise<Verdict['is']> {
  const comparison = (seen: SignedCheckpoint, now: SignedCheckpoint) => ask('compareCheckpoints', seen, now);
  const { is, shown } = await confront(kept, comparison, async () => {
    const { head } = await get('/api/chain/head');
    trust.compareKey(head);
    return { key: head.verifier_key, note: head.checkpoint };
  });
  if (contradicts(is)) trust.raise(is, { verifier_key: shown.key, checkpoint: shown.note }, kept);
  return is;
}
