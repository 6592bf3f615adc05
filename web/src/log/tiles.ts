// The log's tree, read from its tiles (c2sp.org/tlog-tiles): each tile holds 256 adjacent hashes of every eighth level.
// Tiles are untrusted. The verifier checks each proof built from them against a signed root.

import { hex } from '../text/hex.ts';
import { merkleRoot, split } from './tree.ts';

/** Reads a tile by its path below /log/. */
export type ReadTile = (path: string) => Promise<Uint8Array>;

/** A tile of the signed tree is missing or has the wrong size. */
export class MissingTile extends Error {
  override readonly name = 'MissingTile';
}

const width = 256;
const hashSize = 32;

/** Returns the path of a tile: level, number, and count of its hashes. */
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

  /** Returns the inclusion proof of an entry: PATH of RFC 6962, 2.1.1, in hex. */
  async inclusion(index: number): Promise<string[]> {
    const proof: Promise<Uint8Array>[] = [];
    for (let [from, to] = [0, this.size]; to - from > 1;) {
      const middle = from + split(to - from);
      if (index < middle) [proof[proof.length], to] = [this.#range(middle, to), middle];
      else [proof[proof.length], from] = [this.#range(from, middle), middle];
    }
    return (await Promise.all(proof)).reverse().map(hex);
  }

  /**
   * Returns the consistency proof from the first `old` entries, in the form that the verifier's `consistency` reads.
   */
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

  /** Returns the root over entries from…to, which must be a subtree of the tree. */
  async #range(from: number, to: number): Promise<Uint8Array> {
    const level = Math.log2(to - from);
    if (Number.isInteger(level)) return this.#node(level, from / (to - from));
    const middle = from + split(to - from);
    return merkleRoot(await Promise.all([this.#range(from, middle), this.#range(middle, to)]));
  }

  /** Returns the hash of a complete subtree of 2^level entries; `index` counts subtrees of that size from the left. */
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
        if (bytes.length !== hashes * hashSize) throw new MissingTile(`${path} has ${bytes.length} bytes`);
        return bytes;
      });
    this.#tiles.set(path, tile);
    return tile;
  }
}
