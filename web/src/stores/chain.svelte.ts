// The loaded blocks, newest first. The list follows the head of the chain.

import { get } from '../api/client.ts';
import { Pages } from './pages.svelte.ts';

export const blocks = new Pages(
  async (cursor) => {
    const page = await get('/api/chain/blocks', { query: { limit: 20, ...(cursor ? { cursor } : {}) } });
    return { rows: page.blocks, next: page.next };
  },
  (block) => block.height,
);
