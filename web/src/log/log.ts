// Verification of the site's log below /log/ in the browser. It runs in the worker of the verifier.

import { cosigners, included, leafHash, type Tree } from '../../../verify/ts/verify.ts';
import { Unreachable } from '../api/unreachable.ts';
import { compare, type SignedCheckpoint, type Verdict } from './compare.ts';
import { MissingTile, Tiles, type ReadTile } from './tiles.ts';
import { merkleRoot } from './tree.ts';

/** Witnesses of which a quorum must have cosigned a checkpoint; all of them if it is 0. */
export interface Policy {
  keys: readonly string[];
  quorum: number;
}

/** How many of a policy's witnesses have cosigned; `fault` is '' if that satisfies the policy. */
export interface Cosigned {
  count: number;
  of: number;
  quorum: number;
  fault: string;
}

/** A worker that was started from a Blob has no base for relative addresses. */
const address = (path: string) => `${self.origin}/log/${path}`;

function reader(cache: RequestCache): ReadTile {
  return async (path) => {
    try {
      const response = await fetch(address(path), { cache });
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      if (response.status === 404) throw new MissingTile(path);
    } catch (error) {
      if (error instanceof MissingTile) throw error;
    }
    throw new Unreachable(`${path} of the log could not be read.`);
  };
}
/** Tiles never change, so browsers cache them. After a mismatch they are read again past the cache. */
const [read, readUncached] = [reader('default'), reader('reload')];

/** Compares the server's checkpoint with the stored one; see compare. */
export function compareCheckpoints(kept: SignedCheckpoint | null, shown: SignedCheckpoint): Promise<Verdict> {
  return compare(kept, shown, read, readUncached);
}

/** Reports whether the raw header is the entry of that height in the signed tree. */
export async function contains(tree: Tree, headerRaw: string, height: number): Promise<boolean> {
  if (height >= tree.size) return false;
  const entry = new TextEncoder().encode(headerRaw);
  for (const from of [read, readUncached]) {
    try {
      const proof = await new Tiles(tree.size, from).inclusion(height);
      if (included(entry, height, tree.size, proof, tree.root)) return true;
    } catch (error) {
      if (!(error instanceof MissingTile)) throw error;
    }
  }
  return false;
}

/** Returns the newest checkpoint that witnesses have cosigned; null while there is none. */
export async function witnessed(): Promise<string | null> {
  const response = await fetch(address('witnessed-checkpoint'), { cache: 'no-store' }).catch(() => null);
  if (response?.status === 404) return null;
  if (!response?.ok) throw new Unreachable('The cosigned checkpoint could not be read.');
  return response.text();
}

/** Returns how many of a policy's witnesses have cosigned a checkpoint, and why it does not satisfy the policy. */
export function cosigned(note: string | null, policy: Policy): Cosigned {
  const [of, quorum] = [policy.keys.length, policy.quorum || policy.keys.length];
  const fault = faultOf(note, policy);
  const count = policy.keys.filter((key) => faultOf(note, { keys: [key], quorum: 1 }) === '').length;
  return { count, of, quorum, fault };
}

/** Returns why a checkpoint does not satisfy a policy, '' if it does. */
function faultOf(note: string | null, policy: Policy): string {
  try {
    cosigners(note, policy, []);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the Merkle root of a block over the hashes of its transactions. */
export function blockRoot(hashes: readonly Uint8Array[]): Uint8Array {
  return merkleRoot(hashes.map(leafHash));
}
