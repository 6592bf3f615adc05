// Two guests who play a duel by the API alone, for pages that show it.

import { createHash, randomBytes } from 'node:crypto';
import type { APIResponse, BrowserContext } from 'playwright-core';
import { expect } from 'vitest';
import { base, phone, visitor } from './browser.ts';

/** Sends a POST of one account. */
export type Post = (to: string, data?: object) => Promise<APIResponse>;

/** Returns the requests of the account of a context, and opens a guest account if there is none. */
export async function poster({ request }: BrowserContext): Promise<Post> {
  const { csrf_token } = (await (await request.post('/api/guest')).json()) as { csrf_token: string };
  return (to, data = {}) => request.post(to, { headers: { 'X-CSRF-Token': csrf_token, Origin: base }, data });
}

/** Returns two new guests. */
export async function rivals(): Promise<readonly [Post, Post]> {
  return [await poster(await visitor(phone)), await poster(await visitor(phone))];
}

/** Begins a listed duel between two players, and returns its code. */
export async function begun([one, two]: readonly [Post, Post]): Promise<string> {
  const { duel } = (await (await one('/api/duels', { listed: true })).json()) as { duel: { id: string } };
  expect((await two(`/api/duels/${duel.id}/join`)).status()).toBe(200);
  return duel.id;
}

/** Plays a round that both sides of a duel tie, so that the duel goes on. The salts end with `end`. */
export async function tie(code: string, sides: readonly [Post, Post], end = ''): Promise<void> {
  const hands = sides.map((post) => ({ post, salt: randomBytes(8).toString('hex') + end }));
  for (const step of ['commit', 'reveal']) {
    for (const { post, salt } of hands) {
      const commitment = createHash('sha256').update(`rock:${salt}`).digest('hex');
      const data = step === 'commit' ? { commitment } : { move: 'rock', salt };
      expect((await post(`/api/duels/${code}/${step}`, data)).status()).toBe(200);
    }
  }
}
