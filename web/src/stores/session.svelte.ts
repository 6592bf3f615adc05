// The player's account. A visitor has none until Play creates a guest account, ahead of the first throw.

import { ApiError, get, post, completedPosts, serverTime, Unreachable } from '../api/client.ts';
import type { Me } from '../api/shapes.ts';
import { dailyOpen, dailyUsed } from '../play/today.ts';
import { clock } from './clock.svelte.ts';
import { getStored, setStored } from './storage.ts';

/**
 * Reports whether the browser has no session: index.html was served without a session cookie, and neither this tab nor
 * another one has created a session since. The stored flag covers a cached index.html from before the session.
 */
function hasNoSession(): boolean {
  const servedWithout = document.documentElement.hasAttribute('data-no-session');
  return servedWithout && completedPosts() === 0 && getStored('session', isTrue) === null;
}

function isTrue(value: unknown): value is true {
  return value === true;
}

class Session {
  me = $state.raw<Me | null>(null);
  /** When `me` was read, by the server's clock. */
  #readAt = 0;
  /** `loading` until the first response; `none` for a visitor without an account. */
  state = $state<'loading' | 'none' | 'ready' | 'failed'>('loading');
  error = $state.raw<unknown>(null);

  /** The account is to be loaded with the next block. */
  due = $state(false);

  /** The visitor can start today's daily run, which opens an account for one without. */
  readonly dailyOpen: boolean = $derived(
    this.me ? dailyOpen(this.me.entry_options, this.#readAt, serverTime(clock.now)) : this.state === 'none',
  );

  #loading: Promise<Me | null> | null = null;
  #calls = 0;

  /** Reloads the account: balance, entries, commitment, faucet, run. Returns null without an account or a response. */
  load(): Promise<Me | null> {
    this.#calls++;
    this.due = false;
    this.#loading ??= this.#load().finally(() => (this.#loading = null));
    return this.#loading;
  }

  /** Loads the account with the next block (App.svelte), or after two seconds. */
  loadSoon(): void {
    this.due = true;
    setTimeout(() => {
      if (this.due) void this.load();
    }, 2000);
  }

  async #load(): Promise<Me | null> {
    if (hasNoSession()) {
      this.state = 'none';
      return null;
    }
    await Promise.resolve(); // calls of one moment share a request
    const [posts, calls] = [completedPosts(), this.#calls];
    try {
      const me = await get('/api/me');
      if (posts !== completedPosts()) return await this.#load();
      this.#readAt = serverTime();
      this.me = me;
      this.state = 'ready';
      setStored('session', true);
      // This answer may lack what a call since the request is about, also one that is caused by the answer.
      await Promise.resolve();
      if (calls !== this.#calls) return await this.#load();
      return me;
    } catch (error) {
      if (posts !== completedPosts()) return this.#load();
      if (error instanceof ApiError && error.status === 401) {
        this.drop();
      } else {
        this.error = error;
        // Keep the loaded account: an old balance is better than none.
        if (!this.me) this.state = 'failed';
      }
      return null;
    }
  }

  /** Drops the account after the server has ended the session. */
  drop(): void {
    this.me = null;
    this.state = 'none';
    setStored('session', null);
  }

  /** Returns the account, and creates a guest account if there is none. */
  ensure(): Promise<Me> {
    // Concurrent calls share one request, so they create one account.
    this.#creating ??= this.#create().finally(() => (this.#creating = null));
    return this.#creating;
  }

  #creating: Promise<Me> | null = null;

  async #create(): Promise<Me> {
    if (!this.me) await post('/api/guest');
    const me = this.me ?? (await this.load());
    if (me) return me;
    throw this.error instanceof Error ? this.error : new Unreachable('The new account could not be read.');
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
