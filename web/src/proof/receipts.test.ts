import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Receipt } from '../api/receipts.ts';
import type { Duel, DuelRound } from '../api/shapes.ts';

interface Vector {
  about: string;
  proof: string;
  key: string | null;
  receipts: string[];
  verdict: string;
}

const folder = path.resolve(import.meta.dirname, '../../../vectors');
const { vectors } = JSON.parse(readFileSync(path.join(folder, 'receipts.json'), 'utf8')) as {
  vectors: Vector[];
};

const items = new Map<string, string>();
/** The modules under test, loaded anew for each test: they keep receipts in memory too. */
let page: Awaited<ReturnType<typeof load>>;
async function load() {
  vi.resetModules();
  return {
    ...(await import('../api/receipts.ts')),
    ...(await import('../duel/signed.ts')),
    ...(await import('./proof.ts')),
  };
}

beforeEach(async () => {
  items.clear();
  globalThis.localStorage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  } as Storage;
  page = await load();
});

const kept = (vector: Vector): Receipt[] => vector.receipts.map((line) => JSON.parse(line) as Receipt);
const about = (text: string): Vector => {
  const found = vectors.find((vector) => vector.about === text);
  if (!found) throw new Error(`no vector: ${text}`);
  return found;
};

describe('receipts that the browser has kept', () => {
  // The browser keeps receipts; a file of a player may have other lines.
  const isReceipt = (line: string): boolean => /^\{"raw":".+","signature":".+"\}$/.test(line);
  const wellFormed = vectors.filter(
    ({ verdict, receipts }) => verdict !== 'NOT VALID' && receipts.every(isReceipt),
  );
  test.each(wellFormed.map((vector) => [vector.about, vector] as const))('%s', async (_, vector) => {
    page.keepReceipts({ receipts: kept(vector) });
    const file = new Uint8Array(readFileSync(path.join(folder, vector.proof))).buffer;
    const { report } = await page.verify(file, { key: vector.key, witnesses: [], quorum: 0 });
    expect(report.verdict).toBe(vector.verdict);
    expect(page.outcomeOf(report) === 'contradicted').toBe(vector.verdict === 'CONTRADICTED');
  });

  test('the statements about all games are one file', () => {
    const [first] = kept(about('two receipts of one start differ in commitment'));
    if (!first) throw new Error('no receipt');
    const other = { ...first, raw: first.raw.replace(/"run_id":"[^"]+"/, '"run_id":"another"') };
    expect(page.allReceiptLines()).toBe('');
    page.keepReceipts({ receipts: [first] });
    page.keepReceipts({ receipts: [other] });
    expect(page.gamesWithReceipts()).toHaveLength(2);
    expect(page.allReceiptLines()).toBe(`${JSON.stringify(first)}\n${JSON.stringify(other)}\n`);
  });

  test('each statement is kept once, and two that differ are both kept', () => {
    const [first, second] = kept(about('two receipts of one start differ in commitment'));
    if (!first || !second) throw new Error('two receipts');
    const later = { ...first, raw: first.raw.replace(/"time":\d+/, '"time":1') };
    page.keepReceipts({ receipts: [first, second, later, first] });
    const { run_id } = JSON.parse(first.raw) as { run_id: string };
    expect(page.receiptsOf(run_id)).toEqual([first, second]);
    expect(page.receiptLines(run_id)?.trimEnd().split('\n')).toHaveLength(2);
    expect(page.receiptLines('another')).toBe(null);
  });

  test('the oldest games are forgotten', () => {
    for (let n = 0; n <= 100; n++) {
      page.keepReceipts({ receipts: [{ raw: `{"run_id":"run-${n}","time":1}`, signature: '' }] });
    }
    expect(page.receiptsOf('run-0')).toEqual([]);
    expect(page.receiptsOf('run-1')).toHaveLength(1);
    expect(page.receiptsOf('run-100')).toHaveLength(1);
  });

  test('answers without receipts change nothing', () => {
    page.keepReceipts({});
    page.keepReceipts({ receipts: 'text' });
    page.keepReceipts({ receipts: [{ raw: 1 }] });
    expect(items.size).toBe(0);
  });

  test('a file that is no proof is about no game', () => {
    expect(page.gameOf(new TextEncoder().encode('null').buffer)).toBe('');
    expect(page.gameOf(new TextEncoder().encode('{').buffer)).toBe('');
  });
});

describe('before a reveal', () => {
  const vector = about('every receipt of a duel, and one of a run');
  const stated = JSON.parse(kept(vector)[0]?.raw ?? '') as { duel_id: string } & Record<string, string>;
  const duel = { id: stated.duel_id } as Duel;
  const round = {
    round: 1,
    commitment_a: stated.commitment_a,
    commitment_b: stated.commitment_b,
  } as unknown as DuelRound;

  test('both commitments of the round must be signed by the pinned key', async () => {
    expect(await page.isSigned(duel, round, vector.key ?? '')).toBe(false);
    page.keepReceipts({ receipts: kept(vector) });
    expect(await page.isSigned(duel, round, vector.key ?? '')).toBe(true);
    expect(await page.isSigned(duel, { ...round, round: 2 }, vector.key ?? '')).toBe(false);
    expect(
      await page.isSigned(duel, { ...round, commitment_b: stated.commitment_a ?? '' }, vector.key ?? ''),
    ).toBe(false);
    expect(await page.isSigned({ id: 'ANOTHER1' } as Duel, round, vector.key ?? '')).toBe(false);
    expect(await page.isSigned(duel, round, undefined)).toBe(false);
    expect(await page.isSigned(duel, round, 'house+00000000+AAAA')).toBe(false);
  });
});
