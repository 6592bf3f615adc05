/** The part of an answer with one page of a list that a Paged needs. */
interface Page {
  /** The cursor of the next page; null on the last one. */
  next: string | null;
}

/**
 * A list of the service. Awaited, it is its first page, as the service answers it; iterated, it is all its items, whose
 * further pages are read when they are needed:
 *
 *     const { duels } = await client.listDuels({ limit: 10 });
 *     for await (const duel of client.listDuels({ mine: true })) console.log(duel.id);
 *
 * It sends nothing before one of both.
 */
export class Paged<Out extends Page, Item> implements Promise<Out>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = 'Paged';
  readonly #read: (cursor: string | undefined) => Promise<Out>;
  readonly #items: (page: Out) => readonly Item[];
  #first: Promise<Out> | undefined;

  /** `read` reads the page with a cursor, the first one without; `items` returns the items of a page. */
  constructor(read: (cursor: string | undefined) => Promise<Out>, items: (page: Out) => readonly Item[]) {
    this.#read = read;
    this.#items = items;
  }

  /** Reads the first page, once, and returns it. */
  then<A = Out, B = never>(
    done?: ((page: Out) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#read(undefined);
    return this.#first.then(done, failed);
  }

  /** Reads the first page, and handles an error. */
  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Out | B> {
    return this.then(null, failed);
  }

  /** Reads the first page, and calls a function when it is read or has failed. */
  finally(ended?: (() => void) | null): Promise<Out> {
    return this.then().finally(ended);
  }

  /** Yields the pages, from the first one. */
  async *pages(): AsyncGenerator<Out, void, undefined> {
    let page = await this.then();
    yield page;
    while (page.next !== null) {
      page = await this.#read(page.next);
      yield page;
    }
  }

  /** Yields the items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#items(page);
  }
}
