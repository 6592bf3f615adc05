// The verifier of proofs: the same file that runs standalone, loaded on first use.

import { Unreachable } from './api/client.ts';

export type { Check, Report } from '../../verify/ts/verify.ts';

export async function verifier() {
  try {
    return await import('../../verify/ts/verify.ts');
  } catch {
    throw new Unreachable('The verifier could not be loaded.');
  }
}
