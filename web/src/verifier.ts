// The verifier of proofs and of the log: the same file that runs standalone, in a worker that starts on first use.

import { loadChunk } from './chunks.ts';
import type { Library } from './verification/library.ts';

export type { Check, Report } from '../../verify/ts/verify.ts';

/** Calls a function of the verifier. Arguments and result are copied. */
export async function ask<K extends keyof Library>(
  name: K,
  ...args: Parameters<Library[K]>
): Promise<Awaited<ReturnType<Library[K]>>> {
  const { call } = await loadChunk('verifier', () => import('./verification/client.ts'));
  return (await call(name, args)) as Awaited<ReturnType<Library[K]>>;
}
