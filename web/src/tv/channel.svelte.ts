// The TV channel: the duel on now, and the number of viewers.

import { get, serverTime } from '../api/client.ts';
import type { TV } from '../api/shapes.ts';
import { fresh } from '../stores/fresh.ts';

/** Seconds between two reads: while something is on, without viewing it, and while there is nothing. */
const [pause, glancePause, emptyPause] = [30, 60, 10];
/** Milliseconds that the end of a live duel stays on display. */
const lingerMs = 8000;

export class Channel {
  now = $state.raw<TV | null>(null);
  error = $state.raw<unknown>(null);
  readonly #watching: boolean;
  #wait = emptyPause;

  /** `watching` counts the caller as a viewer. */
  constructor(watching: boolean) {
    this.#watching = watching;
  }

  /** Keeps the channel up to date while the page is visible, until the returned function is called. */
  start(): () => void {
    return fresh.follow('time', () => this.#read(), { seconds: () => this.#wait });
  }

  /** Reads the present state, for instance after the end of a live duel. */
  readonly refresh = (): Promise<void> => this.#read();

  /** Seconds from a read to the next one: at the end of the replay, at the latest. */
  #secondsAfter({ duel, ends_at }: TV): number {
    if (!this.#watching) return glancePause;
    if (!duel) return emptyPause;
    const left = ends_at ? (Date.parse(ends_at) - serverTime()) / 1000 : Infinity;
    return Math.max(0.5, Math.min(pause, left + 0.05));
  }

  async #read(): Promise<void> {
    try {
      const next = await get('/api/tv', { query: { watching: this.#watching } });
      this.#wait = this.#secondsAfter(next);
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
