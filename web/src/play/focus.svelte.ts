// When a pressed button goes away with the state it belonged to, the focus would fall back to the start of the page.

import { untrack } from 'svelte';

/** Keeps the focus in `place` while `state` changes what is in it, for the component that calls it. */
export function keepFocus(place: () => HTMLElement | undefined, state: () => unknown): void {
  let inside = false;
  $effect.pre(() => {
    state();
    inside = untrack(() => place()?.contains(document.activeElement) ?? false);
  });
  $effect(() => {
    state();
    const at = untrack(place);
    if (inside && !at?.contains(document.activeElement)) at?.focus({ preventScroll: true });
  });
}
