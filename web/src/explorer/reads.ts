// Reads of the explorer that take more than one call.

import { ApiError, get } from '../api/client.ts';
import type { Block } from '../api/shapes.ts';

/** How many pages of 100 blocks are looked through for a hash before giving up. */
const pagesSearched = 10;

/** A block by height or by hash. The contract reads by height; a hash is looked for among the latest blocks. */
export async function readBlock(id: string): Promise<Block> {
  const height = /^\d+$/.test(id) ? Number(id) : await heightOf(id.toLowerCase());
  return (await get('/api/chain/blocks/{height}', { path: { height } })).block;
}

async function heightOf(hash: string): Promise<number> {
  let cursor: string | null = null;
  for (let page = 0; page < pagesSearched; page++) {
    const list: Awaited<ReturnType<typeof blocksAfter>> = await blocksAfter(cursor);
    const found = list.blocks.find((block) => block.hash === hash);
    if (found) return found.height;
    cursor = list.next;
    if (cursor === null) break;
  }
  throw new ApiError(new Response(null, { status: 404 }), {
    code: 'not_found',
    message: 'No block with this hash.',
  });
}

function blocksAfter(cursor: string | null) {
  return get('/api/chain/blocks', { query: { limit: 100, ...(cursor ? { cursor } : {}) } });
}
