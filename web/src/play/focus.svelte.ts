// Focus management: when a pressed button disappears, the browser would move the focus to the start of the page.

import { untrack } from 'svelte';

/** Keeps the focus inside `container` when `state` changes its content. Call it during component initialization. */
export function keepFocus(container: () => HTMLElement | undefined, state: () => unknown): void {
  let inside = false;
  $effect.pre(() => {
    state();
    inside = untrack(() => container()?.contains(document.activeElement) ?? false);
  });
  $effect(() => {
    state();
    const element = untrack(container);
    if (inside && !element?.contains(document.activeElement)) element?.focus({ preventScroll: true });
  });
}
