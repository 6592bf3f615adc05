// Spreads requests over time when little of the server's request limit is left, so that the server refuses none of
// them.

/** The requests of 240 that a steady pace uses: at exactly the limit, the jitter of a network makes the server refuse some. */
const steady = 235;

let gap = 0;
let next = 0;
let inFlight = 0;

/**
 * Waits until a request may be sent, for at most `longest` milliseconds. The caller calls `release` after the response.
 */
export async function acquire(longest = Infinity): Promise<void> {
  const until = performance.now() + longest;
  const wait = () => Math.min(next, until) - performance.now();
  while (wait() > 0) await new Promise((done) => setTimeout(done, wait()));
  next = Math.max(next, performance.now() + gap);
  inFlight++;
}

/**
 * Updates the pace from the headers of a response: the server accepts `r` more requests now, and more of them in `t`
 * seconds. While at least a quarter of the limit `q` is left, requests do not wait. Without headers, as after a failed
 * request, the pace is unchanged.
 */
export function release(headers: Headers | null): void {
  inFlight--;
  const limit = /;r=(\d+);t=(\d+)/.exec(headers?.get('RateLimit') ?? '');
  const policy = /;q=(\d+)/.exec(headers?.get('RateLimit-Policy') ?? '');
  if (!limit || !policy) return;
  const left = Math.max(0, Number(limit[1]) - inFlight);
  const spread = (1000 * Math.min(Number(limit[2]), 300)) / (left + 1);
  gap = 4 * left >= Number(policy[1]) ? 0 : (spread * 240) / steady;
  if (gap > 0) next = Math.max(next, performance.now() + gap);
}
