// The event stream of the page (GET /api/events), open while the page is visible. While it is closed, subscribers poll.

import type { components } from '../api/schema.d.ts';

/** Kinds of events, from the API document. `reset` reports that events were lost: subscribers must reload their data. */
export type Kind = keyof components['schemas']['Events'];

type Subscriber = (data: unknown) => void;

/** Delay of the stream after the start, in milliseconds: the first load has priority. */
const startDelay = 3000;
/** Milliseconds until a hidden page closes its stream: browsers allow six connections for all tabs of a site. */
const hiddenTimeout = 10_000;
/** Milliseconds until the next attempt after the server refused a stream. */
const refusalDelay = 60_000;

class Events {
  /** The stream is connected. */
  connected = $state(false);

  #source: EventSource | null = null;
  #lastId = '';
  #account: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #subscribers = new Map<Kind, readonly Subscriber[]>();
  readonly #lossHandlers = new Set<() => void>();

  start(): void {
    if (typeof EventSource === 'undefined') return;
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.#timer);
      if (!document.hidden) this.#open();
      else {
        this.#schedule(hiddenTimeout, () => {
          this.#close();
        });
      }
    });
    this.#schedule(startDelay, () => {
      if (!document.hidden) this.#open();
    });
  }

  /**
   * Calls `read` with the data of each event of the kinds, and with null after lost events. Returns the unsubscribe
   * function.
   */
  listen(kinds: readonly Kind[], read: Subscriber): () => void {
    for (const kind of [...kinds, 'reset'] as const) {
      const subscribers = this.#subscribers.get(kind);
      if (!subscribers) this.#source?.addEventListener(kind, this.#dispatch);
      this.#subscribers.set(kind, [...(subscribers ?? []), read]);
    }
    return () => {
      for (const [kind, subscribers] of this.#subscribers) {
        this.#subscribers.set(
          kind,
          subscribers.filter((one) => one !== read),
        );
      }
    };
  }

  /** Calls `handler` when the stream disconnects, so that the caller can poll. Returns the unsubscribe function. */
  onLost(handler: () => void): () => void {
    this.#lossHandlers.add(handler);
    return () => this.#lossHandlers.delete(handler);
  }

  /** Reopens the stream after a change of account, as a stream belongs to the account of its request. */
  switchAccount(account: string | undefined): void {
    const same = account === this.#account;
    this.#account = account;
    if (same || !this.#source) return;
    this.#close();
    this.#lastId = '';
    this.#open();
  }

  #open(): void {
    if (this.#source) return;
    const source = new EventSource(this.#lastId ? `/api/events?after=${this.#lastId}` : '/api/events');
    this.#source = source;
    source.addEventListener('ready', (event) => {
      this.#lastId = event.lastEventId || this.#lastId;
      this.connected = true;
    });
    source.addEventListener('error', () => {
      this.#disconnected();
      // EventSource reconnects after a broken connection, but not after a refusal.
      if (source.readyState !== EventSource.CLOSED) return;
      this.#source = null;
      this.#schedule(refusalDelay, () => {
        if (!document.hidden) this.#open();
      });
    });
    for (const kind of this.#subscribers.keys()) source.addEventListener(kind, this.#dispatch);
  }

  #close(): void {
    this.#source?.close();
    this.#source = null;
    this.#disconnected();
  }

  #disconnected(): void {
    if (!this.connected) return;
    this.connected = false;
    for (const handler of this.#lossHandlers) handler();
  }

  #schedule(delay: number, run: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(run, delay);
  }

  readonly #dispatch = (event: MessageEvent<string>): void => {
    this.#lastId = event.lastEventId || this.#lastId;
    const kind = event.type as Kind;
    const data: unknown = kind === 'reset' ? null : JSON.parse(event.data);
    for (const read of this.#subscribers.get(kind) ?? []) read(data);
  };
}

export const events = new Events();
