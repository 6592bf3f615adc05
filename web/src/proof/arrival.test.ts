import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Receipt } from '../api/receipts.ts';
import type { Run, Throw } from '../api/shapes.ts';
import { unsigned } from './arrival.ts';

const folder = path.resolve(import.meta.dirname, '../../../vectors');
const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
const { vectors } = read('receipts.json') as {
  vectors: { about: string; key: string; receipts: string[] }[];
};
const honest = vectors.find(({ about }) => about === 'every receipt of a claimed run');
if (!honest) throw new Error('no vector');
const { key } = honest;
const receipts = honest.receipts.map((line) => JSON.parse(line) as Receipt);
const [start, first] = receipts;
const decision = receipts.find(({ raw }) => raw.includes('"kind":"decision"'));
if (!start || !first || !decision) throw new Error('no receipt');

const proof = read('run/claimed.json') as {
  run_id: string;
  transcript: { raw: string };
  start: { raw: string };
  texts: { client_seed: string; entropy: string[] };
};
const throws = (JSON.parse(proof.transcript.raw) as Throw[]).map((one, i) => ({
  ...one,
  entropy: proof.texts.entropy[i] ?? '',
}));
const { commitment } = (JSON.parse(proof.start.raw) as { data: { commitment: string } }).data;
const run = (n: number) =>
  ({
    id: proof.run_id,
    commitment,
    client_seed: proof.texts.client_seed,
    throws: throws.slice(0, n),
  }) as Run;
const decided = JSON.parse(decision.raw) as { decision: string; throws: number };

const started = { posted: '/api/runs', body: { run: run(1), receipts: [start, first] } };
const thrown = { posted: '/api/runs/{run_id}/throw', body: { run: run(1), receipts: [first] } };
const ended = {
  posted: `/api/runs/{run_id}/${decided.decision}`,
  body: { run: run(decided.throws), receipts: [decision] },
};

test.each([
  ['a start', started],
  ['a throw', thrown],
  ['a decision', ended],
  ['an answer without a game', { posted: '/api/duels', body: {} }],
])('%s with its receipts', async (_, answer) => {
  expect(await unsigned(answer, key)).toEqual([]);
});

const forged = { ...first, signature: start.signature };
test.each<[string, { posted: string; body: object }, number]>([
  ['a receipt under another signature', { ...thrown, body: { run: run(1), receipts: [forged] } }, 2],
  ['a receipt of a later throw', { ...thrown, body: { run: run(2), receipts: [first] } }, 1],
  ['a throw without a receipt', { ...thrown, body: { run: run(1), receipts: [] } }, 1],
  ['a throw without receipts', { ...thrown, body: { run: run(1) } }, 1],
  [
    'a start that lacks the receipt of its throw',
    { ...started, body: { run: run(1), receipts: [start] } },
    1,
  ],
  ['another commitment', { ...started, body: { ...started.body, run: { ...run(1), commitment: '0' } } }, 1],
  ['another client seed', { ...started, body: { ...started.body, run: { ...run(1), client_seed: 'x' } } }, 1],
  [
    'another hand of the house',
    { ...thrown, body: { ...thrown.body, run: { ...run(1), throws: [{ ...throws[0], house: 'none' }] } } },
    1,
  ],
  ['a decision after another throw', { ...ended, body: { run: run(1), receipts: [decision] } }, 1],
  ['receipts that are no list', { ...thrown, body: { run: run(1), receipts: 'text' } }, 2],
  ['an answer without a run', { ...thrown, body: { receipts: [first] } }, 1],
  ['a receipt that is no text', { posted: '', body: { receipts: [{ raw: 1 }] } }, 1],
])('%s is found', async (_, answer, n) => {
  expect(await unsigned(answer, key)).toHaveLength(n);
});

test('without a valid key nothing is signed', async () => {
  expect(await unsigned(thrown, 'house+00000000+AAAA')).toHaveLength(2);
});

const items = new Map<string, string>();
let full = false;
beforeEach(() => {
  items.clear();
  full = false;
  globalThis.localStorage = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (full) throw new Error('quota exceeded');
      items.set(name, value);
    },
    removeItem: (name: string) => void items.delete(name),
  } as Storage;
  vi.stubGlobal('addEventListener', () => undefined);
  vi.resetModules();
});

test('the alarm has the receipts that are not signed, also of answers that came before the key', async () => {
  const [{ trust }, { keepReceipts }] = await Promise.all([
    import('../stores/trust.svelte.ts'),
    import('../api/receipts.ts'),
  ]);
  trust.start();
  const fetched = vi.fn(() => Promise.reject(new Error('offline')));
  vi.stubGlobal('fetch', fetched);
  keepReceipts({ run: run(1), receipts: [forged] } as object, thrown.posted);
  keepReceipts(thrown.body, thrown.posted);
  await vi.waitFor(() => {
    expect(fetched).toHaveBeenCalled();
  }, 30_000);
  expect(trust.alarm).toBe(null);
  trust.observe({ verifier_key: key, checkpoint: '', witnesses: { keys: [], quorum: 0 } });
  await vi.waitFor(() => {
    expect(trust.alarm?.fault).toBe('receipt');
  }, 30_000);
  expect(trust.alarm?.shown.note.split('\n')[0]).toBe(JSON.stringify(forged));
  // It survives a reload, and the user discards it without forgetting the key.
  expect(items.get('roshambo/alarm')).toContain('"fault":"receipt"');
  trust.accept();
  expect([trust.alarm, trust.pin?.key]).toEqual([null, key]);
  expect(trust.policy).toEqual({ keys: [], quorum: 0 });
});

test('what is not signed is reported again until its evidence is stored', async () => {
  const [{ trust }, { keepReceipts }] = await Promise.all([
    import('../stores/trust.svelte.ts'),
    import('../api/receipts.ts'),
  ]);
  const head = { verifier_key: key, checkpoint: '', witnesses: { keys: [], quorum: 0 } };
  trust.start();
  trust.observe(head);
  full = true;
  keepReceipts({ run: run(1), receipts: [forged] } as object, thrown.posted);
  await vi.waitFor(() => {
    expect(trust.alarm).not.toBe(null);
  }, 30_000);
  expect(items.get('roshambo/alarm')).toBe(undefined);
  full = false;
  trust.observe(head);
  await vi.waitFor(() => {
    expect([...items.values()].join('\n')).toContain('"fault":"receipt"');
  }, 30_000);
});
