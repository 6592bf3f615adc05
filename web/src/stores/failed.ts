// Checks of this browser's games that have failed. Each raises the alarm once: evidence that the user has discarded
// does not come back with the next look at the same game.

import { receiptsOf } from '../api/receipts.ts';
import { getStored, isText, setStored } from './storage.ts';
import { trust } from './trust.svelte.ts';

/** A throw or round that has failed its check. */
export interface Failed {
  n: number;
  /** Another check of the same throw, which fails on its own. */
  check?: string;
  /** What the service has shown, and what this browser computed from it: named members of bounded lengths. */
  evidence: object;
}

const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
/** The most throws and rounds that are remembered. */
const most = 200;
/** The most that one alarm names at once, and the most receipts beside them. The next look reports the others. */
const [mostFailed, mostReceipts] = [20, 60];
let reported: readonly string[] = [];

/** Raises the alarm about a run or duel, with what the house has signed about it. */
export function reportFailed(game: string, failed: readonly Failed[]): void {
  // Another tab may have reported more. Without access to storage the names are in memory alone.
  reported = [...new Set([...reported, ...(getStored('failed', areTexts) ?? [])])];
  const nameOf = ({ n, check = '' }: Failed): string => `${game}/${String(n)}${check}`;
  const news = failed.filter((one) => !reported.includes(nameOf(one))).slice(0, mostFailed);
  const texts = news.map(({ n, evidence }) => JSON.stringify({ game, n, ...evidence }));
  const receipts = receiptsOf(game).slice(-mostReceipts);
  const signed = receipts.map((receipt) => JSON.stringify(receipt));
  // Evidence that could not be stored is gone with the page: the next look at the game reports it again.
  if (texts.length === 0 || !trust.report('check', [...texts, ...signed])) return;
  reported = [...reported, ...news.map(nameOf)].slice(-most);
  setStored('failed', reported);
}
