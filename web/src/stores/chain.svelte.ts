// The loaded blocks, newest first. The list follows the head of the chain, and outlives the pages that show it.

import { get } from '../api/client.ts';
import { Pages } from './pages.svelte.ts';

export const blocks = new Pages(
  async (page) => {
    const { blocks: rows, next } = await get('/api/chain/blocks', { query: { limit: 20, ...page } });
    return { rows, next };
  },
  (block) => block.height,
);
