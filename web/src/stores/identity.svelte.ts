// Who the browser is to the server. Whatever changes that, everything about the account before is read anew.

import { ApiError, post, type Body } from '../api/client.ts';
import { game } from './game.svelte.ts';
import { remember } from './memory.ts';
import { session } from './session.svelte.ts';

type Credentials = Body<'/api/auth/register'>;

/** The session that came with a request is over. */
export function isSessionOver(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unauthenticated';
}

class Identity {
  /**
   * Secures the guest's account, or opens a new one. The server refuses, and clears the cookie, when the session is
   * over. A page that shows no account meant a new one, so it sends the form again; one that shows the guest's account
   * drops it and leaves the choice to the player, as a second try would open another account.
   */
  async register(credentials: Credentials): Promise<void> {
    const guest = session.me !== null;
    try {
      await post('/api/auth/register', { body: credentials });
    } catch (error) {
      if (!isSessionOver(error)) throw error;
      if (guest) {
        await this.#sessionOver();
        throw error;
      }
      await post('/api/auth/register', { body: credentials });
    }
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

  async #sessionOver(): Promise<void> {
    remember('ended', null);
    session.drop();
    await game.resume();
  }

  async #somebodyElse(): Promise<void> {
    remember('ended', null);
    session.me = null;
    await game.resume();
  }
}

export const identity = new Identity();
