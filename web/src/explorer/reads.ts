// Reads of the explorer that take more than one call.

import { get } from '../api/client.ts';
import type { Block, Hit } from '../api/shapes.ts';

/** A block by height or by hash. */
export async function readBlock(id: string): Promise<Block> {
  if (/^\d{1,10}$/.test(id)) return blockAt(Number(id));
  const found = (await search(id)).find((hit) => hit.kind === 'block');
  const block = found ? await blockAt(Number(found.id)) : null;
  // A text of digits alone also reads as a height. What nobody knows is asked for where no block will ever be: the
  // server's own "not found" is the answer.
  return block?.hash === id.toLowerCase() ? block : blockAt(nowhere);
}

const nowhere = 2 ** 31 - 1;

let last: { height: number; block: Promise<Block> } | null = null;

/** A block by its height. The last one is kept, which pages ask for in several places: a sealed block never changes. */
export function blockAt(height: number): Promise<Block> {
  if (last?.height === height) return last.block;
  const block = get('/api/chain/blocks/{height}', { path: { height } }).then((answer) => answer.block);
  const mine = { height, block };
  last = mine;
  block.catch(() => {
    if (last === mine) last = null;
  });
  return block;
}

/** Everything that a text may name. A text that begins with # means a token. */
export async function search(text: string): Promise<readonly Hit[]> {
  const { results } = await get('/api/chain/search', { query: { q: text.trim() } });
  return text.trim().startsWith('#') ? results.filter((hit) => hit.kind === 'token') : results;
}

/** The page of something that was found. */
export function pageOf(hit: Hit): string {
  return { block: '/block/', transaction: '/tx/', address: '/address/', token: '/token/' }[hit.kind] + hit.id;
}
