// Who is playing. A visitor has no account until the first throw makes a guest of them.

import { ApiError, get, post, postsAnswered, Unreachable } from '../api/client.ts';
import type { Me } from '../api/shapes.ts';
import { recall, remember } from './memory.ts';

/**
 * Nobody was here before: the page came without a session's cookie, and neither this tab nor another one has opened a
 * session since. A page that the browser kept may say so of a time before, which is why that is remembered.
 */
function isStranger(): boolean {
  const came = document.documentElement.hasAttribute('data-stranger');
  return came && postsAnswered() === 0 && recall('session', isTrue) === null;
}

function isTrue(value: unknown): value is true {
  return value === true;
}

class Session {
  me = $state.raw<Me | null>(null);
  /** `loading` until the first answer; `none` is a visitor without an account. */
  state = $state<'loading' | 'none' | 'ready' | 'failed'>('loading');
  error = $state.raw<unknown>(null);

  #asking: Promise<Me | null> | null = null;

  /** Reads the account again: balance, entries, envelope, faucet, run. Null when there is none or no answer came. */
  load(): Promise<Me | null> {
    this.#asking ??= this.#ask().finally(() => (this.#asking = null));
    return this.#asking;
  }

  async #ask(): Promise<Me | null> {
    if (isStranger()) {
      this.state = 'none';
      return null;
    }
    const before = postsAnswered();
    try {
      const me = await get('/api/me');
      if (before !== postsAnswered()) return await this.#ask();
      this.me = me;
      this.state = 'ready';
      remember('session', true);
      return me;
    } catch (error) {
      if (before !== postsAnswered()) return this.#ask();
      if (error instanceof ApiError && error.status === 401) {
        this.drop();
      } else {
        this.error = error;
        // What is on the screen stays: an old balance is better than none.
        if (!this.me) this.state = 'failed';
      }
      return null;
    }
  }

  /** The server says that the session is over: nobody is signed in. */
  drop(): void {
    this.me = null;
    this.state = 'none';
    remember('session', null);
  }

  /** The account, made now when there is none. */
  ensure(): Promise<Me> {
    // Opened ahead of the first throw and asked for by it, at the same time perhaps: one account.
    this.#opening ??= this.#open().finally(() => (this.#opening = null));
    return this.#opening;
  }

  #opening: Promise<Me> | null = null;

  async #open(): Promise<Me> {
    if (!this.me) await post('/api/guest');
    const me = this.me ?? (await this.load());
    if (me) return me;
    throw this.error instanceof Error ? this.error : new Unreachable('The new account could not be read.');
  }

  /** Takes over what an answer says about the account, without asking again. */
  note(change: Partial<Pick<Me, 'balance' | 'next_commitment'>>): void {
    if (this.me) this.me = { ...this.me, ...change };
  }

  async faucet(): Promise<number> {
    const { amount, balance } = await post('/api/faucet');
    this.note({ balance });
    await this.load();
    return amount;
  }
}

export const session = new Session();
