import type { SignedCheckpoint, Verdict } from './compare.ts';

/** Compares a kept checkpoint with the server's. A delayed answer looks like a shorter log, so a second one decides. */
export async function confront(
  kept: SignedCheckpoint,
  comparison: (kept: SignedCheckpoint, shown: SignedCheckpoint) => Promise<Verdict>,
  fetchShown: () => Promise<SignedCheckpoint>,
): Promise<{ is: Verdict['is']; shown: SignedCheckpoint }> {
  let shown = await fetchShown();
  let { is } = await comparison(kept, shown);
  if (is === 'shorter') {
    shown = await fetchShown();
    ({ is } = await comparison(kept, shown));
  }
  return { is, shown };
}
