// Spaces out requests when little of the request limit is left, so that the service need not refuse any. Times are in
// milliseconds of performance.now().

/** The requests of 240 that a steady pace uses: at exactly the limit, the jitter of a network makes the service refuse some. */
const STEADY = 235;

/** The longest window that is obeyed, in seconds. A daily limit is left to the caller: hours would look like a hang. */
const MAX_WINDOW = 300;

/** The state of a request limit, as the headers RateLimit and RateLimit-Policy state it. */
export interface RateLimit {
  /** Requests that are answered now. */
  left: number;
  /** Seconds until there are more. */
  reset: number;
  /** Requests in a whole window. */
  limit: number;
  /** The window in seconds. */
  window: number;
}

/** Returns the request limit that an answer states; null without one. */
export function rateLimit(headers: Headers): RateLimit | null {
  const limit = /;r=(\d+);t=(\d+)/.exec(headers.get('RateLimit') ?? '');
  const policy = /;q=(\d+);w=(\d+)/.exec(headers.get('RateLimit-Policy') ?? '');
  if (!limit || !policy) return null;
  return { left: Number(limit[1]), reset: Number(limit[2]), limit: Number(policy[1]), window: Number(policy[2]) };
}

/** The pace of the requests of one client. */
export class Pace {
  /** The least time between two requests, and the earliest time of the next one. */
  #gap = 0;
  #next = 0;
  /**
   * The same for a step of a duel: while less than half of the limit is left, the rest is spread over its whole window,
   * as what several bots at one address have used in a moment comes back a window later.
   */
  #stepGap = 0;
  #stepNext = 0;
  /** The requests left, and the limit; both 0 before the first answer. */
  #left = 0;
  #most = 0;
  /** Requests without an answer, which the newest answer may not count. */
  #inFlight = 0;

  /**
   * Returns 0 if a request may be sent now, which the caller completes with `release`, or else the milliseconds to wait
   * before it asks again. A step of a duel waits until `until` at most.
   */
  reserve(until?: number): number {
    const now = performance.now();
    let wait = this.#next - now;
    if (until !== undefined) wait = Math.min(Math.max(wait, this.#stepNext - now), until - now);
    if (wait > 0) return wait;
    this.#next = now + this.#gap;
    this.#stepNext = now + this.#stepGap;
    this.#inFlight++;
    return 0;
  }

  /** Completes a request, with the headers of its answer; null without one. */
  release(headers: Headers | null): void {
    this.#inFlight--;
    const stated = headers && rateLimit(headers);
    if (!stated || stated.reset > MAX_WINDOW) return;
    const { limit, reset, window } = stated;
    const now = performance.now();
    // The service may have received those in flight after it counted.
    const left = Math.max(0, stated.left - this.#inFlight);
    [this.#left, this.#most] = [left, limit];
    this.#stepGap = 2 * left < limit ? (1000 * window) / (left + 1) : 0;
    this.#stepNext = Math.max(this.#stepNext, now + this.#stepGap);
    this.#gap = 4 * left >= limit ? 0 : ((1000 * reset) / (left + 1)) * (240 / STEADY);
    if (this.#gap > 0) this.#next = Math.max(this.#next, now + this.#gap);
  }

  /** Whether enough is left of the limit to begin a duel: a third of it, as other clients may share it. */
  get covered(): boolean {
    return 3 * this.#left >= this.#most;
  }
}
