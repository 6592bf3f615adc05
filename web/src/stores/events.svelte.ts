// What the server tells by itself: one stream of events (GET /api/events) for the whole page, open while the page is
// looked at. Where there is none, readers ask now and then, as they would without it.

/** Also `reset`, when events were missed for good: read everything anew. */
export type Kind =
  | 'block'
  | 'duel'
  | 'duel_created'
  | 'duel_joined'
  | 'duel_started'
  | 'duel_finished'
  | 'duel_expired'
  | 'duel_cancelled'
  | 'tier_claimed'
  | 'sale'
  | 'duel_won'
  | 'season_closed'
  | 'achievement'
  | 'streak'
  | 'feed'
  | 'listing'
  | 'sold'
  | 'offer'
  | 'reset';

type Reader = (data: unknown) => void;

/** The first load goes before. */
const afterStart = 3000;
/** A page that nobody looks at for so long needs no stream: browsers have six connections for all of its tabs. */
const unseen = 10_000;
/** How long to leave the server alone that has no place for another stream. */
const refused = 60_000;

class Events {
  /** Whether the server tells by itself at the moment. */
  on = $state(false);

  #source: EventSource | null = null;
  #last = '';
  #account: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #readers = new Map<Kind, readonly Reader[]>();
  readonly #losses = new Set<() => void>();

  start(): void {
    if (typeof EventSource === 'undefined') return;
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.#timer);
      if (!document.hidden) this.#open();
      else {
        this.#later(unseen, () => {
          this.#close();
        });
      }
    });
    this.#later(afterStart, () => {
      if (!document.hidden) this.#open();
    });
  }

  /** Has `read` called with the data of each event of the kinds, and with null when some were missed for good. */
  listen(kinds: readonly Kind[], read: Reader): () => void {
    for (const kind of [...kinds, 'reset'] as const) {
      const readers = this.#readers.get(kind);
      if (!readers) this.#source?.addEventListener(kind, this.#told);
      this.#readers.set(kind, [...(readers ?? []), read]);
    }
    return () => {
      for (const [kind, readers] of this.#readers) {
        this.#readers.set(
          kind,
          readers.filter((one) => one !== read),
        );
      }
    };
  }

  /** Has `ask` called when the server stops telling: then it is time to ask. */
  lost(ask: () => void): () => void {
    this.#losses.add(ask);
    return () => this.#losses.delete(ask);
  }

  /** Opens the stream anew for another account: it belongs to whoever was signed in when it was opened. */
  renew(account: string | undefined): void {
    const same = account === this.#account;
    this.#account = account;
    if (same || !this.#source) return;
    this.#close();
    this.#last = '';
    this.#open();
  }

  #open(): void {
    if (this.#source) return;
    const source = new EventSource(this.#last ? `/api/events?after=${this.#last}` : '/api/events');
    this.#source = source;
    source.addEventListener('ready', (event) => {
      this.#last = event.lastEventId || this.#last;
      this.on = true;
    });
    source.addEventListener('error', () => {
      this.#lose();
      // A broken connection mends itself; a refusal is for good.
      if (source.readyState !== EventSource.CLOSED) return;
      this.#source = null;
      this.#later(refused, () => {
        if (!document.hidden) this.#open();
      });
    });
    for (const kind of this.#readers.keys()) source.addEventListener(kind, this.#told);
  }

  #close(): void {
    this.#source?.close();
    this.#source = null;
    this.#lose();
  }

  #lose(): void {
    if (!this.on) return;
    this.on = false;
    for (const ask of this.#losses) ask();
  }

  #later(wait: number, what: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(what, wait);
  }

  readonly #told = (event: MessageEvent<string>): void => {
    this.#last = event.lastEventId || this.#last;
    const kind = event.type as Kind;
    const data: unknown = kind === 'reset' ? null : JSON.parse(event.data);
    for (const read of this.#readers.get(kind) ?? []) read(data);
  };
}

export const events = new Events();
