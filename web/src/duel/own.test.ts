// A duel of this browser's player is compared with what the browser has sealed and the house has signed.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Receipt } from '../api/receipts.ts';
import type { Duel, DuelRound } from '../api/shapes.ts';

interface Vector {
  about: string;
  proof: string;
  key: string | null;
  receipts: string[];
}

const folder = path.resolve(import.meta.dirname, '../../../vectors');
const { vectors } = JSON.parse(readFileSync(path.join(folder, 'receipts.json'), 'utf8')) as {
  vectors: Vector[];
};

const items = new Map<string, string>();
beforeEach(() => {
  items.clear();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
    removeItem: (name: string) => items.delete(name),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Returns the modules of a page that has just loaded. */
async function load() {
  vi.resetModules();
  return {
    ...(await import('../api/receipts.ts')),
    ...(await import('../proof/proof.ts')),
    ...(await import('../stores/trust.svelte.ts')),
    ...(await import('./check.ts')),
    ...(await import('./own.ts')),
    ...(await import('./sent.ts')),
  };
}

/** Returns a page with the receipts of a vector, and the duel of its proof. */
async function played(about: string) {
  const vector = vectors.find((one) => one.about === about);
  if (!vector) throw new Error(`no vector: ${about}`);
  const page = await load();
  const bytes = new Uint8Array(readFileSync(path.join(folder, vector.proof)));
  const { duel: claims } = await page.verify(bytes.buffer, { key: null, witnesses: [], quorum: 0 });
  if (!claims) throw new Error(`no duel: ${vector.proof}`);
  page.keepReceipts({ receipts: vector.receipts.map((line) => JSON.parse(line) as Receipt) });
  if (vector.key) page.trust.compareKey({ verifier_key: vector.key, checkpoint: '' });
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(bytes)));
  const side = (address: string) => ({ address });
  const duel = { you: null, a: side(claims.a), b: side(claims.b), rounds: claims.rounds } as unknown as Duel;
  /** Returns the numbers of the rounds that fail for the player of a. */
  const failed = async (rounds: readonly DuelRound[] = duel.rounds): Promise<number[]> => {
    const shown = { ...duel, rounds: [...rounds] };
    const own = page.ownIn(claims.duel_id, shown, claims.a);
    if (!own) throw new Error('a stranger');
    const { checks } = await page.checkOwn(shown, await page.checkRounds(shown, true), own);
    return page.failedRounds(shown, checks, own.sent).map(({ n }) => n);
  };
  return { page, duel, code: claims.duel_id, failed };
}

const honest = 'every receipt of a duel, and one of a run';

/** Returns the rounds with another commitment of b in the first one, to the same hand. */
async function exchanged({ page, duel }: Awaited<ReturnType<typeof played>>): Promise<DuelRound[]> {
  const [first, ...rest] = duel.rounds;
  if (!first?.move_b) throw new Error('no hand in the first round');
  const commitment_b = await page.commitmentOf(first.move_b, 'another salt');
  return [{ ...first, salt_b: 'another salt', commitment_b }, ...rest];
}

test('a duel that was signed and sealed so passes', async () => {
  const { page, duel, code, failed } = await played(honest);
  for (const [i, { commitment_a }] of duel.rounds.entries())
    if (commitment_a !== null) page.noteSent(code, i + 1, commitment_a);
  expect(await failed()).toEqual([]);
});

test('a commitment that was exchanged after the reveal fails, though it fits its hand', async () => {
  const game = await played(honest);
  expect(await game.failed(await exchanged(game))).toEqual([1]);
});

test('a receipt under another signature shows nothing', async () => {
  const game = await played(honest);
  const key = `roshambo/receipts/${game.code}`;
  const kept = JSON.parse(items.get(key) ?? '[]') as Receipt[];
  items.set(key, JSON.stringify(kept.map((one) => ({ ...one, signature: 'A'.repeat(86) + '==' }))));
  expect(await game.failed(await exchanged(game))).toEqual([]);
});

test('a round without the commitment that was sent fails', async () => {
  const { page, duel, code, failed } = await played(honest);
  page.noteSent(code, 1, '0'.repeat(64));
  expect(await failed()).toEqual([1]);
  page.noteSent(code, 1, duel.rounds[0]?.commitment_a ?? '');
  expect(await failed()).toEqual([]);
  // The house says that it has received no hand.
  const [first, ...rest] = duel.rounds;
  const missed = {
    ...first,
    committed: { a: false, b: true },
    revealed: { a: false, b: false },
    outcome: 'b',
    forfeited_by: 'a',
    commitment_a: null,
    move_a: null,
    salt_a: null,
    move_b: null,
    salt_b: null,
  } as DuelRound;
  expect(await failed([missed, ...rest])).toEqual([1]);
});

test('a resigned round has no commitments', async () => {
  const { page, code, failed, duel } = await played(honest);
  const n = duel.rounds.length + 1;
  page.noteSent(code, n, '0'.repeat(64));
  const none = { a: false, b: false };
  const resigned = {
    ...{ round: n, committed: none, revealed: none, you_revealed: false, deadline: null },
    ...{ commitment_a: null, commitment_b: null, move_a: null, move_b: null, salt_a: null, salt_b: null },
    ...{ outcome: 'b', forfeited_by: 'a' },
  } as DuelRound;
  expect(await failed([...duel.rounds, resigned])).toEqual([]);
});

test.each([
  ['a round without a stake that was lost and played again, another one, and one beyond the end', true],
  ['a lost round of a duel without a stake that goes on', true],
  ['a round without a stake that the house had the time to store', false],
  ["a round in which b's commitment was exchanged after a revealed", false],
])('%s: passes %s', async (about, passes) => {
  const { failed } = await played(about);
  expect((await failed()).length === 0).toBe(passes);
});

test('a round that was lost, and was sealed again in another browser, is excused by the proof', async () => {
  const about = 'a round without a stake that was lost and played again, another one, and one beyond the end';
  const { page, code, failed } = await played(about);
  page.noteSent(code, 1, '0'.repeat(64));
  expect(await failed()).toEqual([]);
});

test('the player is known by the address or by a sealed hand, whatever the answer says', async () => {
  const { page, duel, code } = await played(honest);
  expect(duel.you).toBe(null);
  expect(page.ownIn(code, duel, undefined)).toBe(null);
  expect(page.ownIn(code, duel, 'another')).toBe(null);
  expect(page.ownIn(code, duel, duel.b?.address)).toEqual({ code, sent: [] });
  page.noteSent(code, 2, 'sealed');
  expect(page.ownIn(code, duel, undefined)).toEqual({ code, sent: [null, 'sealed'] });
  expect(items.get('roshambo/sent')).toContain('sealed'); // also after a reload
});
