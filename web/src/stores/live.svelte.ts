// What moves by itself: the head of the chain, and whether the server can be reached at all. It is read when the server
// tells of a block, and every few seconds while the page is visible and the server tells nothing by itself.

import { ApiError, get, Unreachable } from '../api/client.ts';
import type { Head } from '../api/shapes.ts';
import { events } from './events.svelte.ts';

const every = 2000;
/** What no event tells: how many transactions wait for a block. */
const besideEvents = 10_000;
const slowest = 15_000;

class Live {
  head = $state.raw<Head | null>(null);
  /** False from the first call that got no answer until the next one that does. */
  reachable = $state(true);
  /** How many times the service has said where its chain is. */
  answers = $state(0);

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
    events.listen(['block'], () => {
      this.soon();
    });
    events.lost(() => {
      this.soon();
    });
    this.soon();
  }

  /** Looks now instead of at the next turn: after an own transaction, or when the network came back. */
  soon(): void {
    clearTimeout(this.#timer);
    if (!this.#asking && !document.hidden) void this.#look();
  }

  async #look(): Promise<void> {
    this.#asking = true;
    let wait = events.on ? besideEvents : every;
    try {
      const { head } = await get('/api/chain/head');
      // The same head is no news: readers compare by identity.
      if (head.hash !== this.head?.hash || head.pending !== this.head.pending) this.head = head;
      this.#failures = 0;
      this.reachable = true;
      this.answers++;
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
