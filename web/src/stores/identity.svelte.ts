// Sign-in, registration and sign-out. Each of them reloads the account's data.

import { isSessionOver, post, type Answer, type Body } from '../api/client.ts';
import { game } from './game.svelte.ts';
import { setStored } from './storage.ts';
import { session } from './session.svelte.ts';

type Credentials = Body<'/api/auth/register'>;
type Login = Body<'/api/auth/login'>;
export type EndedKey = NonNullable<Answer<'/api/auth/password/reset/redeem', 'post'>['ended_keys']>[number];

class Identity {
  /**
   * Registers the guest's account, or creates one. If the session is over, the server refuses the request and clears
   * the cookie. A page without an account then repeats the request, as it creates a new account anyway. A page that had a
   * guest, perhaps until this moment, leaves the choice to the player: a repeated request would create another account.
   */
  async register(credentials: Credentials): Promise<void> {
    const guest = session.me !== null;
    const confirms = guest || session.held;
    try {
      await post('/api/auth/register', { body: credentials });
    } catch (error) {
      if (!isSessionOver(error)) throw error;
      if (confirms) {
        await game.resume();
        throw error;
      }
      await post('/api/auth/register', { body: credentials });
    }
    if (!guest) session.renew();
    await session.load();
  }

  async signIn(credentials: Login): Promise<void> {
    await post('/api/auth/login', { body: credentials });
    await this.#accountChanged();
  }

  /** Signs in with the token of an emailed link. */
  async redeem(token: string): Promise<void> {
    await post('/api/auth/magic-link/redeem', { body: { token } });
    await this.#accountChanged();
  }

  async signOut(): Promise<void> {
    await post('/api/auth/logout');
    setStored('ended', null);
    session.end();
    await game.resume();
  }

  async rename(username: string): Promise<void> {
    await post('/api/auth/rename', { body: { username } });
    await session.load();
  }

  /**
   * Changes the password. The current one may be empty shortly after signing in. All other sessions end, and all keys
   * but those with the ids in `keep`.
   */
  async changePassword(password: string, current: string, keep: number[]): Promise<void> {
    const proof = current === '' ? {} : { current_password: current };
    await post('/api/auth/password', { body: { password, keep, ...proof } });
    await session.load();
  }

  /**
   * Sets a new password with the token of an emailed link, and signs in to its account. Returns the account's keys, which
   * have all ended: without a session the page cannot list them before, and so keeps none.
   */
  async resetPassword(token: string, password: string): Promise<EndedKey[]> {
    const { ended_keys: ended } = await post('/api/auth/password/reset/redeem', {
      body: { token, password },
    });
    await this.#accountChanged();
    return ended ?? [];
  }

  /** Deletes the account. The password may be empty shortly after signing in. */
  async deleteAccount(password: string): Promise<void> {
    await post('/api/account/delete', { body: password === '' ? {} : { password } });
    await game.goOn();
  }

  /** Ends all other sessions, and all keys but those with the ids in `keep`. */
  async endOtherSessions(keep: number[]): Promise<void> {
    await post('/api/sessions/end-others', { body: { keep } });
  }

  async #accountChanged(): Promise<void> {
    setStored('ended', null);
    session.renew();
    await game.resume();
  }
}

export const identity = new Identity();
