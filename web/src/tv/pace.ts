// The pace of a replay on TV: each round is first sealed and then revealed, at a speed that people can follow. The step
// depends on the time alone, so that all viewers see the same one.

import type { Duel } from '../api/shapes.ts';

/** Milliseconds for a round, unless the duel has too many rounds for its slot. */
const roundMs = 2500;
/** Milliseconds at the end of the slot for the result. */
const resultMs = 5000;
/** The part of a round for which it stays sealed. */
const sealedPart = 0.4;

export interface Step {
  /** Index of the round on display. */
  round: number;
  /** The round is sealed. */
  closed: boolean;
  /** All rounds were shown. */
  over: boolean;
  /** Milliseconds until the next step. */
  next: number;
}

/** Returns the step of a replay of `rounds` rounds, `elapsed` milliseconds after the start of its slot. */
export function replayStep(elapsed: number, rounds: number, slot: number): Step {
  const length = Math.min(roundMs, (slot - resultMs) / Math.max(1, rounds));
  const at = Math.max(0, elapsed);
  const round = Math.floor(at / length);
  if (round >= rounds) return { round: rounds - 1, closed: false, over: true, next: Math.max(0, slot - at) };
  const within = at - round * length;
  const closed = within < sealedPart * length;
  return { round, closed, over: false, next: (closed ? sealedPart * length : length) - within };
}

/** Returns the duel as it stood at a step: the score of the revealed rounds, and the winner once it is over. */
export function duelAt(duel: Duel, step: Step): Duel {
  const revealed = duel.rounds.slice(0, step.round + (step.closed ? 0 : 1));
  const wins = { a: 0, b: 0 };
  for (const { outcome } of revealed) if (outcome === 'a' || outcome === 'b') wins[outcome]++;
  return { ...duel, wins, ...(step.over ? {} : { status: 'active', winner: null }) };
}
