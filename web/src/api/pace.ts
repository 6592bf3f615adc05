// Spreads requests over time when little of the server's request limit is left, so that the server refuses none.

let gap = 0;
let next = 0;
let flying = 0;

/** Waits until a request may be made. Each is followed by `answered`. */
export async function turn(): Promise<void> {
  for (let wait = next - performance.now(); wait > 0; wait = next - performance.now()) {
    await new Promise((done) => setTimeout(done, wait));
  }
  next = performance.now() + gap;
  flying++;
}

/**
 * Reads what an answer says of the limit: `r` more requests are answered now, and in `t` seconds there are more of
 * them. While a quarter of the limit `q` is left, requests wait for nothing. Without headers, as when no answer
 * came, the pace stays as it is.
 */
export function answered(headers: Headers | null): void {
  flying--;
  const limit = /;r=(\d+);t=(\d+)/.exec(headers?.get('RateLimit') ?? '');
  const policy = /;q=(\d+)/.exec(headers?.get('RateLimit-Policy') ?? '');
  if (!limit || !policy) return;
  const left = Math.max(0, Number(limit[1]) - flying);
  gap = 4 * left >= Number(policy[1]) ? 0 : (1000 * Math.min(Number(limit[2]), 300)) / (left + 1);
  if (gap > 0) next = Math.max(next, performance.now() + gap);
}
