import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { keepReceipts, type Receipt } from '../api/receipts.ts';
import { allReceiptLines, checkpointOf, collectEvidence, statedTree } from './evidence.ts';

const vectors = path.resolve(import.meta.dirname, '../../../vectors/receipts.json');
const lines = (
  JSON.parse(readFileSync(vectors, 'utf8')) as { vectors: { about: string; receipts: string[] }[] }
).vectors.find(({ about }) => about === 'every receipt of a duel, and one of a run')?.receipts;

const checkpoint = { key: 'house+00000000+AAAA', note: 'house\n7\nroot=\n\n— house AAAA\n', at: 5 };

test('evidence holds the checkpoint and the receipts of every game', () => {
  const receipts = (lines ?? []).map((line) => JSON.parse(line) as Receipt);
  expect(receipts.length).toBeGreaterThan(1);
  keepReceipts({ receipts });
  const evidence = collectEvidence(checkpoint);
  expect(new Set(evidence.receipts)).toEqual(new Set(receipts));
  expect(allReceiptLines().trimEnd().split('\n').sort()).toEqual([...(lines ?? [])].sort());
  expect(checkpointOf(JSON.stringify(evidence))).toEqual(checkpoint);
});

test.each([
  '',
  'null',
  '{}',
  '[]',
  '{"format":"roshambo/evidence/v1","checkpoint":null}',
  '{"checkpoint":{}}',
])('no checkpoint in %j', (text) => {
  expect(checkpointOf(text)).toBe(null);
});

test('a time that no date can hold is dropped', () => {
  const text = JSON.stringify({ format: 'roshambo/evidence/v1', checkpoint: { ...checkpoint, at: 1e300 } });
  expect(checkpointOf(text)?.at).toBe(0);
});

test('size and root of a checkpoint', () => {
  expect(statedTree(checkpoint.note)).toEqual({ size: '7', root: 'root=' });
});
