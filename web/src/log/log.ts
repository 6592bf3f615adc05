// The log as this site serves it below /log/, judged by the browser. Fetched with the verifier, when there is something
// to judge.

import { included, leafHash, type Tree } from '../../../verify/ts/verify.ts';
import { Unreachable } from '../api/client.ts';
import { compare, type Shown, type Verdict } from './compare.ts';
import { NoTile, Tiles, type ReadTile } from './tiles.ts';
import { merkleRoot } from './tree.ts';

function reader(cache: RequestCache): ReadTile {
  return async (path) => {
    try {
      const response = await fetch(`/log/${path}`, { cache });
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      if (response.status === 404) throw new NoTile(path);
    } catch (error) {
      if (error instanceof NoTile) throw error;
    }
    throw new Unreachable(`${path} of the log could not be read.`);
  };
}
/** Tiles never change, so that browsers keep them; those of a server that is not what it was must not be believed. */
const [read, readAnew] = [reader('default'), reader('reload')];

export function judge(kept: Shown | null, shown: Shown): Promise<Verdict> {
  return compare(kept, shown, read, readAnew);
}

/** Whether the header raw is the entry of that height in the signed tree. */
export async function contains(tree: Tree, headerRaw: string, height: number): Promise<boolean> {
  if (height >= tree.size) return false;
  const entry = new TextEncoder().encode(headerRaw);
  for (const from of [read, readAnew]) {
    try {
      const proof = await new Tiles(tree.size, from).inclusion(height);
      if (included(entry, height, tree.size, proof, tree.root)) return true;
    } catch (error) {
      if (!(error instanceof NoTile)) throw error;
    }
  }
  return false;
}

/** The Merkle root of a block, over the hashes of its transactions. */
export function blockRoot(hashes: readonly Uint8Array[]): Uint8Array {
  return merkleRoot(hashes.map(leafHash));
}
