// A list that is loaded in pages, newest first, by the server's opaque cursor.

export interface Page<T> {
  rows: readonly T[];
  /** Cursor of the page after this one; null on the last. */
  next: string | null;
}

export class Pages<T> {
  rows = $state.raw<readonly T[]>([]);
  next = $state<string | null>(null);
  /** False until the first page is loaded. */
  ready = $state(false);
  /** The request for the next page is in flight. */
  busy = $state(false);
  error = $state.raw<unknown>(null);
  readonly #read: (cursor: string | undefined) => Promise<Page<T>>;
  readonly #key: (row: T) => string | number;
  readonly #volatile: boolean;
  #asked = 0;
  #answered = 0;

  /**
   * `key` identifies rows, so that a row that moved to another page is not shown twice. Rows may disappear from a
   * `volatile` list, so a refresh replaces it.
   */
  constructor(
    read: (cursor: string | undefined) => Promise<Page<T>>,
    key: (row: T) => string | number,
    volatile = false,
  ) {
    this.#read = read;
    this.#key = key;
    this.#volatile = volatile;
  }

  /** Reloads the first page and prepends new rows. */
  readonly refresh = (): Promise<void> => this.#load(undefined);

  /** Loads the next page. */
  readonly more = async (): Promise<void> => {
    if (this.busy) return;
    this.busy = true;
    await this.#load(this.next ?? undefined);
    this.busy = false;
  };

  async #load(cursor: string | undefined): Promise<void> {
    const request = ++this.#asked;
    // An answer that is late must not replace that of a later request, nor follow rows that it was not asked after.
    const late = (): boolean => (cursor === undefined ? request < this.#answered : cursor !== this.next);
    try {
      const page = await this.#read(cursor);
      if (late()) return;
      if (cursor === undefined) this.#answered = request;
      const fresh = page.rows.map(this.#key);
      const kept = this.rows.filter((row) => !fresh.includes(this.#key(row)));
      // A first page of new rows only leaves a gap before the loaded rows, so they are dropped.
      const gap = cursor === undefined && (this.#volatile || kept.length === this.rows.length);
      if (cursor !== undefined) this.rows = [...kept, ...page.rows];
      else this.rows = gap ? page.rows : [...page.rows, ...kept];
      if (cursor !== undefined || gap) this.next = page.next;
      this.ready = true;
      this.error = null;
    } catch (error) {
      if (!late()) this.error = error;
    }
  }
}
