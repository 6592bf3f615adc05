// The lists of duels: open, active, and the player's own.

import { get } from '../api/client.ts';
import type { Duel } from '../api/shapes.ts';
import { Pages } from './pages.svelte.ts';

type Filter = { status?: 'open' | 'active' | 'finished'; mine?: boolean; for_me?: boolean };

/** Returns a list of duels, newest first. A duel disappears from it when its status changes. */
export function duels(filter: Filter): Pages<Duel> {
  return new Pages(
    async (cursor) => {
      const page = await get('/api/duels', {
        query: { ...filter, limit: 20, ...(cursor ? { cursor } : {}) },
      });
      return { rows: page.duels, next: page.next };
    },
    (duel) => duel.id,
    true,
  );
}
