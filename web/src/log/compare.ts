// Compares the server's checkpoint with the stored one: the same log, an extension of it, or another log.

import { consistency, parseKey, signedTree, type Tree } from '../../../verify/ts/verify.ts';
import { MissingTile, Tiles, type ReadTile } from './tiles.ts';

/** The faults of a log. */
export type Fault =
  /** The signing key has changed. */
  | 'key'
  /** The checkpoint is malformed or has no valid signature of its key. */
  | 'signature'
  /** Two signed trees of the same size have different roots. */
  | 'root'
  /** The current tree does not extend the stored one. */
  | 'history'
  /** The current tree is smaller than the stored one. */
  | 'shorter'
  /** The tiles do not match the signed tree, so they prove no consistency. */
  | 'unproved'
  /** A statement about a game of this browser is not signed. */
  | 'receipt'
  /** The house has recorded other texts than this browser has sent. */
  | 'texts'
  /** A seed, a hand or an outcome of a game of this browser fails its check. */
  | 'check'
  /** The house has replaced a commitment of a player of this browser that no run has used. */
  | 'commitment'
  /** The witnesses that the service names are not those that this browser keeps. */
  | 'policy'
  /** The stored checkpoint is no longer valid, so there is nothing to compare with. */
  | 'damaged';

export interface Verdict {
  /** The current signed tree; null without a valid signature. */
  tree: Tree | null;
  /** `older`: a delayed response whose tree is a prefix of the stored one. */
  is: 'first' | 'same' | 'grown' | 'older' | Fault;
}

export interface SignedCheckpoint {
  key: string;
  /** The checkpoint: a signed note. */
  note: string;
}

/**
 * Compares the checkpoint `shown` with the stored one. `kept` is null on the first visit. `read` reads tiles; `again`
 * bypasses the browser's caches, as cached tiles may belong to another log.
 */
export async function compare(
  kept: SignedCheckpoint | null,
  shown: SignedCheckpoint,
  read: ReadTile,
  again: ReadTile = read,
): Promise<Verdict> {
  if (kept && kept.key !== shown.key) return { tree: null, is: 'key' };
  let tree: Tree;
  try {
    tree = openCheckpoint(shown);
  } catch {
    return { tree: null, is: 'signature' };
  }
  if (!kept) return { tree, is: 'first' };
  let before: Tree;
  try {
    before = openCheckpoint(kept);
  } catch {
    return { tree, is: 'damaged' };
  }
  if (before.size === tree.size) return { tree, is: before.root === tree.root ? 'same' : 'root' };
  const [old, now] = before.size < tree.size ? [before, tree] : [tree, before];
  let is = await grown(old, now, read);
  if (is === 'unproved') is = await grown(old, now, again);
  if (before === old) return { tree, is };
  return { tree, is: is === 'grown' ? 'older' : is === 'history' ? is : 'shorter' };
}

/** Returns the tree of a checkpoint; throws unless its key has signed it. */
function openCheckpoint({ note, key }: SignedCheckpoint): Tree {
  const parsed = parseKey(key);
  if (!parsed) throw new Error('the verifier key is malformed');
  return signedTree(note, parsed);
}

/** Reports whether tree `now` extends tree `old`, by the tiles of `now`. */
async function grown(old: Tree, now: Tree, read: ReadTile): Promise<'grown' | 'history' | 'unproved'> {
  if (old.size === 0) return 'grown';
  let roots: [string, string] | null;
  try {
    roots = consistency(old.size, now.size, await new Tiles(now.size, read).consistency(old.size));
  } catch (error) {
    if (error instanceof MissingTile) return 'unproved';
    throw error;
  }
  if (roots?.[1] !== now.root) return 'unproved';
  return roots[0] === old.root ? 'grown' : 'history';
}
