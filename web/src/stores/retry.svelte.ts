// Retries of failed loads when the service is reachable again.

import { untrack } from 'svelte';
import { live } from './live.svelte.ts';

/**
 * While `failed` returns an error, calls `again` after the next response of the service. If `again` fails, `failed`
 * must return another error; `again` then runs after the following response. Call it during component initialization.
 */
export function retryWhenBack(failed: () => unknown, again: () => unknown): void {
  $effect(() => {
    if (!failed()) return;
    const before = untrack(() => live.responses);
    $effect(() => {
      if (live.responses > before) untrack(again);
    });
  });
}
