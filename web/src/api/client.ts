// The one way to the server. Every call is same-origin with the session cookie; what the contract asks of a browser
// (the CSRF header, Idempotency-Key) is added here, and every failure comes out as one of two errors.

import { hex } from '../text/hex.ts';
import * as pace from './pace.ts';
import type { paths } from './schema.d.ts';

type PathsWith<M extends 'get' | 'post'> = {
  [P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never;
}[keyof paths];

/** What a path answers with status 200. */
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

/** The body a path takes. */
export type Body<P extends keyof paths> = paths[P]['post'] extends {
  requestBody?: { content: { 'application/json': infer T } };
}
  ? T
  : never;

interface Request<P extends keyof paths, M extends 'get' | 'post'> {
  path?: Part<P, M, 'path'>;
  query?: Part<P, M, 'query'>;
  signal?: AbortSignal;
  /** Seconds that the server may hold the answer until there is news (Prefer: wait). */
  wait?: number;
}

/** The server answered, and the answer is no. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** One of the closed list of codes; "invalid" for a 422, "unknown" for an answer that is not the service's own. */
  readonly code: string;
  readonly requestId: string | null;
  /** How long to wait before the same call may succeed, in milliseconds; null when waiting does not help. */
  readonly retryAfterMs: number | null;
  /** What is wrong with single fields of the body, by name; of a 422. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(response: Response, body: Record<string, unknown>) {
    super(typeof body.message === 'string' ? body.message : sentence(response.status, body.detail));
    this.status = response.status;
    this.code = typeof body.code === 'string' ? body.code : response.status === 422 ? 'invalid' : 'unknown';
    this.requestId =
      typeof body.request_id === 'string' ? body.request_id : response.headers.get('X-Request-Id');
    this.fields = fieldErrors(body.detail);
    const seconds = Number(response.headers.get('Retry-After'));
    this.retryAfterMs =
      typeof body.retry_after_ms === 'number' ? body.retry_after_ms : seconds > 0 ? seconds * 1000 : null;
  }
}

/** No answer came: offline, the server is away, or the connection broke. Whether a POST had its effect is unknown. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

let csrf = '';
let answered = 0;
let ahead = 0;

/** Unix milliseconds by the server's clock, to within a second: deadlines are its own. */
export function serverTime(now = Date.now()): number {
  return now + ahead;
}

/** How many POSTs were answered so far: an answer to a question asked before the last of them may be out of date. */
export function postsAnswered(): number {
  return answered;
}

export function get<P extends PathsWith<'get'>>(
  path: P,
  request: Request<P, 'get'> = {},
): Promise<Answer<P, 'get'>> {
  const headers: HeadersInit = request.wait ? { Prefer: `wait=${request.wait}` } : {};
  // A held answer must not stand in the way of the same question from another tab, as it would in the browser's cache.
  const cache = request.wait ? 'no-store' : 'default';
  return send(() => fetch(address(path, request), { signal: request.signal ?? null, headers, cache }));
}

/**
 * One POST. A broken connection is tried once more under the same Idempotency-Key, so that nothing happens twice; an
 * outdated CSRF token is renewed once; an answer that is still being made is asked for again.
 */
export async function post<P extends PathsWith<'post'>>(
  path: P,
  request: Request<P, 'post'> & { body?: Body<P> } = {},
): Promise<Answer<P, 'post'>> {
  const key = randomHex(16);
  const attempt = () =>
    send<Answer<P, 'post'>>(() =>
      fetch(address(path, request), {
        method: 'POST',
        body: JSON.stringify(request.body ?? {}),
        headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf, 'Idempotency-Key': `"${key}"` },
      }),
    ).finally(() => answered++);
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'csrf_failed') await get('/api/me');
    else if (!(error instanceof Unreachable)) throw error;
    return attempt().catch(async (again: unknown) => {
      // The broken call is under way on the server: its answer will be there in a moment.
      if (!(again instanceof ApiError) || again.code !== 'idempotency_in_flight') throw again;
      await new Promise((done) => setTimeout(done, 500));
      return attempt();
    });
  }
}

/** `bytes` random bytes of the browser's CSPRNG, in hex. */
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

async function send<T>(call: () => Promise<Response>): Promise<T> {
  let response: Response;
  let body: unknown;
  await pace.turn();
  let headers: Headers | null = null;
  try {
    response = await call();
    headers = response.headers;
    const date = Date.parse(response.headers.get('Date') ?? '');
    // Whole seconds, cut off: half a second is the better guess; a clock that is about right is left alone.
    if (date) ahead = Math.abs(date + 500 - Date.now()) < 1500 ? 0 : date + 500 - Date.now();
    body = await response.json();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Unreachable('The server did not answer.');
  } finally {
    pace.answered(headers);
  }
  const members = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  if (!response.ok) throw new ApiError(response, members);
  // Every answer that opens or describes a session carries the token that the next POST needs.
  if (typeof members.csrf_token === 'string') csrf = members.csrf_token;
  return body as T;
}

/** The messages of a validation answer that speak of one field of the body: `loc` is ["body", name]. */
function fieldErrors(detail: unknown): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of Array.isArray(detail) ? (detail as unknown[]) : []) {
    const { loc, msg } = entry as { loc?: unknown; msg?: unknown };
    if (!Array.isArray(loc) || loc[0] !== 'body' || typeof loc[1] !== 'string') continue;
    found[loc[1]] ??= String(msg);
  }
  return found;
}

/** A validation answer as one sentence: the first entry says enough to a person. */
function sentence(status: number, detail: unknown): string {
  const first: unknown = Array.isArray(detail) ? detail[0] : undefined;
  if (typeof first === 'object' && first !== null && 'msg' in first && typeof first.msg === 'string')
    return first.msg;
  return `The server answered with status ${status}.`;
}
