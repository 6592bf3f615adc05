import { onEachBlock } from '../stores/live.svelte.ts';

/** Cosignatures come after the block, without an event. */
const cosignedWithinMs = 3000;

/** Calls `check` with each new block and every few seconds while `waiting` holds, for the calling component. */
export function checkAgain(waiting: () => boolean, check: () => unknown): void {
  onEachBlock(waiting, check);
  $effect(() => {
    if (!waiting()) return;
    const timer = setTimeout(check, cosignedWithinMs);
    return () => {
      clearTimeout(timer);
    };
  });
}
