// The check of each throw of a run, and of the answers that continue it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Run, Throw } from '../api/shapes.ts';
import { broken } from './continuity.ts';
import { checkThrow, passes } from './fairness.ts';

const file = path.resolve(import.meta.dirname, '../../../vectors/run/claimed.json');
const proof = JSON.parse(readFileSync(file, 'utf8')) as {
  run_id: string;
  transcript: { raw: string };
  start: { raw: string };
};
const { data } = JSON.parse(proof.start.raw) as { data: { commitment: string; client_seed_hash: string } };
const throws = JSON.parse(proof.transcript.raw) as Throw[];
const run = { ...data, id: proof.run_id, throws } as unknown as Run;

/** Returns the numbers of the throws that fail. */
async function failed(of: Run): Promise<number[]> {
  const checks = await Promise.all(of.throws.map((_, i) => checkThrow(of, i + 1)));
  return checks.filter((check) => !passes(check)).map(({ n }) => n);
}

/** Returns the run with another first throw. */
const altered = (change: object | null) =>
  ({ ...run, throws: [change && { ...throws[0], ...change }, ...throws.slice(1)] }) as unknown as Run;

test('every throw of an honest run passes', async () => {
  expect(throws.length).toBeGreaterThan(1);
  expect(await failed(run)).toEqual([]);
});

test.each([
  ['another number', { n: 2 }],
  ['another outcome', { outcome: throws[0]?.outcome === 'win' ? 'loss' : 'win' }],
  ['a hand that is none', { move: 'none' }],
  ['another hand of the house', { house: 'none' }],
  ['other entropy', { entropy_hash: 'a'.repeat(64) }],
])('a throw with %s fails', async (_, change) => {
  expect(await failed(altered(change))).toContain(1);
});

test('a malformed throw fails, and the others are checked', async () => {
  expect(await failed(altered(null))).toEqual([1, 2]); // throw 2 hashes to the seed of throw 1
  const two = { ...run, throws: [...throws.slice(0, -1), null] } as unknown as Run;
  expect(await failed(two)).toEqual([throws.length]);
});

test('without the verifier a throw has not failed', async () => {
  vi.resetModules();
  const { ChunkLoadError } = await import('../chunks.ts');
  vi.doMock('../verification/client.ts', () => ({
    call: () => Promise.reject(new ChunkLoadError('verifier', null)),
  }));
  const fresh = await import('./fairness.ts');
  await expect(fresh.checkThrow(run, 1)).rejects.toThrow('could not be loaded');
  vi.doUnmock('../verification/client.ts');
});

const before = { ...run, throws: throws.slice(0, 1) };
const after = { ...run, throws: throws.slice(0, 2) };
const sent = throws[1]?.move ?? null;

test('an answer continues its run', () => {
  expect(broken(before, after, sent)).toBe(null);
  expect(broken(before, before, null)).toBe(null);
  expect(broken({ ...run, throws: [] }, before, throws[0]?.move ?? null)).toBe(null);
  // Another tab has thrown in between.
  expect(broken({ ...run, throws: [] }, after, sent)).toBe(null);
});

const others = ['rock', 'paper', 'scissors'] as const;
test.each<[string, unknown, number]>([
  ['another run', { ...after, id: 'another' }, 2],
  ['another commitment', { ...after, commitment: '0'.repeat(64) }, 2],
  ['no new throw', before, 2],
  ['fewer throws', { ...after, throws: [] }, 1],
  ['another earlier throw', { ...after, throws: [{ ...throws[0], seed: '0' }, throws[1]] }, 1],
  [
    'another hand than was sent',
    { ...after, throws: [throws[0], { ...throws[1], move: others.find((hand) => hand !== sent) }] },
    2,
  ],
  ['nothing', undefined, 2],
  ['throws that are no list', { ...after, throws: null }, 2],
])('an answer with %s does not', (_, answer, n) => {
  expect(broken(before, answer as Run, sent)).toMatchObject({ n, evidence: { kept: { sent } } });
});
