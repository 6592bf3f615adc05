// Holds a checkpoint that the server shows against the one that this browser has kept: the same log, grown, or another.

import { consistency, parseKey, signedTree, type Tree } from '../../../verify/ts/verify.ts';
import { NoTile, Tiles, type ReadTile } from './tiles.ts';

/** What is wrong with a log. */
export type Fault =
  /** Another key signs it. */
  | 'key'
  /** It is not signed by its key, or is no checkpoint. */
  | 'signature'
  /** Two histories of one length are signed. */
  | 'root'
  /** The blocks that were there before are not those that are there now. */
  | 'history'
  /** It has become shorter. */
  | 'shorter'
  /** The tiles that are served are not those of the signed tree, so that nothing is shown to have grown from anything. */
  | 'unproved'
  /** What this browser kept is no signed checkpoint any more, so that nothing can be held against it. */
  | 'damaged';

export interface Verdict {
  /** The tree that is signed now; null when it is none. */
  tree: Tree | null;
  /** `older` is an answer that was overtaken: a part of what this browser knows. */
  is: 'first' | 'same' | 'grown' | 'older' | Fault;
}

export interface Shown {
  key: string;
  /** The checkpoint: a signed note. */
  note: string;
}

/**
 * Compares. `kept` is what was once found good, null at first sight; `read` reads tiles, `again` does so past every cache
 * of the browser: a server that is not the one it was must not be heard out with tiles of the other.
 */
export async function compare(
  kept: Shown | null,
  shown: Shown,
  read: ReadTile,
  again: ReadTile = read,
): Promise<Verdict> {
  if (kept && kept.key !== shown.key) return { tree: null, is: 'key' };
  let tree: Tree;
  try {
    tree = open(shown);
  } catch {
    return { tree: null, is: 'signature' };
  }
  if (!kept) return { tree, is: 'first' };
  let before: Tree;
  try {
    before = open(kept);
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

/** The tree that a checkpoint states; throws unless its key has signed it. */
function open({ note, key }: Shown): Tree {
  const parsed = parseKey(key);
  if (!parsed) throw new Error('the verifier key is malformed');
  return signedTree(note, parsed);
}

/** Whether the one tree is the beginning of the other, by the tiles of the other. */
async function grown(old: Tree, now: Tree, read: ReadTile): Promise<'grown' | 'history' | 'unproved'> {
  if (old.size === 0) return 'grown';
  let roots: [string, string] | null;
  try {
    roots = consistency(old.size, now.size, await new Tiles(now.size, read).consistency(old.size));
  } catch (error) {
    if (error instanceof NoTile) return 'unproved';
    throw error;
  }
  if (roots?.[1] !== now.root) return 'unproved';
  return roots[0] === old.root ? 'grown' : 'history';
}
