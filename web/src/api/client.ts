// The API client. Every request is same-origin and carries the session cookie. The client adds the CSRF token and the
// Idempotency-Key that the contract requires, and reports every failure as ApiError or Unreachable.

import { hex } from '../text/hex.ts';
import * as pace from './pace.ts';
import { keepReceipts } from './receipts.ts';
import type { paths } from './schema.d.ts';
import { Unreachable } from './unreachable.ts';
import { t } from '../text/language.ts';

export { Unreachable };

type PathsWith<M extends 'get' | 'post'> = {
  [P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never;
}[keyof paths];

/** The body of a 200 response. */
export type Answer<P extends keyof paths, M extends 'get' | 'post'> = paths[P][M] extends {
  responses: { 200: { content: { 'application/json': infer T } } };
}
  ? T
  : never;

type Part<P extends keyof paths, M extends 'get' | 'post', K extends 'path' | 'query'> = paths[P][M] extends {
  parameters: { [key in K]?: infer T };
}
  ? T
  : never;

/** The body of a request. */
export type Body<P extends keyof paths> = paths[P]['post'] extends {
  requestBody?: { content: { 'application/json': infer T } };
}
  ? T
  : never;

interface Request<P extends keyof paths, M extends 'get' | 'post'> {
  path?: Part<P, M, 'path'>;
  query?: Part<P, M, 'query'>;
  signal?: AbortSignal;
  /** Seconds that the server may delay the response until there is a change (Prefer: wait). */
  wait?: number;
}

/** The server responded with an error status. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** A code of the contract; "invalid" for a 422, "unknown" for a response that the service did not write. */
  readonly code: string;
  readonly requestId: string | null;
  /** Milliseconds until the same request may succeed; null when waiting does not help. */
  readonly retryAfterMs: number | null;
  /** Messages of a 422 by field of the body. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(response: Response, body: Record<string, unknown>) {
    super(typeof body.message === 'string' ? body.message : sentence(response.status, body.detail));
    this.status = response.status;
    this.code = typeof body.code === 'string' ? body.code : response.status === 422 ? 'invalid' : 'unknown';
    this.requestId =
      typeof body.request_id === 'string' ? body.request_id : response.headers.get('X-Request-Id');
    this.fields = fieldErrors(body.detail);
    this.retryAfterMs =
      typeof body.retry_after_ms === 'number' ? body.retry_after_ms : retryAfterMs(response.headers);
  }
}

/** Reports whether the error says that the session of the request is over. */
export function isSessionOver(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unauthenticated';
}

/** Attempts of a POST. All carry the same Idempotency-Key. */
const attempts = 3;
/** The longest delay before the client repeats a POST by itself, in milliseconds. */
const maxDelayMs = 5000;
/**
 * A step of a duel has a minute, and another request of this network may have used the request limit. A refusal costs
 * nothing, and a missed deadline a round: the pace delays a step by at most so many milliseconds, Retry-After each
 * repetition by at most maxDelayMs, and a step has so many attempts.
 */
const maxStepPaceMs = 3000;
const stepAttempts = 10;

/** Whether a POST is a step of a duel. */
const isStep = (path: string) => /^\/api\/duels\/[^/]+\/(commit|reveal)$/.test(path);
/**
 * Milliseconds after which an attempt is given up, beyond the wait of a long poll: a step of a duel has a minute, and a
 * connection may be lost in silence. Other reads may take longer, as the verification of a long chain does.
 */
const attemptMs = 15_000;
const readMs = 120_000;

let csrf = '';
let recovering: (now: boolean) => void = () => undefined;
let sessionOver: () => void = () => undefined;
let posts = 0;
let clockOffset = 0;

/** Calls `listener` after each answer: whether the service recovers from a loss of data, so that the answer may be old. */
export function onRecovering(listener: (now: boolean) => void): void {
  recovering = listener;
}

/** Calls `listener` after each answer that refuses a call because the session of this browser is over. */
export function onSessionOver(listener: () => void): void {
  sessionOver = listener;
}

/** Returns Unix milliseconds by the server's clock, accurate to a second. Deadlines follow that clock. */
export function serverTime(now = Date.now()): number {
  return now + clockOffset;
}

/**
 * Returns how many POSTs have completed. The response to a GET that was sent before the last one may be out of date.
 */
export function completedPosts(): number {
  return posts;
}

export function get<P extends PathsWith<'get'>>(
  path: P,
  request: Request<P, 'get'> = {},
): Promise<Answer<P, 'get'>> {
  const preferences = [
    ...(path === '/api/duels/{code}' ? ['receipt'] : []),
    ...(request.wait ? [`wait=${request.wait}`] : []),
  ];
  const headers: HeadersInit = preferences.length > 0 ? { Prefer: preferences.join(', ') } : {};
  // The browser's cache serializes equal requests: a long poll would block the same request from another tab.
  const cache = request.wait ? 'no-store' : 'default';
  const limit = request.wait
    ? request.wait * 1000 + attemptMs
    : path === '/api/duels/{code}'
      ? attemptMs
      : readMs;
  return send((signal) => fetch(address(path, request), { signal, headers, cache }), limit, request.signal);
}

/**
 * Sends a POST. Without a complete response, and after one that permits it, it sends the request again with the same
 * Idempotency-Key, so that the operation runs at most once. It also renews an outdated CSRF token.
 */
export async function post<P extends PathsWith<'post'>>(
  path: P,
  request: Request<P, 'post'> & { body?: Body<P> } = {},
): Promise<Answer<P, 'post'>> {
  const key = randomHex(16);
  const attempt = () =>
    send<Answer<P, 'post'>>(
      (signal) =>
        fetch(address(path, request), {
          method: 'POST',
          body: JSON.stringify(request.body ?? {}),
          headers: {
            'Content-Type': 'application/json',
            'X-CSRF-Token': csrf,
            'Idempotency-Key': `"${key}"`,
            // What the house states about a game comes signed.
            Prefer: request.wait ? `receipt, wait=${request.wait}` : 'receipt',
          },
          signal,
        }),
      (request.wait ?? 0) * 1000 + attemptMs,
      request.signal,
      path,
    ).finally(() => posts++);
  for (let n = 1; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      const delay = n < (isStep(path) ? stepAttempts : attempts) ? delayAfter(error, n, path) : null;
      if (delay === null) throw error;
      if (error instanceof ApiError && error.code === 'csrf_failed') await get('/api/me');
      await new Promise((done) => setTimeout(done, delay));
      request.signal?.throwIfAborted();
    }
  }
}

/** Returns the milliseconds after which a POST is repeated whose attempt `n` failed; null if no repetition helps. */
function delayAfter(error: unknown, n: number, path: string): number | null {
  if (error instanceof Unreachable) return Math.min(1000 * (n - 1), maxDelayMs);
  if (!(error instanceof ApiError)) return null;
  // A recovery replaces the commitment of the next run, which needs another client seed.
  if (error.code === 'recovering' && path === '/api/runs') return null;
  if (error.code === 'csrf_failed') return n === 1 ? 0 : null;
  // The server still processes an earlier attempt, whose response will be stored shortly, or a concurrent change.
  if (error.code === 'idempotency_in_flight' || error.code === 'conflict') return 500;
  if (error.status !== 408 && error.status !== 429 && error.status < 500) return null;
  const delay = error.retryAfterMs ?? 1000;
  if (isStep(path)) return Math.min(delay, maxDelayMs);
  return delay <= maxDelayMs ? delay : null;
}

/** Returns the milliseconds that the header Retry-After states, in seconds or as a date; null without one. */
function retryAfterMs(headers: Headers): number | null {
  const text = headers.get('Retry-After') ?? '';
  const ms = /^\d+$/.test(text) ? 1000 * Number(text) : Date.parse(text) - serverTime();
  return ms > 0 ? ms : null;
}

/** Returns `bytes` random bytes of the browser's CSPRNG in hex. */
export function randomHex(bytes: number): string {
  return hex(crypto.getRandomValues(new Uint8Array(bytes)));
}

function address(path: string, request: { path?: unknown; query?: unknown }): string {
  const values = (request.path ?? {}) as Record<string, string | number>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name] ?? '')),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(
    (request.query ?? {}) as Record<string, string | number | undefined>,
  )) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size > 0 ? `${filled}?${query.toString()}` : filled;
}

/**
 * Sends a request and reads the response, for at most `limit` milliseconds and until `signal` aborts. `posted` is the
 * path of a POST.
 */
async function send<T>(
  call: (signal: AbortSignal) => Promise<Response>,
  limit: number,
  signal?: AbortSignal,
  posted = '',
): Promise<T> {
  let response: Response;
  let body: unknown;
  await pace.acquire(isStep(posted) ? maxStepPaceMs : Infinity);
  let headers: Headers | null = null;
  const attempt = new AbortController();
  const abort = () => attempt.abort();
  const timer = setTimeout(abort, limit);
  signal?.addEventListener('abort', abort);
  try {
    signal?.throwIfAborted();
    response = await call(attempt.signal);
    headers = response.headers;
    const date = Date.parse(response.headers.get('Date') ?? '');
    // Date is truncated to seconds, so half a second is added. Offsets below 1.5 s are ignored.
    if (date) clockOffset = Math.abs(date + 500 - Date.now()) < 1500 ? 0 : date + 500 - Date.now();
    const { status, ok } = response;
    body = await response.json().catch((error: unknown) => {
      // A proxy may refuse a request without JSON. From 500 on, it has none from the service.
      if (ok || status >= 500) throw error;
      return {};
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable('The server did not respond.');
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    pace.release(headers);
  }
  const recovers = response.headers.has('Roshambo-Recovering');
  if (recovers || response.ok) recovering(recovers); // an error may be a proxy's
  const members = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  if (!response.ok) {
    const error = new ApiError(response, members);
    if (isSessionOver(error)) sessionOver();
    throw error;
  }
  // Responses that open or describe a session carry the CSRF token for the next POST.
  if (typeof members.csrf_token === 'string') csrf = members.csrf_token;
  keepReceipts(members, posted);
  return body as T;
}

/** Returns the messages of a validation response by field of the body: `loc` is ["body", name]. */
function fieldErrors(detail: unknown): Record<string, string> {
  const messages: Record<string, string> = {};
  for (const entry of Array.isArray(detail) ? (detail as unknown[]) : []) {
    const { loc, msg } = entry as { loc?: unknown; msg?: unknown };
    if (!Array.isArray(loc) || loc[0] !== 'body' || typeof loc[1] !== 'string') continue;
    messages[loc[1]] ??= String(msg);
  }
  return messages;
}

/** Returns the first message of a validation response, or a generic sentence. */
function sentence(status: number, detail: unknown): string {
  const first: unknown = Array.isArray(detail) ? detail[0] : undefined;
  if (typeof first === 'object' && first !== null && 'msg' in first && typeof first.msg === 'string')
    return first.msg;
  return t('The server responded with status {status}.', { status });
}
