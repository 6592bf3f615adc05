// Hands that were sealed in this browser. Until both sides have committed, only the hash leaves it, so this store holds
// the only copy: without it the move cannot be revealed, and the player loses the round. Each hand is stored under its
// commitment, so a second tab of the same player never overwrites the committed hand.

import { randomHex } from '../api/client.ts';
import type { Move } from '../api/shapes.ts';
import { isText, getStored, setStored } from '../stores/storage.ts';
import { commitmentOf } from './check.ts';

export interface SealedHand {
  move: Move;
  salt: string;
}

/** The fallback for browsers that deny storage. It is lost with the page. */
const inMemory = new Map<string, SealedHand>();

function isHand(value: unknown): value is SealedHand {
  const hand = (value ?? {}) as Record<string, unknown>;
  return isText(hand.salt) && (hand.move === 'rock' || hand.move === 'paper' || hand.move === 'scissors');
}

/** Stores a move with a new salt and returns its commitment. The commitment is sent only after this. */
export async function seal(move: Move): Promise<string> {
  const hand: SealedHand = { move, salt: randomHex(16) };
  const commitment = await commitmentOf(hand.move, hand.salt);
  inMemory.set(commitment, hand);
  setStored(`hand/${commitment}`, hand);
  return commitment;
}

/** Returns the hand of a commitment; null when another browser sealed it. */
export function sealedHand(commitment: string | null): SealedHand | null {
  if (commitment === null) return null;
  return getStored(`hand/${commitment}`, isHand) ?? inMemory.get(commitment) ?? null;
}

/** Deletes hands that are revealed, or that no one can reveal any more. */
export function forget(commitments: Iterable<string | null>): void {
  for (const commitment of commitments) {
    if (commitment === null) continue;
    inMemory.delete(commitment);
    setStored(`hand/${commitment}`, null);
  }
}
