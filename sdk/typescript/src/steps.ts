// The bounds of calls about a duel, whose steps have deadlines.

/**
 * The longest times of the calls about a duel, in seconds. A missed deadline costs a round, and a refused call nothing,
 * so each is well below the time of a step.
 */
export interface Bounds {
  /** For which the bot asks the service to hold an answer; whole. */
  hold: number;
  /** Of an attempt besides: one that is lost in silence is given up with time for another. */
  attempt: number;
  /** Of the delay of a step by pacing; a read waits for twice as long at most. */
  pace: number;
  /** Of a Retry-After that is obeyed. */
  retry: number;
  /** Of the delay after a failure that names none. */
  backoff: number;
}

/** Seconds of a step between bots, and the fewest that the host of a cup or the creator of a duel may choose. */
const [USUAL_STEP, SHORTEST_STEP] = [15, 5];

/** The bounds of a step of the usual time or more, and of calls that look for a duel. */
export const USUAL: Readonly<Bounds> = { hold: 5, attempt: 4, pace: 3, retry: 5, backoff: 1 };

/** Returns the bounds of the calls about a duel whose steps have that many seconds: shorter ones by the same factor. */
export function boundsOf(seconds = USUAL_STEP): Bounds {
  const part = Math.min(USUAL_STEP, Math.max(SHORTEST_STEP, seconds)) / USUAL_STEP;
  const { hold, attempt, pace, retry, backoff } = USUAL;
  return {
    hold: Math.floor(hold * part),
    attempt: attempt * part,
    pace: pace * part,
    retry: retry * part,
    backoff: backoff * part,
  };
}
