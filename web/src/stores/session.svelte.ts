// The player's account. A visitor has none until a tap on a hand creates a guest account. A session that has ended is no
// new player: the page keeps the name, and the player signs in or goes on as a new guest.

import {
  ApiError,
  completedPosts,
  get,
  onSessionOver,
  post,
  serverTime,
  Unreachable,
} from '../api/client.ts';
import type { Me } from '../api/shapes.ts';
import { dailyOpen, dailyUsed, dayEnd } from '../play/today.ts';
import { clock } from './clock.svelte.ts';
import { fresh } from './fresh.ts';
import { getStored, isText, setStored } from './storage.ts';
import { viewer } from './viewer.svelte.ts';

/** The account of a session that is over. */
export interface Former {
  name: string;
  /** It has no password and no mailbox that this page knows of. */
  guest: boolean;
}

/** The account that this browser had last; `over` after its session has ended. */
interface Known extends Former {
  over: boolean;
}

/** The player has closed the question "Who plays?". Nothing was sent. */
export class Declined extends Error {
  override readonly name = 'Declined';
}

function isTrue(value: unknown): value is true {
  return value === true;
}

function isKnown(value: unknown): value is Known {
  const { name, guest, over } = (value ?? {}) as Record<string, unknown>;
  return isText(name) && typeof guest === 'boolean' && typeof over === 'boolean';
}

/** Returns the account of the ended session that the last visit has left. */
function former(): Former | null {
  const known = getStored('who', isKnown);
  return known?.over ? { name: known.name, guest: known.guest } : null;
}

class Session {
  me = $state.raw<Me | null>(null);
  /** When `me` was read, by the server's clock. */
  #readAt = 0;
  /** `loading` until the first response; `none` for a visitor without an account. */
  state = $state<'loading' | 'none' | 'ready' | 'failed'>('loading');
  error = $state.raw<unknown>(null);
  /** The account whose session has ended, until the player signs in or goes on as a new guest. */
  was = $state.raw<Former | null>(former());
  /** The session of the page on display has ended: the page stands still until the player chooses or leaves it. */
  held = $state(false);
  /** The page asks "Who plays?": for the choice after the end of a session, or for an account as well. */
  asks = $state<'choice' | 'account' | null>(null);
  /** The account page is to open on signing in. */
  signingIn = $state(false);

  /** The account is to be loaded with the next block. */
  due = $state(false);

  /** The visitor can start today's daily run, which opens an account for one without. */
  readonly dailyOpen: boolean = $derived(
    this.me ? dailyOpen(this.me.entry_options, this.#readAt, serverTime(clock.now)) : this.state === 'none',
  );

  #loading: Promise<Me | null> | null = null;
  #calls = 0;
  /** The session is known to be over: no request can find another, until this browser has opened one. */
  #over = this.was !== null;
  #answered: { resolve: (me: Me) => void; reject: (error: Error) => void }[] = [];

  constructor() {
    onSessionOver(() => {
      if (this.me) this.end();
    });
  }

  /** Reloads the account: balance, entries, commitment, faucet, run. Returns null without an account or a response. */
  load(): Promise<Me | null> {
    this.#calls++;
    this.due = false;
    this.#loading ??= this.#load().finally(() => (this.#loading = null));
    return this.#loading;
  }

  /** Reads the account again after the events that change it, and at the end of the day, which brings other entries. */
  follow(): void {
    // A read that fails then is repeated each minute.
    const seconds = (since: number): number =>
      Math.max(60, (performance.now() - since + this.#dayLeft()) / 1000);
    fresh.follow('account', () => this.load(), { first: false, seconds });
  }

  /** Loads the account with the next block (App.svelte), or after two seconds. */
  loadSoon(): void {
    this.due = true;
    setTimeout(() => {
      if (this.due) void this.load();
    }, 2000);
  }

  /**
   * Reports whether the browser has no session: index.html was served without a session cookie, and neither this tab nor
   * another one has created a session since. The stored flag covers a cached index.html from before the session.
   */
  #hasNone(): boolean {
    if (getStored('session', isTrue)) return false;
    if (this.#over) return true;
    return document.documentElement.hasAttribute('data-no-session') && completedPosts() === 0;
  }

  async #load(): Promise<Me | null> {
    if (this.#hasNone()) {
      if (this.me) this.end();
      this.was ??= former();
      this.state = 'none';
      return null;
    }
    await Promise.resolve(); // calls of one moment share a request
    const [posts, calls] = [completedPosts(), this.#calls];
    try {
      const me = await get('/api/me');
      if (posts !== completedPosts()) return await this.#load();
      this.#set(me);
      // This answer may lack what a call since the request is about, also one that is caused by the answer.
      await Promise.resolve();
      if (calls !== this.#calls) return await this.#load();
      return me;
    } catch (error) {
      if (posts !== completedPosts()) return this.#load();
      if (error instanceof ApiError && error.status === 401) {
        if (this.state !== 'none') this.end();
        this.#over = true;
      } else {
        this.error = error;
        // Keep the loaded account: an old balance is better than none.
        if (!this.me) this.state = 'failed';
      }
      return null;
    }
  }

  /** Returns the milliseconds until the entries of the account are of an earlier day; Infinity without an account. */
  #dayLeft(): number {
    return this.me ? dayEnd(this.#readAt) - serverTime() : Infinity;
  }

  #set(me: Me): void {
    viewer.pass(me.account.address);
    this.#readAt = serverTime();
    this.me = me;
    this.state = 'ready';
    this.was = null;
    this.held = false;
    this.#over = false;
    setStored('session', true);
    const known = { name: me.account.username, guest: me.account.kind === 'guest', over: false };
    // Other tabs read the account again when this changes.
    if (JSON.stringify(known) !== JSON.stringify(getStored('who', isKnown))) setStored('who', known);
    for (const { resolve } of this.#answered) resolve(me);
    this.#answered = [];
    this.asks = null;
  }

  /** Drops the account after its session has ended. The page keeps the name, and asks before anything new begins. */
  end(): void {
    const account = this.me?.account;
    const known = account
      ? { name: account.username, guest: account.kind === 'guest' }
      : getStored('who', isKnown);
    // A page that is opened after the end has nothing to hold.
    this.held = this.me !== null;
    this.me = null;
    this.state = 'none';
    this.was = known && { name: known.name, guest: known.guest };
    this.#over = true;
    setStored('session', null);
    setStored('who', this.was && { ...this.was, over: true });
  }

  /** Forgets the account of the ended session: the player goes on as a new guest, or has deleted it. */
  forget(): void {
    viewer.pass(undefined);
    this.me = null;
    this.state = 'none';
    this.was = null;
    this.held = false;
    this.#over = true;
    setStored('session', null);
    setStored('who', null);
    if (this.asks === 'choice') this.asks = null;
  }

  /** Notes that this browser has opened another session, which the next load reads. */
  renew(): void {
    this.me = null;
    this.#over = false;
  }

  /** Asks a player whose session has ended how to go on. */
  choose(): void {
    if (this.was) this.asks ??= 'choice';
  }

  /** Closes the question without an answer. */
  decline(): void {
    this.asks = null;
    for (const { reject } of this.#answered) reject(new Declined());
    this.#answered = [];
  }

  /** Returns the account. A player without one is asked, and becomes a guest by a tap on a hand. Errors: Declined. */
  async ensure(): Promise<Me> {
    if (this.state === 'loading' || this.state === 'failed') await this.load();
    if (this.me) return this.me;
    this.#throwUnread();
    return new Promise((resolve, reject) => {
      this.#answered.push({ resolve, reject });
      this.asks = 'account';
    });
  }

  /** Returns the account, and creates a guest if there is none: the player has tapped a hand. Errors: Declined. */
  guest(): Promise<Me> {
    // Concurrent calls share one request, so they create one account.
    this.#creating ??= this.#create().finally(() => (this.#creating = null));
    return this.#creating;
  }

  #creating: Promise<Me> | null = null;

  async #create(): Promise<Me> {
    if (this.state === 'loading' || this.state === 'failed') await this.load();
    if (this.me) return this.me;
    this.#throwUnread();
    if (this.was) {
      this.choose();
      throw new Declined('The session has ended, and the player has not chosen how to go on.');
    }
    const { me } = await post('/api/guest', { query: { me: true } });
    this.renew();
    if (me) this.#set(me);
    const created = me ?? (await this.load());
    if (created) return created;
    throw this.error instanceof Error ? this.error : new Unreachable('The new account could not be read.');
  }

  /** An account that could not be read may exist: a guest in its place would be another player. */
  #throwUnread(): void {
    if (this.state === 'failed') throw this.error;
  }

  /** Applies the account data of another response without a reload. */
  note(change: Partial<Pick<Me, 'balance' | 'bound' | 'next_commitment'>>): void {
    if (!this.me) return;
    const me = { ...this.me, ...change };
    // The other response may be older than the block of the commitment.
    const known = this.me.next_commitment;
    if (known.height !== null && me.next_commitment.commitment === known.commitment)
      me.next_commitment = known;
    // Most responses state the balance alone: its bound part is at most the balance until the next reload.
    me.bound = Math.min(me.bound, me.balance);
    me.free = me.balance - me.bound;
    this.me = me;
  }

  /** Notes the start of today's daily run, of which the next reload tells. */
  noteDaily(): void {
    if (this.me) this.me = { ...this.me, entry_options: dailyUsed(this.me.entry_options) };
  }

  async faucet(): Promise<number> {
    const { amount, balance } = await post('/api/faucet');
    this.note({ balance });
    await this.load();
    return amount;
  }
}

export const session = new Session();
