// What this browser remembers of the house's signatures, as one file, and the checkpoint of such a file.

import { gamesWithReceipts, receiptLines, receiptsOf, type Receipt } from '../api/receipts.ts';
import { isText } from '../stores/storage.ts';
import type { StoredCheckpoint } from '../stores/trust.svelte.ts';

export interface Evidence {
  format: 'roshambo/evidence/v1';
  /** The newest consistent checkpoint; null before the first. */
  checkpoint: StoredCheckpoint | null;
  receipts: Receipt[];
}

export function collectEvidence(checkpoint: StoredCheckpoint | null): Evidence {
  return { format: 'roshambo/evidence/v1', checkpoint, receipts: gamesWithReceipts().flatMap(receiptsOf) };
}

/** Returns the receipts of all games as the file that every verifier reads. */
export function allReceiptLines(): string {
  return gamesWithReceipts()
    .map((game) => receiptLines(game) ?? '')
    .join('');
}

/** Returns the checkpoint of an evidence file; null if it has none. */
export function checkpointOf(text: string): StoredCheckpoint | null {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return null;
  }
  const { format, checkpoint } = (file ?? {}) as Record<string, unknown>;
  const { key, note, at } = (checkpoint ?? {}) as Record<string, unknown>;
  if (format !== 'roshambo/evidence/v1' || !isText(key) || !isText(note)) return null;
  return { key, note, at: typeof at === 'number' && Math.abs(at) <= 8.64e15 ? at : 0 };
}

/** Returns size and root that a checkpoint states, for display; its signature is not checked. */
export function statedTree(note: string): { size: string; root: string } {
  const [, size = '', root = ''] = note.split('\n');
  return { size, root };
}
