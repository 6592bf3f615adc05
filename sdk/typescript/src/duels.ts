// A duel as one of its sides sees it.

import type { Duel, DuelSide } from './types.js';
import type { Move } from './verify.js';

/** A side of a duel. */
export type Side = 'a' | 'b';

/** A round that both sides revealed, as one of them saw it. */
export interface Round {
  /** The move of this side. */
  mine: Move;
  /** The move of the opponent. */
  theirs: Move;
}

/** The opponents and the rounds of each that a bot remembers. */
const [MAX_OPPONENTS, MAX_ROUNDS] = [64, 2000];

/** Returns the caller's side of a duel, and the opponent. Errors: TypeError for a duel that is watched or has none. */
export function sides(duel: Duel): { me: Side; them: DuelSide } {
  const me = duel.you;
  if (me !== 'a' && me !== 'b') throw new TypeError(`duel ${duel.id} is watched, not played`);
  const them = me === 'a' ? duel.b : duel.a;
  if (!them) throw new TypeError(`duel ${duel.id} has no opponent yet`);
  return { me, them };
}

/** Returns the caller's result of a finished duel. */
export function result(duel: Duel): 'won' | 'lost' | 'drawn' {
  if (duel.winner === null) return 'drawn';
  return duel.winner === duel.you ? 'won' : 'lost';
}

/**
 * Returns the rounds of a duel that both sides revealed, oldest first, as one side saw them. A missed round says nothing
 * about the opponent.
 */
export function rounds(duel: Duel, me: Side): Round[] {
  return duel.rounds.flatMap(({ outcome, move_a, move_b }) => {
    if (outcome === 'pending' || move_a === null || move_b === null) return [];
    return [me === 'a' ? { mine: move_a, theirs: move_b } : { mine: move_b, theirs: move_a }];
  });
}

/** The rounds of finished duels by the opponent's address, oldest first. */
export class Memory {
  /** In the order of the last duel, so that the opponent not met for the longest time is dropped. */
  readonly #opponents = new Map<string, readonly Round[]>();

  get empty(): boolean {
    return this.#opponents.size === 0;
  }

  /** Removes all rounds. */
  forget(): void {
    this.#opponents.clear();
  }

  /** Returns the rounds against an opponent. */
  past(address: string): readonly Round[] {
    return this.#opponents.get(address) ?? [];
  }

  /** Adds the rounds of a finished duel. */
  record(duel: Duel): void {
    const { me, them } = sides(duel);
    const all = [...this.past(them.address), ...rounds(duel, me)];
    this.#opponents.delete(them.address);
    // Half of them are dropped at once: a strategy that sees a shortened history may start over.
    this.#opponents.set(them.address, all.length > MAX_ROUNDS ? all.slice(-MAX_ROUNDS / 2) : all);
    const [oldest] = this.#opponents.keys();
    if (this.#opponents.size > MAX_OPPONENTS && oldest !== undefined) this.#opponents.delete(oldest);
  }
}
