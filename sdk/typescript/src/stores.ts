// The stores of what a program must not lose: what it has committed to, and what the service has signed.

import { StateError } from './errors.js';
import type { Receipt } from './types.js';

/** Keeps one text of a program, such as the hand of a bot, between its runs. */
export interface StateStore {
  /** Returns the text that was saved last; null before the first one. */
  load(): Promise<string | null>;
  /** Replaces the text, completely or not at all, and resolves when it is durable: the caller then acts upon it. */
  save(text: string): Promise<void>;
}

/** Parses a state; null without one. Errors: StateError for one that is not of the kind. */
export function readState<T>(text: string | null, is: (value: unknown) => value is T): T | null {
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new StateError('the stored state is not JSON', { cause: error });
  }
  if (!is(value)) throw new StateError('the stored state is not one of this kind');
  return value;
}

/** Keeps what the service has signed: evidence if a proof differs later. */
export interface ReceiptStore {
  /** Adds a receipt, and resolves when it is durable: a bot reveals its move then. */
  add(receipt: Receipt): Promise<void>;
  /** Returns all receipts, one a line, as every verifier reads them. */
  lines(): Promise<string>;
}

/** Returns a receipt as a line that every verifier reads. */
export const receiptLine = ({ raw, signature }: Receipt): string => `${JSON.stringify({ raw, signature })}\n`;

/** Returns a store in memory, which the program's end clears. */
export function memoryState(): StateStore {
  let kept: string | null = null;
  return {
    load: () => Promise.resolve(kept),
    save: (text) => {
      kept = text;
      return Promise.resolve();
    },
  };
}

/** Returns a store of receipts in memory, which the program's end clears. */
export function memoryReceipts(): ReceiptStore {
  let kept = '';
  return {
    add: (receipt) => {
      kept += receiptLine(receipt);
      return Promise.resolve();
    },
    lines: () => Promise.resolve(kept),
  };
}

/** Returns a store in a browser's localStorage, under a name. */
export function localState(name: string): StateStore {
  return {
    load: () => Promise.resolve(localStorage.getItem(name)),
    // eslint-disable-next-line @typescript-eslint/require-await -- a full storage rejects
    save: async (text) => localStorage.setItem(name, text),
  };
}

/** The games whose receipts a browser keeps. A game has some 10 kB of them, and localStorage holds 5 MB. */
const MAX_GAMES = 100;

/**
 * Returns a store of receipts in a browser's localStorage, whose items begin with a name. It keeps the
 * receipts of the last 100 games.
 */
export function localReceipts(name: string): ReceiptStore {
  const games = (): string[] => JSON.parse(localStorage.getItem(name) ?? '[]') as string[];
  return {
    // eslint-disable-next-line @typescript-eslint/require-await -- a full storage rejects
    add: async (receipt) => {
      const { duel_id, run_id } = JSON.parse(receipt.raw) as { duel_id?: string; run_id?: string };
      const game = String(duel_id ?? run_id);
      const kept = games().filter((one) => one !== game);
      for (const old of kept.splice(0, Math.max(0, kept.length + 1 - MAX_GAMES))) {
        localStorage.removeItem(`${name}/${old}`);
      }
      localStorage.setItem(`${name}/${game}`, (localStorage.getItem(`${name}/${game}`) ?? '') + receiptLine(receipt));
      localStorage.setItem(name, JSON.stringify([...kept, game]));
    },
    lines: () =>
      Promise.resolve(
        games()
          .map((game) => localStorage.getItem(`${name}/${game}`) ?? '')
          .join(''),
      ),
  };
}
