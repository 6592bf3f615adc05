// Checks of answers that may be malformed.

import { Unreachable } from '../api/unreachable.ts';
import { ChunkLoadError } from '../chunks.ts';

/**
 * Returns the result of a check of an answer; `failed` if the check throws, as a malformed answer makes it. Without the
 * verifier or a network nothing was checked, and that error is thrown.
 */
export async function tried<T>(check: () => T | Promise<T>, failed: T): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof ChunkLoadError || error instanceof Unreachable) throw error;
    return failed;
  }
}
