// A list that is read a page at a time, newest first, by the server's opaque cursor.

export interface Page<T> {
  rows: readonly T[];
  /** Cursor of the page after this one; null on the last. */
  next: string | null;
}

export class Pages<T> {
  rows = $state.raw<readonly T[]>([]);
  next = $state<string | null>(null);
  /** False until the first page is here. */
  ready = $state(false);
  /** The next page is on its way. */
  busy = $state(false);
  error = $state.raw<unknown>(null);
  readonly #read: (cursor: string | undefined) => Promise<Page<T>>;
  readonly #key: (row: T) => string | number;
  readonly #leaving: boolean;

  /**
   * `key` tells rows apart, so that a row that moved to another page is not shown twice. From a `leaving` list rows go
   * away, so that reading it again begins it anew.
   */
  constructor(
    read: (cursor: string | undefined) => Promise<Page<T>>,
    key: (row: T) => string | number,
    leaving = false,
  ) {
    this.#read = read;
    this.#key = key;
    this.#leaving = leaving;
  }

  /** Reads the first page again and puts what is new on top. */
  readonly refresh = (): Promise<void> => this.#take(undefined);

  /** Reads the page after the last one shown. */
  readonly more = async (): Promise<void> => {
    if (this.busy) return;
    this.busy = true;
    await this.#take(this.next ?? undefined);
    this.busy = false;
  };

  async #take(cursor: string | undefined): Promise<void> {
    try {
      const page = await this.#read(cursor);
      const fresh = page.rows.map(this.#key);
      const kept = this.rows.filter((row) => !fresh.includes(this.#key(row)));
      // A first page without anything known leaves a gap below it: what was shown before is then out of date.
      const gap = cursor === undefined && (this.#leaving || kept.length === this.rows.length);
      if (cursor !== undefined) this.rows = [...kept, ...page.rows];
      else this.rows = gap ? page.rows : [...page.rows, ...kept];
      if (cursor !== undefined || gap) this.next = page.next;
      this.ready = true;
      this.error = null;
    } catch (error) {
      this.error = error;
    }
  }
}
