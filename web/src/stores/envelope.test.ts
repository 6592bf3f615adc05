// The alarm about a replaced commitment: raised by what the signed chain shows, whatever the service says, and stored
// for each account until its evidence is discarded.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { blockHash, leafHash, txHash } from '../../../verify/ts/verify.ts';
import { ApiError, Unreachable } from '../api/client.ts';
import { merkleRoot } from '../log/tree.ts';
import { hex, unhex } from '../text/hex.ts';

const get = vi.hoisted(() => vi.fn());
const live = vi.hoisted(() => ({ recovering: false }));
vi.mock('../api/client.ts', async (original) => ({ ...(await original<object>()), get }));
vi.mock('./live.svelte.ts', () => ({ live }));

interface Tx {
  hash: string;
  raw: string;
  kind: string;
  height: number | null;
}

interface Block {
  height: number;
  raw: string;
  hash: string;
  transactions: Tx[];
}

interface Request {
  path?: Record<string, unknown>;
}

/** Returns what a transaction states. */
const read = (raw: string) => JSON.parse(raw) as { kind: string; data: Record<string, unknown> };

/** A service with the chain of a vector, which tests make lie. */
class House {
  readonly key: string;
  readonly checkpoint: string = '';
  readonly blocks: Block[] = [];
  readonly txs = new Map<string, Tx>();
  /** What GET /api/me answers. */
  me: Me | null = null;

  constructor(file: string) {
    const text = readFileSync(path.resolve(import.meta.dirname, '../../../vectors/chain', file), 'utf8');
    const [first = '', ...lines] = text.trim().split('\n');
    this.key = (JSON.parse(first) as { verifier_key: string }).verifier_key;
    let left = 0;
    for (const raw of lines) {
      const line = JSON.parse(raw) as Record<string, unknown>;
      const block = this.blocks.at(-1);
      if (left > 0 && block) {
        this.add(block, raw);
        left--;
      } else if ('merkle_root' in line) {
        this.blocks.push({ height: this.blocks.length, raw, hash: blockHash(raw), transactions: [] });
        left = line.tx_count as number;
      } else if (typeof line.checkpoint === 'string') this.checkpoint = line.checkpoint;
    }
  }

  /** Adds a transaction to the answers about a block. */
  add(block: Block, raw: string): Tx {
    const tx = { hash: txHash(raw), raw, kind: read(raw).kind, height: block.height };
    block.transactions.push(tx);
    this.txs.set(tx.hash, tx);
    return tx;
  }

  /** Returns the transaction that has published a commitment. */
  publisher(commitment: string): Tx {
    for (const tx of this.txs.values()) {
      const { kind, data } = read(tx.raw);
      const published = kind === 'account.create' ? data.commitment : data.next_commitment;
      if (published === commitment) return tx;
    }
    throw new Error(`no publisher of ${commitment}`);
  }

  readonly get = (at: string, { path: of = {} }: Request = {}): Promise<unknown> => {
    const missing = () => Promise.reject(new ApiError(new Response(null, { status: 404 }), {}));
    switch (at) {
      case '/api/me':
        return this.me ? Promise.resolve({ ...this.me }) : missing();
      case '/api/chain/tx/{tx_hash}': {
        const transaction = this.txs.get(of.tx_hash as string);
        return transaction ? Promise.resolve({ transaction }) : missing();
      }
      case '/api/chain/blocks/{height}': {
        const block = this.blocks[of.height as number];
        return block ? Promise.resolve({ block }) : missing();
      }
      case '/api/runs/{run_id}': {
        const starts = [...this.txs.values()].map(({ raw }) => read(raw));
        const start = starts.find(({ kind, data }) => kind === 'run.start' && data.run_id === of.run_id);
        if (!start) return missing();
        const { hash } = this.publisher(start.data.commitment as string);
        return Promise.resolve({ run: { commit_tx: hash } });
      }
      default: {
        const { key: verifier_key, checkpoint } = this;
        return Promise.resolve({ head: { verifier_key, checkpoint, witnesses: { keys: [], quorum: 0 } } });
      }
    }
  };

  /** The tile of the log, which has less than 256 blocks. */
  readonly fetch = (url: string): Promise<Response> => {
    const leaves = this.blocks.map(({ raw }) => leafHash(new TextEncoder().encode(raw)));
    const found = url.endsWith(`/log/tile/0/000.p/${String(leaves.length)}`);
    const tile = new Uint8Array(Buffer.concat(leaves));
    return Promise.resolve(found ? new Response(tile) : new Response(null, { status: 404 }));
  };
}

const [ann, bob] = [
  'rps1jvstrmk6veavywz8nge4s9j5gh9g47ckr6hqec',
  'rps19nc4wm8xth8c75ep8v7qfxsdkxhlhy03y2audj',
];
/** The commitments of ann's first runs and of the next one, and of bob's, in honest.jsonl. */
const anns = [
  '081f0f4729cd6b16505e62db23fdcc388490235ffaa0c8c248a08c7f520c6b5d',
  '9ca9bb02ff2876f26b9ce70317633f87b9e32f41374c1759a6f96c6845ce6ba2',
  'c0dc29a10085ed0718da58df12540ec35f76a1eb67a1190f9131ad25cf2b6116',
] as const;
const bobs = [
  'ebc33a7a849afd45cef55b9c01c92aeb4e05ec331a84e293f16eee6df91ee7c5',
  '535e817e6c968476855301a142b21de346660d975f84c4de6c31313c1f3c58b3',
] as const;
/** A commitment that the house has shown, and that is in no block. */
const hidden = 'f'.repeat(64);

const store = new Map<string, string>();
let house: House;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  store.clear();
  live.recovering = false;
  house = new House('honest.jsonl');
  get.mockReset().mockImplementation(house.get);
  vi.stubGlobal('self', { origin: 'https://house.example' });
  vi.stubGlobal('fetch', house.fetch);
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => store.set(key, value),
    removeItem: (key: string) => store.delete(key),
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Returns the envelope of a page that has just loaded. */
async function load() {
  vi.resetModules();
  return (await import('./envelope.svelte.ts')).envelope;
}

/** Returns the alarms of the page that was loaded last. */
const alarms = async () => (await import('./trust.svelte.ts')).trust;

type Envelope = Awaited<ReturnType<typeof load>>;
type Me = Parameters<Envelope['observe']>[0];

/** What GET /api/me states about the next commitment from now on. */
function me(address: string, commitment: string, tx_hash?: string): Me {
  const hash = tx_hash ?? (commitment === hidden ? 'none' : house.publisher(commitment).hash);
  house.me = { account: { address }, next_commitment: { commitment, tx_hash: hash, height: 1 } } as Me;
  return house.me;
}

/** Observes an equal answer each minute, and returns whether the alarm is raised after each. */
async function minutes(n: number, envelope: Envelope, of: Me): Promise<boolean[]> {
  const swapped = [];
  for (let i = 0; i < n; i++) {
    vi.setSystemTime(Date.now() + 61_000);
    await envelope.observe({ ...of });
    swapped.push(envelope.swapped);
  }
  return swapped;
}

const never = (n: number) => Array.from({ length: n }, () => false);
const lines = (note: string | undefined) => note?.split('\n').map((line) => JSON.parse(line) as object);

test.each([
  ['the run before', anns[1]],
  ['an earlier run', anns[0]],
])('a commitment that %s used is no alarm', async (_, commitment) => {
  const envelope = await load();
  await envelope.observe(me(ann, commitment));
  await envelope.observe(me(ann, anns[2]));
  expect(envelope.swapped).toBe(false);
  expect(store.get('roshambo/sealed')).toContain(anns[2]);
});

test('an alarm stays after a reload and belongs to its account', async () => {
  let envelope = await load();
  await envelope.observe(me(ann, hidden));
  expect(envelope.swapped).toBe(false);
  await envelope.observe(me(ann, anns[1]));
  expect(envelope.swapped).toBe(true);
  await envelope.observe(me(bob, bobs[0]));
  expect(envelope.swapped).toBe(false);

  envelope = await load();
  await envelope.observe(me(bob, bobs[0]));
  expect(envelope.swapped).toBe(false);
  await envelope.observe(me(ann, anns[1]));
  expect(envelope.swapped).toBe(true);
  // A later commitment that is accounted for does not end it.
  await envelope.observe(me(ann, anns[2]));
  expect(envelope.swapped).toBe(true);
});

test('a replaced commitment raises the alarm with both, until the player discards it', async () => {
  let envelope = await load();
  await envelope.observe(me(ann, hidden));
  expect((await alarms()).alarm).toBe(null);
  await envelope.observe(me(ann, anns[1]));
  const other = envelope; // another tab
  envelope = await load();
  await envelope.observe(me(ann, anns[1]));
  const trust = await alarms();
  expect(trust.alarm?.fault).toBe('commitment');
  expect(lines(trust.alarm?.shown.note)).toEqual([
    { account: ann, unused: hidden },
    { account: ann, commitment: anns[1], tx_hash: house.publisher(anns[1]).hash },
  ]);
  trust.accept();
  expect([trust.alarm, envelope.swapped]).toEqual([null, false]);
  await other.observe(me(ann, anns[1]));
  expect(other.swapped).toBe(false);
  envelope = await load();
  await envelope.observe(me(ann, anns[1]));
  expect([(await alarms()).alarm, envelope.swapped]).toEqual([null, false]);
});

test('a second account whose commitment is replaced joins the alarm', async () => {
  const envelope = await load();
  const trust = await alarms();
  for (const name of [ann, bob]) await envelope.observe(me(name, hidden));
  await envelope.observe(me(ann, anns[1]));
  await envelope.observe(me(bob, bobs[1]));
  expect(lines(trust.alarm?.shown.note)).toMatchObject([
    { account: ann, unused: hidden },
    { account: ann },
    { account: bob, unused: hidden },
    { account: bob },
  ]);
  trust.accept();
  for (const answer of [me(ann, anns[1]), me(bob, bobs[1])]) await envelope.observe(answer);
  expect(trust.alarm).toBe(null);
});

test('an alarm of another tab is kept', async () => {
  const [one, two] = [await load(), await load()];
  for (const envelope of [one, two]) await envelope.observe(me(ann, hidden));
  await one.observe(me(ann, anns[1]));
  await two.observe(me(ann, anns[2]));
  expect(two.swapped).toBe(true);
});

/** Returns the start that published a commitment of ann, changed. */
const altered = (change: (raw: string) => string): string => change(house.publisher(anns[1]).raw);
const spending = (raw: string): string => raw.replace(anns[0], hidden);

test.each<[string, () => string]>([
  [
    'another kind beside the transaction',
    () => {
      const tx = house.publisher(anns[1]);
      tx.kind = 'commitment.rotate';
      return tx.hash;
    },
  ],
  ['the creation of the account', () => house.publisher(anns[0]).hash],
])('a service that shows %s as the cause raises the alarm at once', async (_, lie) => {
  const envelope = await load();
  await envelope.observe(me(ann, hidden));
  const hash = lie();
  await envelope.observe(me(ann, hash === house.publisher(anns[0]).hash ? anns[0] : anns[1], hash));
  expect(envelope.swapped).toBe(true);
});

test.each<[string, () => string]>([
  [
    'another text under the hash of a transaction',
    () => {
      const tx = house.publisher(anns[1]);
      tx.raw = altered(spending);
      return tx.hash;
    },
  ],
  [
    'a start that stays pending',
    () => {
      const tx = house.add({ height: 0, raw: '', hash: '', transactions: [] }, altered(spending));
      tx.height = null;
      return tx.hash;
    },
  ],
  [
    'a start that is not in the block that it names',
    () => house.add({ height: 2, raw: '', hash: '', transactions: [] }, altered(spending)).hash,
  ],
  ['a start that was added to a block', () => house.add(house.blocks[2] as Block, altered(spending)).hash],
  [
    'a block that is not in the log',
    () => {
      const block = house.blocks[2] as Block;
      const tx = house.add(block, altered(spending));
      const leaves = block.transactions.map(({ hash }) => leafHash(unhex(hash)));
      const changed = { merkle_root: hex(merkleRoot(leaves)), tx_count: leaves.length };
      block.raw = JSON.stringify({ ...(JSON.parse(block.raw) as object), ...changed });
      return tx.hash;
    },
  ],
  [
    'the start of another player',
    () =>
      house.add(
        house.blocks[2] as Block,
        altered((raw) => spending(raw).replaceAll(ann, bob)),
      ).hash,
  ],
  ['no transaction at all', () => 'unknown'],
])('a service that shows %s raises the alarm after some tries, each a minute later', async (_, lie) => {
  let envelope = await load();
  await envelope.observe(me(ann, hidden));
  const answer = me(ann, anns[1], lie());
  expect(await minutes(4, envelope, answer)).toEqual(never(4));
  envelope = await load(); // tries are counted over a reload
  expect(await minutes(4, envelope, answer)).toEqual([...never(3), true]);
  expect((await alarms()).alarm?.fault).toBe('commitment');
});

test('a service that hides the cause alone, or answers nonsense about it, raises the alarm', async () => {
  for (const answer of [Promise.reject(new Unreachable('no answer')), Promise.resolve({})]) {
    answer.catch(() => undefined);
    store.clear();
    const envelope = await load();
    await envelope.observe(me(ann, hidden));
    get.mockImplementation((at: string, request: Request) =>
      at === '/api/chain/tx/{tx_hash}' ? answer : house.get(at, request),
    );
    expect(await minutes(8, envelope, me(ann, anns[1]))).toEqual([...never(7), true]);
  }
});

test('many looks within a minute are one try', async () => {
  const envelope = await load();
  await envelope.observe(me(ann, hidden));
  for (let i = 0; i < 30; i++) await envelope.observe(me(ann, anns[1], 'unknown'));
  expect(envelope.swapped).toBe(false);
});

test('a service that is unreachable raises no alarm, however long', async () => {
  const envelope = await load();
  await envelope.observe(me(ann, anns[0]));
  get.mockRejectedValue(new Unreachable('no answer'));
  const last = me(ann, anns[1]);
  for (let i = 0; i < 20; i++) {
    vi.setSystemTime(Date.now() + 61_000);
    await envelope.observe(last);
  }
  expect(envelope.swapped).toBe(false);
  get.mockImplementation(house.get);
  expect(await minutes(1, envelope, me(ann, anns[1]))).toEqual([false]);
  expect(store.get('roshambo/sealed')).toContain(anns[1]);
});

test('a start that is in a block later is no alarm', async () => {
  const envelope = await load();
  await envelope.observe(me(ann, anns[0]));
  const tx = house.publisher(anns[1]);
  const { height } = tx;
  tx.height = null;
  expect(await minutes(3, envelope, me(ann, anns[1]))).toEqual(never(3));
  expect(store.get('roshambo/sealed')).not.toContain(anns[1]);
  tx.height = height;
  await envelope.observe(me(ann, anns[1]));
  expect(store.get('roshambo/sealed')).toContain(anns[1]);
  expect(await minutes(10, envelope, me(ann, anns[2]))).toEqual(never(10));
});

test('a run that began before the commitment was seen has not used it', async () => {
  const envelope = await load();
  const trust = await alarms();
  await trust.check({ verifier_key: house.key, checkpoint: house.checkpoint });
  await envelope.observe(me(bob, bobs[0])); // an answer at the size of the log
  await envelope.observe(me(ann, hidden));
  get.mockImplementation((at: string, request: Request) =>
    at === '/api/runs/{run_id}' ? Promise.reject(new Error('not asked')) : house.get(at, request),
  );
  await envelope.observe(me(ann, anns[2]));
  expect(envelope.swapped).toBe(true);
});

test('a commitment that a recovery replaced is no alarm, though answers were older meanwhile', async () => {
  house = new House('recovered.jsonl');
  get.mockImplementation(house.get);
  vi.stubGlobal('fetch', house.fetch);
  const rotation = [...house.txs.values()].find(({ kind }) => kind === 'commitment.rotate');
  const { actor, data } = JSON.parse(rotation?.raw ?? '') as {
    actor: string;
    data: { commitment: string; next_commitment: string };
  };
  const envelope = await load();
  // The start that published the commitment was lost.
  await envelope.observe(me(actor, hidden));
  live.recovering = true;
  expect(await minutes(20, envelope, me(actor, data.commitment))).toEqual(never(20));
  live.recovering = false;
  await envelope.observe(me(actor, data.next_commitment));
  expect(envelope.swapped).toBe(false);
  expect(store.get('roshambo/sealed')).toContain(data.next_commitment);
});

test('a replaced commitment is reported beside the one that replaced it', async () => {
  let envelope = await load();
  await envelope.observe(me(ann, hidden));
  await envelope.observe(me(ann, anns[1]));
  store.delete('roshambo/alarm'); // the browser could not store it
  envelope = await load();
  await envelope.observe(me(ann, anns[2]));
  expect(lines((await alarms()).alarm?.shown.note)).toMatchObject([
    { unused: hidden },
    { commitment: anns[1], tx_hash: house.publisher(anns[1]).hash },
  ]);
});

test('a second replacement outlasts the discarded evidence of the first one, which names it', async () => {
  let envelope = await load();
  await envelope.observe(me(ann, hidden));
  await envelope.observe(me(ann, anns[1]));
  const first = store.get('roshambo/alarm') ?? '';
  await minutes(8, envelope, me(ann, '0'.repeat(64), 'unknown'));
  store.set('roshambo/alarm', first); // the second one had no room
  envelope = await load();
  const trust = await alarms();
  trust.accept();
  expect(trust.alarm).toBe(null);
  await envelope.observe(me(ann, '0'.repeat(64), 'unknown'));
  expect([envelope.swapped, lines(trust.alarm?.shown.note)?.[0]]).toEqual([
    true,
    { account: ann, unused: anns[1] },
  ]);
});

test('what was discarded during a trace stays discarded', async () => {
  const envelope = await load();
  const trust = await alarms();
  await envelope.observe(me(ann, hidden));
  await envelope.observe(me(ann, anns[1]));
  let answer: () => void = () => undefined;
  const held = new Promise<void>((done) => (answer = done));
  get.mockImplementation((at: string, request: Request) => held.then(() => house.get(at, request)));
  const observed = envelope.observe(me(ann, anns[2]));
  trust.accept();
  answer();
  await observed;
  expect([envelope.swapped, trust.alarm]).toEqual([false, null]);
  expect(store.get('roshambo/sealed')).toContain(anns[2]);
});

test('an answer from before a run of another tab replaces nothing', async () => {
  const envelope = await load();
  await envelope.observe(me(ann, anns[1]));
  const late = me(ann, anns[0]);
  me(ann, anns[1]);
  await envelope.observe(late);
  expect([envelope.swapped, store.get('roshambo/sealed')?.includes(anns[1])]).toEqual([false, true]);
});

test('a service that takes its answer back each time raises the alarm after some tries', async () => {
  const envelope = await load();
  await envelope.observe(me(ann, hidden));
  const answer = me(ann, anns[0]);
  me(ann, hidden);
  expect(await minutes(8, envelope, answer)).toEqual([...never(7), true]);
});

test('a service that refuses to repeat its answer raises the alarm after some tries', async () => {
  const envelope = await load();
  await envelope.observe(me(ann, hidden));
  const answer = me(ann, anns[0]); // of the creation of the account
  house.me = null;
  expect(await minutes(8, envelope, answer)).toEqual([...never(7), true]);
});

test('an explanation that is missing is asked for again, until it comes', async () => {
  const envelope = await load();
  await envelope.observe(me(ann, anns[0]));
  const tx = house.publisher(anns[1]);
  const { height } = tx;
  tx.height = null;
  await envelope.observe(me(ann, anns[1]));
  await vi.advanceTimersByTimeAsync(5000);
  expect(store.get('roshambo/sealed')).not.toContain(anns[1]);
  tx.height = height;
  await vi.advanceTimersByTimeAsync(5000);
  await vi.waitFor(() => expect(store.get('roshambo/sealed')).toContain(anns[1]), { timeout: 30_000 });
  expect(vi.getTimerCount()).toBe(0);
});

describe('the start of a run of this browser', () => {
  const file = path.resolve(import.meta.dirname, '../../../vectors/receipts.json');
  const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as {
    vectors: { key: string; receipts: string[] }[];
  };
  const [{ key, receipts } = { key: '', receipts: [] }] = vectors;
  const start = JSON.parse(receipts[0] ?? '') as { raw: string; signature: string };
  const { account, commitment, next_commitment, run_id } = JSON.parse(start.raw) as Record<string, string>;

  /** Returns whether a page that keeps a receipt of the run needs no trace from its commitment to another one. */
  async function needsNone(receipt: { raw: string; signature: string }, next: string): Promise<boolean> {
    const texts = { commitment, client_seed: null, entropy: [], run: run_id, reported: false };
    store.set('roshambo/texts', JSON.stringify([texts]));
    store.set(`roshambo/receipts/${String(run_id)}`, JSON.stringify([receipt]));
    const envelope = await load();
    (await alarms()).compareKey({ verifier_key: key, checkpoint: '' });
    await envelope.observe(me(account ?? '', commitment ?? '', 'unknown'));
    await envelope.observe(me(account ?? '', next, 'unknown'));
    return store.get('roshambo/sealed')?.includes(next) ?? false;
  }

  test('needs no trace if the house has signed it', async () => {
    expect(await needsNone(start, next_commitment ?? '')).toBe(true);
  });

  test('is traced without that signature', async () => {
    expect(await needsNone({ ...start, signature: 'A'.repeat(86) + '==' }, next_commitment ?? '')).toBe(
      false,
    );
  });

  test('is traced from its next commitment', async () => {
    expect(await needsNone(start, hidden)).toBe(false);
  });
});
