// What people paste into the search field of a chain: a height, a hash, an address, a token.

import { ApiError, get } from '../api/client.ts';

/** The page for a query, or null when it is none of these. A hash is asked for: it may be of a transaction or a block. */
export async function place(query: string): Promise<string | null> {
  const text = query.trim();
  const number = /^#?([\d,. ]+)$/.exec(text)?.[1]?.replace(/\D/g, '');
  if (text.startsWith('#') && number) return `/token/${number}`;
  if (number) return `/block/${number}`;
  if (/^rps1[02-9ac-hj-np-z]+$/i.test(text)) return `/address/${text.toLowerCase()}`;
  if (!/^[0-9a-f]{64}$/i.test(text)) return null;
  const hash = text.toLowerCase();
  try {
    await get('/api/chain/tx/{tx_hash}', { path: { tx_hash: hash } });
    return `/tx/${hash}`;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return `/block/${hash}`;
    throw error;
  }
}
