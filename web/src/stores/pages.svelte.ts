// A list that is loaded in pages, newest first, by the server's opaque cursor. A list with a name is as long as it was
// when the player comes back to its page.

import { recall } from '../memory.ts';

import { Unreachable } from '../api/client.ts';
import { retryWhenBack } from './retry.svelte.ts';

/** The part of a request that names a page; the first page has no cursor. */
export interface Cursor {
  cursor?: string;
}
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
  readonly #read: (page: Cursor) => Promise<Page<T>>;
  readonly #key: (row: T) => string | number;
  readonly #volatile: boolean;
  #asked = 0;
  #answered = 0;
  /** The rows come from memory, so that the first refresh needs no call. */
  #recalled = false;
  /** The last request that failed, and its cursor. */
  #failed: { request: number; cursor: string | undefined } | null = null;

  /**
   * `key` identifies rows, so that a row that moved to another page is not shown twice. Rows may disappear from a
   * `volatile` list, so a refresh replaces its first page. `name` is unique on the page. A list whose `read` also sets
   * what stands beside it is read again at once, without losing its length: its name begins with "+".
   */
  constructor(
    read: (page: Cursor) => Promise<Page<T>>,
    key: (row: T) => string | number,
    volatile = false,
    name = '',
  ) {
    this.#read = read;
    this.#key = key;
    this.#volatile = volatile;
    const before = name ? recall<Pages<T>>(name, this) : undefined;
    if (!before?.ready) return;
    this.rows = before.rows;
    this.next = before.next;
    this.ready = true;
    this.#recalled = !name.startsWith('+');
  }

  /** Reloads the first page and prepends new rows. */
  readonly refresh = (): Promise<void> => {
    if (!this.#recalled) return this.#load(undefined);
    this.#recalled = false;
    return Promise.resolve();
  };

  /** Replaces the list by its first page: after an act of the player any row may have changed. */
  readonly reload = (): Promise<void> => this.#load(undefined, true);

  /** Repeats the request that failed, unless a later one was sent since. */
  readonly retry = async (): Promise<void> => {
    if (this.#failed?.request === this.#asked) await this.#load(this.#failed.cursor);
  };

  /** Loads the next page. */
  readonly more = async (): Promise<void> => {
    if (this.busy) return;
    this.busy = true;
    await this.#load(this.next ?? undefined);
    this.busy = false;
  };

  async #load(cursor: string | undefined, whole = false): Promise<void> {
    const request = ++this.#asked;
    this.#recalled = false;
    // An answer that is late must not replace the answer to a later request, nor follow rows that it was not
    // asked after.
    const late = (): boolean => (cursor === undefined ? request < this.#answered : cursor !== this.next);
    try {
      const page = await this.#read(cursor === undefined ? {} : { cursor });
      if (late()) return;
      if (cursor === undefined) this.#answered = request;
      const fresh = page.rows.map(this.#key);
      const kept = whole ? [] : this.#kept(fresh, cursor === undefined, page.next === null);
      // A first page of new rows only leaves a gap before the loaded rows, so they are dropped.
      const replaced = whole || kept.length === this.rows.length || (this.#volatile && kept.length === 0);
      const gap = cursor === undefined && replaced;
      if (cursor !== undefined) this.rows = [...kept, ...page.rows];
      else this.rows = gap ? page.rows : [...page.rows, ...kept];
      if (cursor !== undefined || gap) this.next = page.next;
      this.ready = true;
      this.error = null;
    } catch (error) {
      if (late()) return;
      this.error = error;
      this.#failed = { request, cursor };
    }
  }

  /**
   * Returns the loaded rows that stay beside a page's rows. Of a volatile list, its `first` page replaces all
   * rows before its last known one, and those behind it too if it is the `only` page.
   */
  #kept(fresh: readonly (string | number)[], first: boolean, only: boolean): T[] {
    const isNew = (row: T): boolean => !fresh.includes(this.#key(row));
    if (!first || !this.#volatile) return this.rows.filter(isNew);
    const last = this.rows.findLastIndex((row) => !isNew(row));
    const extended = !only && this.rows.length > fresh.length;
    return extended && last >= 0 ? this.rows.slice(last + 1) : [];
  }
}

/**
 * Returns a list for the calling component: `ask` requests a page, `rowsOf` returns the rows of an answer, and the rest is
 * as in Pages. A request that failed because the service was unreachable is repeated when the service is back.
 */
export function paged<T, A extends { next?: string | null }>(
  ask: (page: Cursor) => Promise<A>,
  rowsOf: (answer: A) => readonly T[],
  key: (row: T) => string | number,
  volatile = false,
  name = '',
): Pages<T> {
  const read = async (page: Cursor): Promise<Page<T>> => {
    const answer = await ask(page);
    return { rows: rowsOf(answer), next: answer.next ?? null };
  };
  const pages = new Pages(read, key, volatile, name);
  retryWhenBack(() => pages.error instanceof Unreachable && pages.error, pages.retry);
  return pages;
}
