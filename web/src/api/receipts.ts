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

/** Checks an answer of the service. `posted` is the path of the POST, '' for a GET. */
type Check = (answer: { posted: string; body: { receipts?: unknown } }) => void;
let check: Check = () => undefined;

/** Sets the check of the answers that state something about a game. */
export function onStatements(listener: Check): void {
  check = listener;
}

/** Keeps the receipts of an answer, if it has any, and has them checked. */
export function keepReceipts(answer: { receipts?: unknown }, posted = ''): void {
  if (answer.receipts !== undefined || posted.startsWith('/api/runs')) check({ posted, body: answer });
  if (!areReceipts(answer.receipts)) return;
  for (const receipt of answer.receipts) {
    const game = gameOf(receipt);
    if (game === null) continue;
    const kept = receiptsOf(game);
    // Two that differ are both kept: together they convict the house.
    if (kept.some((one) => facts(one) === facts(receipt))) continue;
    inMemory.set(game, [...kept, receipt]);
    setStored(`receipts/${game}`, [...kept, receipt]);
    if (kept.length === 0) forgetOldGames(game);
  }
}

/** Returns the game that a receipt states something about; null if it is unreadable. */
function gameOf({ raw }: Receipt): string | null {
  try {
    const { run_id, duel_id } = JSON.parse(raw) as { run_id?: unknown; duel_id?: unknown };
    return isText(run_id) ? run_id : isText(duel_id) ? duel_id : null;
  } catch {
    return null;
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

/** Returns the games whose receipts this browser keeps, the oldest first. */
export function gamesWithReceipts(): string[] {
  return getStored('receipts', areGames) ?? [...inMemory.keys()];
}

/** Returns the receipts of all games as one file that every verifier reads. */
export function allReceiptLines(): string {
  return gamesWithReceipts()
    .map((game) => receiptLines(game) ?? '')
    .join('');
}

function forgetOldGames(newest: string): void {
  const games = [...(getStored('receipts', areGames) ?? []), newest];
  for (const game of games.splice(0, Math.max(0, games.length - MAX_GAMES))) {
    inMemory.delete(game);
    setStored(`receipts/${game}`, null);
  }
  setStored('receipts', games);
}
