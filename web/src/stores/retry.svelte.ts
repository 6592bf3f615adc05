// What failed because the service was away is tried again when it answers.

import { untrack } from 'svelte';
import { live } from './live.svelte.ts';

/**
 * For the component that calls it: while `failed` returns an error, calls `again` at the next answer of the service.
 * `again` that fails must make `failed` return another error; then it is called at the answer after that.
 */
export function retryWhenBack(failed: () => unknown, again: () => unknown): void {
  $effect(() => {
    if (!failed()) return;
    const before = untrack(() => live.answers);
    $effect(() => {
      if (live.answers > before) untrack(again);
    });
  });
}
