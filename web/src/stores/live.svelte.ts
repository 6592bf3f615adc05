// The head of the chain and the reachability of the server. An event reports each block; the checkpoint and the count of
// pending transactions are read slowly.

import { untrack } from 'svelte';
import { ApiError, get, onRecovering, Unreachable } from '../api/client.ts';
import type { BlockRow, Head } from '../api/shapes.ts';
import { clock } from './clock.svelte.ts';
import { events } from './events.svelte.ts';
import { fresh } from './fresh.ts';
import { levelOf } from './levels.ts';

/** Seconds until the next read, and until a block that is due, without its event. */
const [interval, blockInterval] = [60, 2];
/** Milliseconds until the first repetition of a failed read, doubled for each later one, and the longest. */
const [retryInterval, maxInterval] = [2000, 15_000];

class Live {
  /** The last head that was read. */
  head = $state.raw<Head | null>(null);
  /** The newest block that is known. */
  tip = $state.raw<Pick<BlockRow, 'height' | 'hash'> | null>(null);
  /** False from the first request without a response until the next one with a response. */
  reachable = $state(true);
  /** The service recovers from a loss of data: what it answers may be older than what it answered before. */
  recovering = $state(false);
  /** The last read was refused, by a service that is busy or restarts. */
  busy = $state(false);
  /** The time of the next read after a failed one, in Unix milliseconds. */
  #nextAt = $state<number | null>(null);
  /** Milliseconds until the next read after a failed one; 0 without one. */
  readonly waitMs: number = $derived.by(() =>
    this.#nextAt === null ? 0 : Math.max(0, this.#nextAt - clock.now),
  );
  /** The number of successful reads of the head. */
  responses = $state(0);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #loading = false;
  /** A refresh was asked for during a read, which may have been answered before its cause. */
  #again = false;
  #failures = 0;

  start(): void {
    document.addEventListener('visibilitychange', () => {
      if (!this.reachable) this.refresh();
    });
    window.addEventListener('online', () => this.refresh());
    window.addEventListener('offline', () => (this.reachable = false));
    onRecovering((now) => {
      const over = this.recovering && !now;
      this.recovering = now;
      if (over) fresh.all();
    });
    events.listen(['block'], (block) => {
      if (block) this.#grow(block);
    });
    // The service may have stopped. Within the budget, as a proxy may end each stream after seconds.
    events.onLost((broken) => {
      if (broken) fresh.touch('head');
    });
    fresh.follow('head', () => this.#load(), {
      seconds: () => {
        if (this.recovering) return maxInterval / 1000;
        return !events.connected && (this.head?.pending ?? 0) > 0 ? blockInterval : interval;
      },
    });
  }

  #grow({ height, hash }: BlockRow): void {
    if (height > (this.tip?.height ?? -1)) this.tip = { height, hash };
  }

  /** Reads the head after an own transaction, unless an event reports its block. */
  expectBlock(): void {
    if (!events.connected) this.refresh();
  }

  /** Reads the head now, for instance when the network is back. */
  refresh(): void {
    this.#again = this.#loading;
    if (!this.#loading && !document.hidden) void this.#load();
  }

  async #load(): Promise<void> {
    clearTimeout(this.#timer);
    this.#loading = true;
    const before = this.tip;
    try {
      const { head } = await get('/api/chain/head');
      // Keep the object of an unchanged head: subscribers compare by identity.
      if (head.hash !== this.head?.hash || head.pending !== this.head.pending) this.head = head;
      // An event during the read is newer.
      if (this.tip === before && head.hash !== before?.hash) this.tip = head;
      const back = !this.reachable || this.#failures > 0;
      this.#failures = 0;
      this.#nextAt = null;
      this.busy = false;
      this.reachable = true;
      this.responses++;
      this.#loading = false;
      if (this.#again) this.refresh();
      if (back) fresh.all();
    } catch (error) {
      this.#loading = false;
      this.#failures++;
      if (error instanceof Unreachable) this.reachable = false;
      this.busy = levelOf(error) === 'wait' && !(error instanceof Unreachable);
      const retryAfter = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
      const wait = Math.max(retryAfter, Math.min(maxInterval, retryInterval * 2 ** this.#failures));
      this.#nextAt = Date.now() + wait;
      this.#timer = setTimeout(() => this.refresh(), wait);
    }
  }
}

export const live = new Live();

/**
 * Calls `load` once for each new block while `pending` holds, for the calling component. `pending` is asked again when
 * what it reads has changed: a block may arrive before an answer that was given without it.
 */
export function onEachBlock(pending: () => boolean, load: () => unknown): void {
  let seen = live.tip?.hash;
  $effect(() => {
    const tip = live.tip?.hash;
    if (tip === seen || !pending()) return;
    seen = tip;
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
    return () => clearTimeout(timer);
  });
}
