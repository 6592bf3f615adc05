// The lists of duels: open ones, those being played, and one's own.

import { get } from '../api/client.ts';
import type { Duel } from '../api/shapes.ts';
import { Pages } from './pages.svelte.ts';

type Which = { status?: 'open' | 'active' | 'finished'; mine?: boolean };

/** A list of duels, newest first. Duels leave it when their status changes. */
export function duels(which: Which): Pages<Duel> {
  return new Pages(
    async (cursor) => {
      const page = await get('/api/duels', { query: { ...which, limit: 20, ...(cursor ? { cursor } : {}) } });
      return { rows: page.duels, next: page.next };
    },
    (duel) => duel.id,
    true,
  );
}
