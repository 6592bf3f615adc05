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
    const seconds = Number(response.headers.get('Retry-After'));
    this.retryAfterMs =
      typeof body.retry_after_ms === 'number' ? body.retry_after_ms : seconds > 0 ? seconds * 1000 : null;
  }
}

let csrf = '';
let posts = 0;
let clockOffset = 0;

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
  return send(() => fetch(address(path, request), { signal: request.signal ?? null, headers, cache }));
}

/**
 * Sends a POST. After a broken connection it retries once with the same Idempotency-Key, so that the operation runs at
 * most once. It renews an outdated CSRF token once, and repeats a request that the server is still processing.
 */
export async function post<P extends PathsWith<'post'>>(
  path: P,
  request: Request<P, 'post'> & { body?: Body<P> } = {},
): Promise<Answer<P, 'post'>> {
  const key = randomHex(16);
  const attempt = () =>
    send<Answer<P, 'post'>>(
      () =>
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
          signal: request.signal ?? null,
        }),
      path,
    ).finally(() => posts++);
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'csrf_failed') await get('/api/me');
    else if (!(error instanceof Unreachable)) throw error;
    return attempt().catch(async (again: unknown) => {
      // The server still processes the first attempt; its response will be stored shortly.
      if (!(again instanceof ApiError) || again.code !== 'idempotency_in_flight') throw again;
      await new Promise((done) => setTimeout(done, 500));
      return attempt();
    });
  }
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

/** `posted` is the path of a POST. */
async function send<T>(call: () => Promise<Response>, posted = ''): Promise<T> {
  let response: Response;
  let body: unknown;
  await pace.acquire();
  let headers: Headers | null = null;
  try {
    response = await call();
    headers = response.headers;
    const date = Date.parse(response.headers.get('Date') ?? '');
    // Date is truncated to seconds, so half a second is added. Offsets below 1.5 s are ignored.
    if (date) clockOffset = Math.abs(date + 500 - Date.now()) < 1500 ? 0 : date + 500 - Date.now();
    body = await response.json();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Unreachable('The server did not respond.');
  } finally {
    pace.release(headers);
  }
  const members = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  if (!response.ok) throw new ApiError(response, members);
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
