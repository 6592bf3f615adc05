// A list that is loaded in pages, newest first, by the server's opaque cursor.

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
  /** The last request that failed, and its cursor. */
  #failed: { request: number; cursor: string | undefined } | null = null;

  /**
   * `key` identifies rows, so that a row that moved to another page is not shown twice. Rows may disappear from a
   * `volatile` list, so a refresh replaces it.
   */
  constructor(read: (page: Cursor) => Promise<Page<T>>, key: (row: T) => string | number, volatile = false) {
    this.#read = read;
    this.#key = key;
    this.#volatile = volatile;
  }

  /** Reloads the first page and prepends new rows. */
  readonly refresh = (): Promise<void> => this.#load(undefined);

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

  async #load(cursor: string | undefined): Promise<void> {
    const request = ++this.#asked;
    // An answer that is late must not replace that of a later request, nor follow rows that it was not asked after.
    const late = (): boolean => (cursor === undefined ? request < this.#answered : cursor !== this.next);
    try {
      const page = await this.#read(cursor === undefined ? {} : { cursor });
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
      if (late()) return;
      this.error = error;
      this.#failed = { request, cursor };
    }
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
): Pages<T> {
  const read = async (page: Cursor): Promise<Page<T>> => {
    const answer = await ask(page);
    return { rows: rowsOf(answer), next: answer.next ?? null };
  };
  const pages = new Pages(read, key, volatile);
  retryWhenBack(() => pages.error instanceof Unreachable && pages.error, pages.retry);
  return pages;
}
