// Reading something again while it may change: at once, then for as long as somebody looks whenever the server tells
// that it has changed, and every few seconds; less often while the server tells.

import { events, type Kind } from './events.svelte.ts';

/** How much less often. Not everything is told: nobody is told that a duel between others has ended. */
const rarer = 5;

/** Calls `read` now and again; returns what ends it, for an effect. */
export function often(read: () => unknown, seconds = 3, kinds: readonly Kind[] = []): () => void {
  read();
  let soon: ReturnType<typeof setTimeout> | undefined;
  const ends = [
    // Of several at once the last one is answered.
    events.listen(kinds, () => {
      clearTimeout(soon);
      soon = setTimeout(read, 100);
    }),
    events.lost(read),
  ];
  let turn = 0;
  const timer = setInterval(() => {
    turn++;
    const told = kinds.length > 0 && events.on;
    if (!document.hidden && (!told || turn % rarer === 0)) read();
  }, seconds * 1000);
  return () => {
    clearInterval(timer);
    clearTimeout(soon);
    for (const end of ends) end();
  };
}
