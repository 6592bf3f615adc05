// Calls of operations, as the generated methods describe them and the transport sends them.

import { boundsOf, type Bounds } from './steps.js';

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Seconds after which one attempt is given up, in addition to `wait`; by default the client's. */
  timeout?: number | undefined;
  /**
   * The Idempotency-Key of a POST, 1 to 255 characters; by default a random one. All attempts carry it. A key of your
   * own lets another process repeat the call: for 24 hours it gets the answer to the first one, and changes nothing.
   */
  idempotencyKey?: string | undefined;
  /**
   * The call is a step of a duel in play, or waits for one: pacing delays it by 3 seconds at most, a read by 6, and
   * repetitions come 5 seconds apart at most, so that it meets the step's deadline. Commits and reveals always are. The
   * `move_seconds` of a duel in place of true shorten these times, for steps of less than 15 seconds.
   */
  step?: boolean | number | undefined;
}

/** Options of the calls that the service can hold until there is news, or answer with signed statements. */
export interface HeldOptions extends CallOptions {
  /** Seconds for which the service may hold the answer until there is a change: whole, at most 30. */
  wait?: number | undefined;
  /** Asks for the service's signed statements about the game, in `receipts` of the answer. */
  receipts?: boolean | undefined;
}

/** The value of a query parameter. A list repeats the name; undefined leaves the parameter out. */
export type QueryValue = string | number | boolean | readonly (string | number)[] | undefined;

/** One call of an operation. */
export interface Call {
  /** The operation's name in the contract. */
  operation: string;
  method: 'GET' | 'POST';
  /** The path with its parameters filled in. */
  path: string;
  query?: Readonly<Record<string, QueryValue>>;
  /** The body of a POST, as JSON. */
  body?: unknown;
  /** Whether the operation takes an Idempotency-Key. */
  idempotent?: boolean;
  options: HeldOptions;
}

/** Returns a parameter as one segment of a path. Errors: TypeError for a text that would name another path. */
export function segment(value: string | number): string {
  if (['', '.', '..'].includes(String(value))) throw new TypeError(`'${value}' has no place in a path`);
  return encodeURIComponent(value);
}

/** Returns the query of a call with its question mark; an empty text without parameters. */
export function queryText(query: Call['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

/** Returns the bounds of a call that is a step of a duel, or waits for one; null for any other call. */
export function stepOf({ operation, options }: Call): Bounds | null {
  const { step = operation === 'commitDuel' || operation === 'revealDuel' } = options;
  return step === false ? null : boundsOf(step === true ? undefined : step);
}
