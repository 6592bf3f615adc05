// Who is playing. A visitor has no account until the first throw makes a guest of them.

import { ApiError, get, post } from '../api/client.ts';
import type { Me } from '../api/shapes.ts';

class Session {
  me = $state.raw<Me | null>(null);
  /** `loading` until the first answer; `none` is a visitor without an account. */
  state = $state<'loading' | 'none' | 'ready' | 'failed'>('loading');
  error = $state.raw<unknown>(null);

  /** Reads the account again: balance, entries, envelope, faucet, run. Null when there is none or no answer came. */
  async load(): Promise<Me | null> {
    try {
      this.me = await get('/api/me');
      this.state = 'ready';
      return this.me;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        this.me = null;
        this.state = 'none';
      } else {
        this.error = error;
        // What is on the screen stays: an old balance is better than none.
        if (!this.me) this.state = 'failed';
      }
      return null;
    }
  }

  /** The account, made now when there is none. */
  async ensure(): Promise<Me> {
    if (!this.me) await post('/api/guest');
    const me = this.me ?? (await this.load());
    if (!me) throw this.error;
    return me;
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
