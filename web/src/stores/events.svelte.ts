// The event stream of the page (GET /api/events), open while the page is visible. While it is closed, subscribers poll.
// The stream names the duel on display: it sends each step of it, and the service knows that its player is there. One
// hidden tab of the browser keeps a stream if the player wants to be notified; it names no duel.

import type { components } from '../api/schema.d.ts';
import { budget } from './budget.ts';

type Bodies = Required<components['schemas']['Events']>;
/** Kinds of events, from the API document. `reset` reports that events were lost: subscribers must reload their data. */
export type Kind = keyof Bodies;
/** The data of kinds of events; null for `reset`. */
export type Body<K extends Kind> = Bodies[K] | null;

type Subscriber<K extends Kind> = (data: Body<K>, kind: K | 'reset') => void;

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
  /** The duel that `#source` names. */
  #sent = '';
  #named = '';
  #lastId = '';
  #account: string | undefined;
  #held = false;
  /** The player wants to be notified of events while the page is hidden. */
  #notifies = false;
  /** The page is hidden and keeps its stream. */
  #background = false;
  /** Lets another hidden tab keep its stream. */
  #release: () => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #subscribers = new Map<Kind, readonly Subscriber<Kind>[]>();
  readonly #lossHandlers = new Set<(broken: boolean) => void>();

  start(): void {
    if (typeof EventSource === 'undefined') return;
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.#timer);
      if (document.hidden) this.#schedule(hiddenTimeout, () => void this.#hide());
      else this.#show();
    });
    this.#schedule(startDelay, () => {
      if (!document.hidden) this.#open();
    });
  }

  /**
   * Calls `subscriber` with the data of each event of the kinds, and with null after lost events. Returns the unsubscribe
   * function.
   */
  listen<K extends Kind>(kinds: readonly K[], subscriber: Subscriber<K>): () => void {
    const read = subscriber as Subscriber<Kind>;
    for (const kind of new Set([...kinds, 'reset' as const])) {
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

  /** Keeps the stream of a hidden page, or no longer. */
  notify(on: boolean): void {
    this.#notifies = on;
    if (on || !this.#background) return;
    this.#release();
    this.#close();
  }

  #show(): void {
    const renamed = this.#background && this.#named !== '';
    this.#background = false;
    this.#release();
    if (renamed) this.#reopen();
    else this.#open();
  }

  async #hide(): Promise<void> {
    const keeps = this.#notifies && (await this.#isOnlyHidden());
    if (!document.hidden) {
      this.#release();
      return;
    }
    this.#background = keeps;
    if (!keeps) this.#close();
    else if (this.#sent) this.#reopen();
  }

  /** Reports whether no other hidden tab keeps a stream. */
  #isOnlyHidden(): Promise<boolean> {
    if (!('locks' in navigator)) return Promise.resolve(true);
    return new Promise((done) => {
      void navigator.locks.request('roshambo/stream', { ifAvailable: true }, (lock) => {
        done(lock !== null);
        return lock && new Promise<void>((release) => (this.#release = release));
      });
    });
  }

  /** Names a duel of which the stream sends each step, in place of the last one. */
  name(code: string): void {
    this.#named = code;
    // The page may name another one at once.
    setTimeout(() => {
      if (this.#source && !this.#background && this.#sent !== this.#named) this.#reopen();
    });
  }

  /** Ends the naming of a duel, unless the page has named another one since. */
  release(code: string): void {
    if (this.#named === code) this.name('');
  }

  /** Reports whether the stream is connected and names a duel. */
  isNamed(code: string): boolean {
    return this.connected && this.#sent === code;
  }

  /**
   * Calls `handler` when the stream disconnects: `broken` by the network or the service, and not by the page. Returns the
   * unsubscribe function.
   */
  onLost(handler: (broken: boolean) => void): () => void {
    this.#lossHandlers.add(handler);
    return () => this.#lossHandlers.delete(handler);
  }

  /** Reopens the stream after a change of account, as a stream belongs to the account of its request. */
  switchAccount(account: string | undefined): void {
    const same = account === this.#account;
    this.#account = account;
    if (same || !this.#source) return;
    this.#lastId = '';
    this.#reopen();
  }

  /** Closes the stream until it is released. */
  hold(held: boolean): void {
    if (held === this.#held) return;
    this.#held = held;
    clearTimeout(this.#timer);
    if (held) this.#close();
    else {
      this.#schedule(startDelay, () => {
        if (!document.hidden) this.#open();
      });
    }
  }

  #reopen(): void {
    this.#close();
    this.#open();
  }

  #open(): void {
    if (this.#source || this.#held) return;
    const named = this.#background ? '' : this.#named;
    const query = [this.#lastId && `after=${this.#lastId}`, named && `duel=${named}`].filter(Boolean);
    const source = new EventSource(query.length > 0 ? `/api/events?${query.join('&')}` : '/api/events');
    this.#source = source;
    this.#sent = named;
    source.addEventListener('ready', (event) => {
      this.#lastId = event.lastEventId || this.#lastId;
      this.connected = true;
      budget.reserved = 0;
    });
    source.addEventListener('error', () => {
      this.#disconnected(true);
      // EventSource reconnects after a broken connection, but not after a refusal.
      if (source.readyState !== EventSource.CLOSED) return;
      this.#source = null;
      budget.reserved = 1;
      this.#schedule(refusalDelay, () => {
        if (!document.hidden || this.#background) this.#open();
      });
    });
    for (const kind of this.#subscribers.keys()) source.addEventListener(kind, this.#dispatch);
  }

  #close(): void {
    this.#source?.close();
    this.#source = null;
    this.#sent = '';
    this.#disconnected(false);
  }

  #disconnected(broken: boolean): void {
    if (!this.connected) return;
    this.connected = false;
    for (const handler of this.#lossHandlers) handler(broken);
  }

  #schedule(delay: number, run: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(run, delay);
  }

  readonly #dispatch = (event: MessageEvent<string>): void => {
    this.#lastId = event.lastEventId || this.#lastId;
    const kind = event.type as Kind;
    const data = kind === 'reset' ? null : (JSON.parse(event.data) as Body<Kind>);
    for (const read of this.#subscribers.get(kind) ?? []) read(data, kind);
  };
}

export const events = new Events();
