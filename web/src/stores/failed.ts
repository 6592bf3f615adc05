// Checks of this browser's games that have failed. Each raises the alarm once: evidence that the user has discarded
// does not come back with the next look at the same game.

import { receiptsOf } from '../api/receipts.ts';
import { getStored, isText, setStored } from './storage.ts';
import { trust } from './trust.svelte.ts';

/** A throw or round that has failed its check. */
export interface Failed {
  n: number;
  /** What the service has shown, and what this browser computed from it. */
  evidence: object;
}

const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
/** The most throws and rounds that are remembered. */
const most = 200;
let reported: readonly string[] = [];

/** Raises the alarm about a run or duel, with what the house has signed about it. */
export function reportFailed(game: string, failed: readonly Failed[]): void {
  // Another tab may have reported more. Without access to storage the names are in memory alone.
  reported = [...new Set([...reported, ...(getStored('failed', areTexts) ?? [])])];
  const nameOf = ({ n }: Failed): string => `${game}/${String(n)}`;
  const news = failed.filter((one) => !reported.includes(nameOf(one)));
  const texts = news.map(({ n, evidence }) => JSON.stringify({ game, n, ...evidence }));
  const signed = receiptsOf(game).map((receipt) => JSON.stringify(receipt));
  if (texts.length === 0 || !trust.report('check', [...texts, ...signed])) return;
  reported = [...reported, ...news.map(nameOf)].slice(-most);
  setStored('failed', reported);
}
