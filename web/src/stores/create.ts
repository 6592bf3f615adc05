// New duels.

import { post, type Body } from '../api/client.ts';
import { router } from '../router.svelte.ts';
import { session } from './session.svelte.ts';

/** Creates a duel and opens its page. A player without an account is asked first. Errors: Declined. */
export async function createDuel(body: Body<'/api/duels'>): Promise<void> {
  await session.ensure();
  const { duel } = await post('/api/duels', { body });
  router.go(`/d/${duel.id}`);
}
