// Moves that were sealed in this browser. Until both sides have committed, nothing but the hash leaves it, so what is
// kept here is the only copy: without it the move cannot be shown, and the round is lost. Each hand is kept under its
// own commitment, so that a second tab of the same player never overwrites the one that counts.

import { randomHex } from '../api/client.ts';
import type { Move } from '../api/shapes.ts';
import { isText, recall, remember } from '../stores/memory.ts';
import { commitmentOf } from './check.ts';

export interface SealedHand {
  move: Move;
  salt: string;
}

/** For a browser whose storage is closed to the page: what is kept then is lost with the page. */
const inMemory = new Map<string, SealedHand>();

function isHand(value: unknown): value is SealedHand {
  const hand = (value ?? {}) as Record<string, unknown>;
  return isText(hand.salt) && (hand.move === 'rock' || hand.move === 'paper' || hand.move === 'scissors');
}

/** Seals a move under a new salt and keeps both; returns the commitment, which may then be sent. */
export async function seal(move: Move): Promise<string> {
  const hand: SealedHand = { move, salt: randomHex(16) };
  const commitment = await commitmentOf(hand.move, hand.salt);
  inMemory.set(commitment, hand);
  remember(`hand/${commitment}`, hand);
  return commitment;
}

/** The hand behind a commitment; null when it was sealed elsewhere. */
export function opened(commitment: string | null): SealedHand | null {
  if (commitment === null) return null;
  return recall(`hand/${commitment}`, isHand) ?? inMemory.get(commitment) ?? null;
}

/** Forgets hands that everybody has seen, or nobody ever will. */
export function forget(commitments: Iterable<string | null>): void {
  for (const commitment of commitments) {
    if (commitment === null) continue;
    inMemory.delete(commitment);
    remember(`hand/${commitment}`, null);
  }
}
