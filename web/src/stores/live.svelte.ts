// The head of the chain and the reachability of the server. The head is read after block events, and every few seconds
// while the page is visible and the event stream is disconnected.

import { untrack } from 'svelte';
import { ApiError, get, Unreachable } from '../api/client.ts';
import type { Head } from '../api/shapes.ts';
import { events } from './events.svelte.ts';

const interval = 2000;
/** The interval with events: the count of pending transactions has no event. */
const intervalWithEvents = 60_000;
const maxInterval = 15_000;

class Live {
  head = $state.raw<Head | null>(null);
  /** False from the first request without a response until the next one with a response. */
  reachable = $state(true);
  /** The number of successful reads of the head. */
  responses = $state(0);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #loading = false;
  /** A refresh was asked for during a read, which may have been answered before its cause. */
  #again = false;
  #failures = 0;

  start(): void {
    document.addEventListener('visibilitychange', () => {
      this.refresh();
    });
    window.addEventListener('online', () => {
      this.refresh();
    });
    window.addEventListener('offline', () => (this.reachable = false));
    events.listen(['block'], () => {
      this.refresh();
    });
    events.onLost(() => {
      this.refresh();
    });
    this.refresh();
  }

  /** Reads the head now, for instance after an own transaction or when the network is back. */
  refresh(): void {
    clearTimeout(this.#timer);
    this.#again = this.#loading;
    if (!this.#loading && !document.hidden) void this.#load();
  }

  async #load(): Promise<void> {
    this.#loading = true;
    let wait = events.connected ? intervalWithEvents : interval;
    try {
      const { head } = await get('/api/chain/head');
      // Keep the object of an unchanged head: subscribers compare by identity.
      if (head.hash !== this.head?.hash || head.pending !== this.head.pending) this.head = head;
      this.#failures = 0;
      this.reachable = true;
      this.responses++;
      if (this.#again) wait = 0;
    } catch (error) {
      this.#failures++;
      if (error instanceof Unreachable) this.reachable = false;
      const retryAfter = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
      wait = Math.max(retryAfter, Math.min(maxInterval, interval * 2 ** this.#failures));
    } finally {
      this.#loading = false;
    }
    this.#timer = setTimeout(() => {
      this.refresh();
    }, wait);
  }
}

export const live = new Live();

/**
 * Calls `load` once for each new block while `pending` holds, for the calling component. `pending` is asked again when
 * what it reads has changed: a block may arrive before an answer that was given without it.
 */
export function onEachBlock(pending: () => boolean, load: () => unknown): void {
  let seen = live.head?.hash;
  $effect(() => {
    const head = live.head?.hash;
    if (head === seen || !pending()) return;
    seen = head;
    untrack(load);
  });
}

/** Throws of a run and cosignatures of a proof come without a block. */
const askAgainMs = 3000;

/** Calls `ask` as onEachBlock does, and also some seconds after `pending` has changed. */
export function askAgain(pending: () => boolean, ask: () => unknown): void {
  onEachBlock(pending, ask);
  $effect(() => {
    if (!pending()) return;
    const timer = setTimeout(ask, askAgainMs);
    return () => {
      clearTimeout(timer);
    };
  });
}
