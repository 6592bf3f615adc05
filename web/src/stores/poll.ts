// Polling of data that may change: at once, after events, and every few seconds while the page is visible. With a
// connected event stream the interval is longer.

import { events, type Kind } from './events.svelte.ts';

/**
 * Seconds between reads with events. Some changes have no event, for instance the end of a duel between other players.
 */
const secondsWithEvents = 60;

/** Calls `read` repeatedly. Returns the function that stops it, for an effect. */
export function poll(read: () => unknown, seconds = 3, kinds: readonly Kind[] = []): () => void {
  read();
  let pending: ReturnType<typeof setTimeout> | undefined;
  const ends = [
    // Debounce: several events at once cause one read.
    events.listen(kinds, () => {
      clearTimeout(pending);
      pending = setTimeout(read, 100);
    }),
    events.onLost(read),
  ];
  let ticks = 0;
  const timer = setInterval(() => {
    ticks++;
    const hasEvents = kinds.length > 0 && events.connected;
    if (!document.hidden && (!hasEvents || ticks % Math.ceil(secondsWithEvents / seconds) === 0)) read();
  }, seconds * 1000);
  return () => {
    clearInterval(timer);
    clearTimeout(pending);
    for (const end of ends) end();
  };
}
