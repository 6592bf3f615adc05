// The three levels of what the page reports. An alarm stays until the player decides; a notice is about something of the
// player's that changed; a wait heals by itself. Nothing that heals by itself is an alarm.

import { ApiError, Unreachable } from '../api/client.ts';
import { ChunkLoadError } from '../chunks.ts';
import type { Fault } from '../log/compare.ts';

export type Level = 'alarm' | 'notice' | 'wait';

/** Milliseconds until the page repeats a read that was refused without a time. */
export const defaultWaitMs = 10_000;

/** Codes of refusals that end by themselves, beside 429 and answers of the service that it is not available. */
const waits = ['idempotency_in_flight', 'conflict', 'not_stored', 'recovering', 'unavailable'];

/** Returns the level of an error of a call: waiting helps, or not. */
export function levelOf(error: unknown): Exclude<Level, 'alarm'> {
  if (error instanceof Unreachable || error instanceof ChunkLoadError) return 'wait';
  if (!(error instanceof ApiError)) return 'notice';
  const busy = error.status === 429 || (error.status >= 502 && error.status <= 504);
  return busy || waits.includes(error.code) ? 'wait' : 'notice';
}

/**
 * Returns the level of a fault of the chain. A log that does not fit its checkpoint may still prove itself, and a damaged
 * storage is a fault of this browser: neither contradicts a signature.
 */
export function levelOfFault(fault: Fault): Exclude<Level, 'wait'> {
  return fault === 'unproved' || fault === 'damaged' ? 'notice' : 'alarm';
}
