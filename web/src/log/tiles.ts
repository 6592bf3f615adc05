// The log's tree, read from its tiles (c2sp.org/tlog-tiles): each holds 256 hashes that lie side by side on every eighth
// level of the tree. What is made of them here is not to be believed but to be checked: a proof leads to a root or not.

import { hex } from '../text/hex.ts';
import { merkleRoot, split } from './tree.ts';

/** Reads a tile by its path below /log/. */
export type ReadTile = (path: string) => Promise<Uint8Array>;

/** The server has no such tile, though a checkpoint says that it has. */
export class NoTile extends Error {
  override readonly name = 'NoTile';
}

const width = 256;
const hashSize = 32;

/** Where a tile lies: level, number, and how many hashes of it there are. */
export function tilePath(level: number, number: number, hashes: number): string {
  const groups = [];
  for (let n = number; groups.length === 0 || n > 0; n = Math.floor(n / 1000))
    groups.unshift(`${groups.length > 0 ? 'x' : ''}${String(n % 1000).padStart(3, '0')}`);
  return `tile/${level}/${groups.join('/')}${hashes < width ? `.p/${hashes}` : ''}`;
}

/** The tree over the first `size` entries of the log. Each tile is read once. */
export class Tiles {
  readonly size: number;
  readonly #read: ReadTile;
  readonly #tiles = new Map<string, Promise<Uint8Array>>();

  constructor(size: number, read: ReadTile) {
    this.size = size;
    this.#read = read;
  }

  /** The inclusion proof of an entry: PATH of RFC 6962, 2.1.1, in hex. */
  async inclusion(index: number): Promise<string[]> {
    const proof: Promise<Uint8Array>[] = [];
    for (let [from, to] = [0, this.size]; to - from > 1;) {
      const middle = from + split(to - from);
      if (index < middle) [proof[proof.length], to] = [this.#range(middle, to), middle];
      else [proof[proof.length], from] = [this.#range(from, middle), middle];
    }
    return (await Promise.all(proof)).reverse().map(hex);
  }

  /** The proof that the tree of the first `old` entries is a part of this one, as `consistency` of the verifier reads it. */
  async consistency(old: number): Promise<string[]> {
    const proof: Promise<Uint8Array>[] = [];
    let [from, to] = [0, this.size];
    while (old < to) {
      const middle = from + split(to - from);
      if (old <= middle) [proof[proof.length], to] = [this.#range(middle, to), middle];
      else [proof[proof.length], from] = [this.#range(from, middle), middle];
    }
    proof.push(this.#range(from, to));
    return (await Promise.all(proof)).reverse().map(hex);
  }

  /** The root of the subtree over entries from…to; a subtree of the tree, so that it begins where such a one may begin. */
  async #range(from: number, to: number): Promise<Uint8Array> {
    const level = Math.log2(to - from);
    if (Number.isInteger(level)) return this.#node(level, from / (to - from));
    const middle = from + split(to - from);
    return merkleRoot(await Promise.all([this.#range(from, middle), this.#range(middle, to)]));
  }

  /** The hash of a whole subtree of 2^level entries, `index` subtrees of that size from the left. */
  async #node(level: number, index: number): Promise<Uint8Array> {
    const tileLevel = Math.floor(level / 8);
    const count = 2 ** (level % 8);
    const number = Math.floor((index * count) / width);
    const tile = await this.#tile(tileLevel, number);
    const first = index * count - number * width;
    return merkleRoot(
      Array.from({ length: count }, (_, i) =>
        tile.subarray((first + i) * hashSize, (first + i + 1) * hashSize),
      ),
    );
  }

  #tile(level: number, number: number): Promise<Uint8Array> {
    const hashes = Math.min(width, Math.floor(this.size / width ** level) - number * width);
    const path = tilePath(level, number, hashes);
    const tile =
      this.#tiles.get(path) ??
      this.#read(path).then((bytes) => {
        if (bytes.length !== hashes * hashSize) throw new NoTile(`${path} has ${bytes.length} bytes`);
        return bytes;
      });
    this.#tiles.set(path, tile);
    return tile;
  }
}
