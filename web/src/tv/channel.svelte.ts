// The TV channel: what is on now, and the number of viewers.

import { get, serverTime } from '../api/client.ts';
import type { TV } from '../api/shapes.ts';

/** Seconds between two reads: while something is on, and while there is nothing. */
const [pause, emptyPause] = [10, 3];
/** Milliseconds that the end of a live duel stays on display. */
const lingerMs = 8000;

export class Channel {
  now = $state.raw<TV | null>(null);
  error = $state.raw<unknown>(null);
  readonly #watching: boolean;

  /** `watching` counts the caller as a viewer. */
  constructor(watching: boolean) {
    this.#watching = watching;
  }

  /** Keeps the channel up to date while the page is visible, until the returned function is called. */
  start(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    const read = async (): Promise<void> => {
      clearTimeout(timer);
      if (!document.hidden) await this.#read();
      if (!stopped) timer = setTimeout(() => void read(), this.#wait());
    };
    const visible = (): void => {
      if (!document.hidden) void read();
    };
    void read();
    document.addEventListener('visibilitychange', visible);
    return () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', visible);
    };
  }

  /** Milliseconds until the next read: at the end of the replay, at the latest. */
  #wait(): number {
    if (!this.now?.duel) return 1000 * emptyPause;
    const left = this.now.ends_at ? Date.parse(this.now.ends_at) - serverTime() : Infinity;
    return Math.max(500, Math.min(1000 * pause, left + 50));
  }

  async #read(): Promise<void> {
    try {
      const next = await get('/api/tv', { query: { watching: this.#watching } });
      const before = this.now;
      if (before?.live && before.duel && before.duel.id !== next.duel?.id) {
        await new Promise((done) => setTimeout(done, lingerMs));
      }
      // Another node may replay another duel in this slot: the one on display continues.
      const same = before?.duel && !next.live && next.starts_at === before.starts_at;
      this.now = same ? { ...next, duel: before.duel } : next;
      this.error = null;
    } catch (error) {
      this.error = error;
    }
  }
}
