// The commitments that the service has accepted from this browser, for each round of its duels. A hand is forgotten
// once no one can reveal it any more; its commitment stays, so that a decided round can be compared with it.

import { getStored, isText, setStored } from '../stores/storage.ts';

interface Sent {
  /** The code of the duel. */
  duel: string;
  /** Entry n - 1 is the commitment of round n; null for one that this browser has not sent. */
  commitments: (string | null)[];
}

/** Duels whose commitments are kept. One of 60 rounds has some 4 kB of them. */
const maxDuels = 50;
/** The most rounds of a duel. */
const maxRounds = 60;

/** The fallback for browsers that deny storage. It is lost with the page. */
let inMemory: Sent[] | null = null;

function areSent(value: unknown): value is Sent[] {
  return (
    Array.isArray(value) &&
    (value as (Partial<Sent> | null)[]).every((one) => isText(one?.duel) && Array.isArray(one.commitments))
  );
}

const all = (): Sent[] => inMemory ?? getStored('sent', areSent) ?? [];

/** Notes that the service has accepted a commitment for round n (1, 2, …) of a duel. */
export function noteSent(duel: string, n: number, commitment: string): void {
  if (n < 1 || n > maxRounds) return;
  const list = all();
  const commitments = [...(list.find((one) => one.duel === duel)?.commitments ?? [])];
  while (commitments.length < n) commitments.push(null);
  commitments[n - 1] = commitment;
  const kept = [...list.filter((one) => one.duel !== duel), { duel, commitments }].slice(-maxDuels);
  inMemory = setStored('sent', kept) ? null : kept;
}

/** Returns what was sent for the rounds of a duel; entry n - 1 is of round n. */
export function sentIn(duel: string): readonly (string | null)[] {
  return all().find((one) => one.duel === duel)?.commitments ?? [];
}
