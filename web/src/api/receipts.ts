// What the house has signed about the games of this browser (docs/protocol.md, section 11). The browser keeps it, so that
// a proof that states something else later convicts the house.

import { getStored, isText, setStored } from '../stores/storage.ts';

export interface Receipt {
  raw: string;
  signature: string;
}

/** Games whose receipts are kept. A game has some 10 kB of them, and localStorage holds 5 MB. */
const MAX_GAMES = 100;

/** The fallback for browsers that deny storage. It is lost with the page. */
const inMemory = new Map<string, Receipt[]>();

function isReceipt(value: unknown): value is Receipt {
  const { raw, signature } = (value ?? {}) as Record<string, unknown>;
  return isText(raw) && isText(signature);
}

const areReceipts = (value: unknown): value is Receipt[] => Array.isArray(value) && value.every(isReceipt);
const areGames = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

/** Returns what a receipt states, without the time of the signature: equal statements are kept once. */
const facts = ({ raw }: Receipt): string => raw.replace(/"time":\d+/, '');

/** Keeps the receipts of an answer, if it has any. */
export function keepReceipts(answer: { receipts?: unknown }): void {
  if (!areReceipts(answer.receipts)) return;
  for (const receipt of answer.receipts) {
    const stated = JSON.parse(receipt.raw) as { run_id?: string; duel_id?: string };
    const game = stated.run_id ?? stated.duel_id;
    if (game === undefined) continue;
    const kept = receiptsOf(game);
    // Two that differ are both kept: together they convict the house.
    if (kept.some((one) => facts(one) === facts(receipt))) continue;
    inMemory.set(game, [...kept, receipt]);
    setStored(`receipts/${game}`, [...kept, receipt]);
    if (kept.length === 0) forgetOldGames(game);
  }
}

/** Returns the receipts of a run or a duel. */
export function receiptsOf(game: string): Receipt[] {
  return getStored(`receipts/${game}`, areReceipts) ?? inMemory.get(game) ?? [];
}

/** Returns the receipts of a game as the file that every verifier reads; null without any. */
export function receiptLines(game: string): string | null {
  const kept = receiptsOf(game);
  if (kept.length === 0) return null;
  return kept.map(({ raw, signature }) => `${JSON.stringify({ raw, signature })}\n`).join('');
}

/** Returns the games with receipts, the oldest first. */
export function gamesWithReceipts(): string[] {
  const stored = getStored('receipts', areGames) ?? [...inMemory.keys()];
  return stored.filter((game) => receiptsOf(game).length > 0);
}

function forgetOldGames(newest: string): void {
  const games = [...(getStored('receipts', areGames) ?? []), newest];
  for (const game of games.splice(0, Math.max(0, games.length - MAX_GAMES))) {
    inMemory.delete(game);
    setStored(`receipts/${game}`, null);
  }
  setStored('receipts', games);
}
