// Who the browser is to the server. Whatever changes that, everything about the account before is read anew.

import { post, type Body } from '../api/client.ts';
import { game } from './game.svelte.ts';
import { remember } from './memory.ts';
import { session } from './session.svelte.ts';

type Credentials = Body<'/api/auth/register'>;

class Identity {
  /** Secures the guest's account, or opens a new one. */
  async register(credentials: Credentials): Promise<void> {
    await post('/api/auth/register', { body: credentials });
    await session.load();
  }

  async signIn(credentials: Credentials): Promise<void> {
    await post('/api/auth/login', { body: credentials });
    await this.#somebodyElse();
  }

  /** Signs in with the token of a mailed link. */
  async redeem(token: string): Promise<void> {
    await post('/api/auth/magic-link/redeem', { body: { token } });
    await this.#somebodyElse();
  }

  async signOut(): Promise<void> {
    await post('/api/auth/logout');
    await this.#somebodyElse();
  }

  async rename(username: string): Promise<void> {
    await post('/api/auth/rename', { body: { username } });
    await session.load();
  }

  async #somebodyElse(): Promise<void> {
    remember('ended', null);
    session.me = null;
    await game.resume();
  }
}

export const identity = new Identity();
