// Reads of the explorer that combine several requests.

import { get } from '../api/client.ts';
import type { Block, Hit } from '../api/shapes.ts';

/** Returns a block by height or by hash. */
export async function readBlock(id: string): Promise<Block> {
  if (/^\d{1,10}$/.test(id)) return blockAt(Number(id));
  const hit = (await search(id)).find(({ kind }) => kind === 'block');
  const block = hit ? await blockAt(Number(hit.id)) : null;
  // A hash of digits only also parses as a height. For an unknown hash, request a height beyond the chain: the caller
  // gets the server's "not found".
  return block?.hash === id.toLowerCase() ? block : blockAt(unusedHeight);
}

const unusedHeight = 2 ** 31 - 1;

let last: { height: number; block: Promise<Block> } | null = null;

/**
 * Returns a block by its height. The last block is cached, as components of a page share it; sealed blocks never
 * change.
 */
export function blockAt(height: number): Promise<Block> {
  if (last?.height === height) return last.block;
  const block = get('/api/chain/blocks/{height}', { path: { height } }).then((answer) => answer.block);
  const entry = { height, block };
  last = entry;
  block.catch(() => {
    if (last === entry) last = null;
  });
  return block;
}

/** Returns the search results for a text. A leading # restricts them to tokens. */
export async function search(text: string): Promise<readonly Hit[]> {
  const { results } = await get('/api/chain/search', { query: { q: text.trim() } });
  return text.trim().startsWith('#') ? results.filter((hit) => hit.kind === 'token') : results;
}

/** Returns the page of a search result. */
export function pageOf(hit: Hit): string {
  const folders: Record<string, string> = {
    block: 'block',
    transaction: 'tx',
    address: 'address',
    token: 'token',
  };
  return `/${folders[hit.kind] ?? 'chain'}/${hit.id}`;
}
