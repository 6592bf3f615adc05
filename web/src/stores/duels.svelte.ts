// The lists of duels: open, active, and the player's own.

import { get } from '../api/client.ts';
import type { Duel } from '../api/shapes.ts';
import { paged, type Pages } from './pages.svelte.ts';

type Filter = { status?: 'open' | 'active' | 'finished'; mine?: boolean; for_me?: boolean };

/** Returns a list of duels, newest first. A duel disappears from it when its status changes. */
export function duels(filter: Filter): Pages<Duel> {
  return paged(
    (page) => get('/api/duels', { query: { ...filter, limit: 20, ...page } }),
    (answer) => answer.duels,
    (duel) => duel.id,
    true,
    `duels ${JSON.stringify(filter)}`,
  );
}
