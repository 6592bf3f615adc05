// The cues of the game as notes and as vibration patterns.

import type { Outcome } from '../api/shapes.ts';

export type Cue =
  /** A word of the countdown. */
  | { kind: 'beat'; last: boolean }
  | { kind: Outcome }
  /** A duel waits for the player's hand. */
  | { kind: 'turn' }
  /** A claimed token; `height` is its tier as a share of the highest tier, above 0 and up to 1. */
  | { kind: 'claim'; height: number };

export interface Note {
  /** Hertz. */
  frequency: number;
  /** Seconds after the cue. */
  at: number;
  /** Seconds until the note has decayed. */
  length: number;
}

/** Semitones of a major pentatonic scale, in which every sequence is consonant. */
const scale = [0, 2, 4, 7, 9];
/** C4. */
const base = 261.63;

function pitch(step: number): number {
  const semitones = (scale[step % scale.length] ?? 0) + 12 * Math.floor(step / scale.length);
  return base * 2 ** (semitones / 12);
}

/** Returns the number of notes for a claimed token: 2 for the lowest tiers, 12 for the highest one. */
function claimNotes(height: number): number {
  return 2 + Math.round(10 * height ** 2);
}

export function notes(cue: Cue): Note[] {
  switch (cue.kind) {
    case 'beat':
      return [{ frequency: cue.last ? base : base / 2, at: 0, length: 0.09 }];
    case 'win':
      return [3, 5].map((step, i) => ({ frequency: pitch(step), at: i * 0.09, length: 0.25 }));
    case 'loss':
      return [1, 0].map((step, i) => ({ frequency: pitch(step) / 2, at: i * 0.14, length: 0.35 }));
    case 'tie':
      return [2, 2].map((step, i) => ({ frequency: pitch(step), at: i * 0.12, length: 0.15 }));
    case 'turn':
      return [0, 3].map((step, i) => ({ frequency: pitch(step), at: i * 0.11, length: 0.2 }));
    case 'claim':
      return Array.from({ length: claimNotes(cue.height) }, (_, i) => ({
        frequency: pitch(i + 2),
        at: i * 0.09,
        length: 0.3 + cue.height,
      }));
  }
}

/** Returns the pattern for navigator.vibrate: milliseconds of vibration and pause in turns. */
export function vibration(cue: Cue): number[] {
  switch (cue.kind) {
    case 'beat':
      return [cue.last ? 20 : 8];
    case 'win':
      return [15, 50, 30];
    case 'loss':
      return [70];
    case 'tie':
      return [12, 60, 12];
    case 'turn':
      return [20, 60, 20];
    case 'claim':
      return Array.from({ length: Math.ceil(claimNotes(cue.height) / 2) }, () => [30, 50]).flat();
  }
}
