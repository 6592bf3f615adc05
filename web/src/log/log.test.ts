import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { consistency, included, leafHash, nodeHash } from '../../../verify/ts/verify.ts';
import { hex, unhex } from '../text/hex.ts';
import { compare, type SignedCheckpoint } from './compare.ts';
import { confront } from './confront.ts';
import { MissingTile, tilePath, Tiles, type ReadTile } from './tiles.ts';
import { merkleRoot } from './tree.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

// The test tree of Certificate Transparency (RFC 6962): eight leaves of growing length, and the root after each.
const leaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((digits) => leafHash(unhex(digits)));
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

test.each(roots.map((root, i) => [i + 1, root] as const))('the Merkle root of %i leaves', (n, root) => {
  expect(hex(merkleRoot(leaves.slice(0, n)))).toBe(root);
});

test('the empty tree is the hash of nothing', () => {
  expect(hex(merkleRoot([]))).toBe(createHash('sha256').digest('hex'));
});

test.each([
  [0, 0, 256, 'tile/0/000'],
  [1, 5, 7, 'tile/1/005.p/7'],
  [0, 1234067, 256, 'tile/0/x001/x234/067'],
  [2, 1000, 255, 'tile/2/x001/000.p/255'],
])('the path of level %i, tile %i, %i hashes', (level, number, hashes, path) => {
  expect(tilePath(level, number, hashes)).toBe(path);
});

// The reference log hashes with Node, so it is independent of the code under test, and faster.
const sha256 = (...parts: Uint8Array[]) =>
  new Uint8Array(createHash('sha256').update(Buffer.concat(parts)).digest());
const rootOver = (hashes: Uint8Array[]): Uint8Array => {
  const [first] = hashes;
  if (!first) return sha256();
  if (hashes.length === 1) return first;
  const split = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
  return sha256(Uint8Array.of(1), rootOver(hashes.slice(0, split)), rootOver(hashes.slice(split)));
};

/** A reference log: entries with a seed as prefix, their tiles and checkpoints. */
class Log {
  readonly entries: Uint8Array[];
  readonly #levels: Uint8Array[][];
  constructor(size: number, seed = '', base: Log | null = null, keep = 0) {
    this.entries = Array.from({ length: size }, (_, i) =>
      i < keep && base ? (base.entries[i] ?? utf8('')) : utf8(`${seed}${i}`),
    );
    this.#levels = [this.entries.map((entry) => sha256(Uint8Array.of(0), entry))];
    for (let below = this.#levels[0] ?? []; below.length >= 256;) {
      const level = [];
      for (let i = 0; i + 256 <= below.length; i += 256) level.push(rootOver(below.slice(i, i + 256)));
      this.#levels.push(level);
      below = level;
    }
  }
  root(size: number): string {
    return hex(rootOver((this.#levels[0] ?? []).slice(0, size)));
  }
  readonly read: ReadTile = (path) => {
    const [, level = '', name = '', partial] = /^tile\/(\d)\/([x\d/]+)(?:\.p\/(\d+))?$/.exec(path) ?? [];
    const number = Number(name.replace(/[x/]/g, ''));
    const count = Number(partial ?? 256);
    const row = this.#levels[Number(level)] ?? [];
    if (number * 256 + count > row.length) return Promise.reject(new MissingTile(path));
    return Promise.resolve(
      Uint8Array.from(row.slice(number * 256, number * 256 + count).flatMap((h) => [...h])),
    );
  };
  checkpoint(size: number, by = key): SignedCheckpoint {
    const body = `${by.name}\n${size}\n${Buffer.from(this.root(size), 'hex').toString('base64')}\n`;
    const signature = Buffer.concat([by.id, sign(null, Buffer.from(body), by.secret)]).toString('base64');
    return { key: by.text, note: `${body}\n— ${by.name} ${signature}\n` };
  }
}

function makeKey(name: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = Buffer.concat([
    Buffer.of(1),
    publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
  ]);
  const id = createHash('sha256').update(`${name}\n`).update(bytes).digest().subarray(0, 4);
  return { name, id, secret: privateKey, text: `${name}+${id.toString('hex')}+${bytes.toString('base64')}` };
}
const key = makeKey('test.example/log');

test('proofs from tiles are valid for their entry and root only', async () => {
  const log = new Log(20);
  for (let size = 1; size <= 20; size++) {
    const tree = new Tiles(size, log.read);
    for (let i = 0; i < size; i++) {
      const proof = await tree.inclusion(i);
      const entry = log.entries[i] ?? utf8('');
      expect(included(entry, i, size, proof, log.root(size)), `${i} of ${size}`).toBe(true);
      expect(included(entry, (i + 1) % size, size, proof, log.root(size))).toBe(size === 1);
      expect(included(utf8('other'), i, size, proof, log.root(size))).toBe(false);
      if (i > 0)
        expect(consistency(i, size, await tree.consistency(i)), `${i} to ${size}`).toEqual([
          log.root(i),
          log.root(size),
        ]);
    }
  }
});

test('tampered proofs fail', async () => {
  const log = new Log(21);
  const [root, tree] = [log.root(21), new Tiles(21, log.read)];
  const [way, growth] = [await tree.inclusion(13), await tree.consistency(13)];
  const turned = (proof: string[], i: number) =>
    proof.map((hash, n) => (n === i ? hex(nodeHash(unhex(hash), unhex(hash))) : hash));
  const entry = log.entries[13] ?? utf8('');
  for (let i = 0; i < way.length; i++)
    expect(included(entry, 13, 21, turned(way, i), root), `hash ${i} changed`).toBe(false);
  for (const proof of [way.slice(1), way.slice(0, -1), [...way, root], [], [...way].reverse()])
    expect(included(entry, 13, 21, proof, root)).toBe(false);
  expect(included(entry, 21, 21, way, root)).toBe(false);
  expect(included(entry, -1, 21, way, root)).toBe(false);
  const good = [log.root(13), root];
  expect(consistency(13, 21, growth)).toEqual(good);
  for (let i = 0; i < growth.length; i++)
    expect(consistency(13, 21, turned(growth, i))?.[1], `hash ${i} changed`).not.toBe(root);
  for (const proof of [growth.slice(1), growth.slice(0, -1), [...growth, root], []])
    expect(consistency(13, 21, proof)).not.toEqual(good);
  expect(consistency(0, 21, growth)).toBeNull();
  expect(consistency(21, 21, growth)).toBeNull();
});

test('a log of three levels of tiles', async () => {
  const size = 256 * 257 + 3;
  const log = new Log(size);
  const tree = new Tiles(size, log.read);
  const root = log.root(size);
  for (const i of [255, 65_535, size - 1])
    expect(included(log.entries[i] ?? utf8(''), i, size, await tree.inclusion(i), root), `${i}`).toBe(true);
  for (const old of [257, 65_536])
    expect(consistency(old, size, await tree.consistency(old)), `${old}`).toEqual([log.root(old), root]);
});

describe('compare', () => {
  const log = new Log(300);
  const forked = new Log(300, 'other ', log, 150);
  const kept = log.checkpoint(200);
  const other = makeKey('test.example/log');

  test.each([
    ['first visit', null, log.checkpoint(7), 'first'],
    ['same checkpoint', kept, log.checkpoint(200), 'same'],
    ['one more block', kept, log.checkpoint(201), 'grown'],
    ['many more blocks', kept, log.checkpoint(300), 'grown'],
    ['extension of a single block', log.checkpoint(1), log.checkpoint(300), 'grown'],
    ['extension of an empty log', log.checkpoint(0), log.checkpoint(300), 'grown'],
    ['delayed response', kept, log.checkpoint(199), 'older'],
  ] as const)('%s', async (_, before, now, is) => {
    expect((await compare(before, now, log.read)).is).toBe(is);
  });

  test.each([
    ['another history of the same length', kept, forked.checkpoint(200), 'root'],
    ['another history, grown', kept, forked.checkpoint(260), 'history'],
    ['another history after a complete tree', log.checkpoint(256), forked.checkpoint(300), 'history'],
    ['another history, shorter', kept, forked.checkpoint(160), 'shorter'],
    ['signed by another key', kept, log.checkpoint(201, other), 'key'],
    [
      'signature of another key than the named one',
      kept,
      { ...log.checkpoint(201, other), key: key.text },
      'signature',
    ],
    ['not signed', kept, { key: key.text, note: 'test.example/log\n201\nAAAA\n' }, 'signature'],
    [
      'size differs from the signed one',
      kept,
      { key: key.text, note: log.checkpoint(201).note.replace('201', '202') },
      'signature',
    ],
    ['empty note', kept, { key: key.text, note: '' }, 'signature'],
  ] as const)('%s is a fault', async (_, before, now, is) => {
    expect((await compare(before, now, forked.read)).is).toBe(is);
  });

  test('a fork is detected only from the first different block on', async () => {
    expect((await compare(log.checkpoint(150), forked.checkpoint(300), forked.read)).is).toBe('grown');
    expect((await compare(log.checkpoint(151), forked.checkpoint(300), forked.read)).is).toBe('history');
  });

  test('removed blocks are a fault: the tiles of the signed tree are missing', async () => {
    const short = new Log(120);
    expect((await compare(kept, short.checkpoint(120), short.read)).is).toBe('shorter');
  });

  test('tiles of another log are unproved unless a cache caused them', async () => {
    const now = log.checkpoint(260);
    expect((await compare(kept, now, forked.read)).is).toBe('unproved');
    expect((await compare(kept, now, forked.read, log.read)).is).toBe('grown');
    expect((await compare(kept, forked.checkpoint(260), log.read, forked.read)).is).toBe('history');
  });

  test('truncated tiles are unproved', async () => {
    const cut: ReadTile = async (path) => (await log.read(path)).slice(0, -1);
    expect((await compare(kept, log.checkpoint(260), cut)).is).toBe('unproved');
  });

  test.each([
    ['truncated', kept.note.slice(0, -20)],
    ['overwritten', kept.note.replace('200', '20')],
    ['empty', ''],
  ])('a stored checkpoint that is %s is reported as damaged', async (_, note) => {
    const verdict = await compare({ key: key.text, note }, log.checkpoint(260), log.read);
    expect(verdict.is).toBe('damaged');
    expect(verdict.tree?.size).toBe(260);
  });

  test('a network error is not a fault of the log', async () => {
    const offline: ReadTile = () => Promise.reject(new Error('offline'));
    await expect(compare(kept, log.checkpoint(260), offline)).rejects.toThrow('offline');
  });
});

describe('a checkpoint that the user has kept', () => {
  const log = new Log(20);
  const fork = new Log(20, 'fork', log, 5);
  const against = async (kept: SignedCheckpoint, from: Log, ...heads: SignedCheckpoint[]) => {
    const left = [...heads];
    const { is } = await confront(
      kept,
      (old, now) => compare(old, now, from.read),
      () => Promise.resolve(left.shift() ?? expect.unreachable('one request too many')),
    );
    return { is, unread: left.length };
  };

  test('a grown chain contains it', async () => {
    expect(await against(log.checkpoint(9), log, log.checkpoint(20))).toEqual({ is: 'grown', unread: 0 });
  });
  test('another root and another history contradict it', async () => {
    expect((await against(log.checkpoint(20), fork, fork.checkpoint(20))).is).toBe('root');
    expect((await against(log.checkpoint(9), fork, fork.checkpoint(20))).is).toBe('history');
  });
  test('a second answer decides about a shorter chain', async () => {
    const short = new Log(9);
    const twice = await against(log.checkpoint(20), short, short.checkpoint(9), short.checkpoint(9));
    expect(twice).toEqual({ is: 'shorter', unread: 0 });
    const delayed = await against(log.checkpoint(20), short, short.checkpoint(9), log.checkpoint(20));
    expect(delayed).toEqual({ is: 'same', unread: 0 });
  });
  test('a forged one, or one of another key, convicts no service', async () => {
    const forged = { ...log.checkpoint(9), note: log.checkpoint(9).note.replace('\n9\n', '\n8\n') };
    expect((await against(forged, log, log.checkpoint(20))).is).toBe('damaged');
    const other = log.checkpoint(9, makeKey('test.example/log'));
    expect((await against(other, log, log.checkpoint(20))).is).toBe('key');
  });
});
