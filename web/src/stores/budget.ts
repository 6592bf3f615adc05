// The budget of the requests that no player asked for.

/** Milliseconds of the window, and the requests that may begin within it. */
export const [span, most] = [60_000, 4];
/** The requests that may follow one another at once, and the milliseconds between later ones. */
const [burst, apart] = [2, 15_000];

class Budget {
  /** Requests of each window that are kept for the attempts to open a stream. */
  reserved = 0;
  /** When each request of the window began, by performance.now(). */
  #taken: number[] = [];

  /** Returns when the next request may begin: `now`, or later. */
  next(now: number): number {
    this.#taken = this.#taken.filter((at) => now - at < span);
    const [full, last] = [this.#taken.at(this.reserved - most), this.#taken.at(-1)];
    if (full !== undefined) return full + span;
    return last !== undefined && this.#taken.length >= burst ? Math.max(now, last + apart) : now;
  }

  /** Notes a request that begins now. */
  take(now: number): void {
    this.#taken.push(now);
  }
}

export const budget = new Budget();
