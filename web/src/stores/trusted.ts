// What this browser keeps about the chain between visits, for all of its tabs: the key and the witnesses of the first
// visit, the newest consistent checkpoint, the alarm, and those that wait behind it.

import type { Head } from '../api/shapes.ts';
import type { Fault, SignedCheckpoint } from '../log/compare.ts';
import { getStored, isCorrupt, isText, setStored } from './storage.ts';

export interface Pin {
  origin: string;
  key: string;
  /** Unix milliseconds of the first visit. */
  since: number;
}

/** A checkpoint with the time of its receipt in Unix milliseconds. */
export interface StoredCheckpoint extends SignedCheckpoint {
  at: number;
}

/** The witnesses of a chain, of which `quorum` must have cosigned (all if 0). */
export type Policy = Head['witnesses'];

export interface Alarm {
  fault: Fault;
  /** The stored checkpoint; null if only the key was pinned. */
  kept: StoredCheckpoint | null;
  /**
   * The checkpoint of the server. With a fault about a game the note is the evidence, one text a line.
   */
  shown: StoredCheckpoint;
  /** The stored and the shown policy, if they differ. */
  policies?: { kept: Policy; shown: Policy } | null;
}

export interface Trusted {
  pin: Pin;
  checkpoint: StoredCheckpoint;
  /** The witness policy of the first visit, or the one that was kept since. */
  witnesses: Policy;
  alarm: Alarm;
  /** Alarms about games that are shown once the user has discarded the one before them. */
  waiting: readonly Alarm[];
}

const object = (value: unknown) => (value ?? {}) as Record<string, unknown>;

function isCheckpoint(value: unknown): boolean {
  const { key, note, at } = object(value);
  return isText(key) && isText(note) && typeof at === 'number';
}

function isAlarm(value: unknown): boolean {
  const { fault, kept, shown } = object(value);
  return isText(fault) && isCheckpoint(shown) && (kept === null || isCheckpoint(kept));
}

const fits: Readonly<Record<keyof Trusted, (value: unknown) => boolean>> = {
  pin(value) {
    const { origin, key, since } = object(value);
    return isText(origin) && isText(key) && typeof since === 'number';
  },
  checkpoint: isCheckpoint,
  witnesses(value) {
    const { keys, quorum } = object(value);
    return Array.isArray(keys) && keys.every(isText) && typeof quorum === 'number';
  },
  alarm: isAlarm,
  waiting: (value) => Array.isArray(value) && value.every(isAlarm),
};

/** Returns a kept value; null without a valid one. */
export function kept<K extends keyof Trusted>(name: K): Trusted[K] | null {
  return getStored(name, (value): value is Trusted[K] => fits[name](value));
}

/** Keeps a value; null discards it. It reports whether the browser has stored that. */
export function keep<K extends keyof Trusted>(name: K, value: Trusted[K] | null): boolean {
  return setStored(name, value);
}

/** Reports whether a kept value is invalid: what the browser has trusted is lost. */
export function isDamaged(): boolean {
  return (['pin', 'checkpoint', 'witnesses', 'alarm', 'waiting'] as const).some((name) =>
    isCorrupt(name, fits[name]),
  );
}
