// What moves by itself: the head of the chain, and whether the server can be reached at all. Today it polls while
// the page is visible; whoever reads `live` need not know, so an event stream can take its place here alone.

import { ApiError, get, Unreachable } from '../api/client.ts';
import type { Head } from '../api/shapes.ts';

const every = 2000;
const slowest = 15_000;

class Live {
  head = $state.raw<Head | null>(null);
  /** False from the first call that got no answer until the next one that does. */
  reachable = $state(true);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = false;
  #failures = 0;

  start(): void {
    document.addEventListener('visibilitychange', () => {
      this.soon();
    });
    window.addEventListener('online', () => {
      this.soon();
    });
    window.addEventListener('offline', () => (this.reachable = false));
    this.soon();
  }

  /** Looks now instead of at the next turn: after an own transaction, or when the network came back. */
  soon(): void {
    clearTimeout(this.#timer);
    if (!this.#asking && !document.hidden) void this.#look();
  }

  async #look(): Promise<void> {
    this.#asking = true;
    let wait = every;
    try {
      const { head } = await get('/api/chain/head');
      // The same head is no news: readers compare by identity.
      if (head.hash !== this.head?.hash || head.pending !== this.head.pending) this.head = head;
      this.#failures = 0;
      this.reachable = true;
    } catch (error) {
      this.#failures++;
      if (error instanceof Unreachable) this.reachable = false;
      const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
      wait = Math.max(asked, Math.min(slowest, every * 2 ** this.#failures));
    } finally {
      this.#asking = false;
    }
    this.#timer = setTimeout(() => {
      this.soon();
    }, wait);
  }
}

export const live = new Live();
