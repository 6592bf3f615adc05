// Sends calls: it adds the key or the session and the Idempotency-Key, keeps to the request limit, and repeats a call
// whose repetition can succeed. A repetition is the same request, byte by byte.

import { queryText, stepOf, type Call } from './call.js';
import { AnswerError, ConnectionError, serviceError, ServiceError } from './errors.js';
import type { Logger } from './log.js';
import { Pace, rateLimit, type RateLimit } from './pace.js';
import { randomHex } from './text.js';
import { sleep } from './time.js';

/** The settings of a transport; durations in seconds. */
export interface TransportSettings {
  base: string;
  key: string;
  timeout: number;
  retryBudget: number;
  log: Logger;
  fetch: Fetch;
}

/** Sends a request, as the global fetch does. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** An answer whose body has been read. */
interface Answer {
  response: Response;
  body: Uint8Array;
}

/** An answer whose body goes on. `close` ends it. */
export interface Stream {
  body: ReadableStream<Uint8Array>;
  close: () => void;
}

/** The facts about an answer besides its body. */
export interface Meta {
  /** Identifies the request in the service's log; null for an answer of a proxy. */
  requestId: string | null;
  /** The request limit after this call; null if the answer does not state it. */
  rateLimit: RateLimit | null;
  /** Whether the service held the answer, or would have: `Prefer: wait` took effect. */
  held: boolean;
  /** Whether this is the stored answer to an earlier call with the same Idempotency-Key. */
  replayed: boolean;
}

/** The delay before the first repetition of a call without Retry-After, which doubles up to the second, in seconds. */
export const [FIRST_WAIT, MAX_WAIT] = [0.1, 10];

/** The longest delay by pacing that is not logged, in seconds. No step of a duel has a longer one. */
const LONG_PAUSE = 10;

/** How much of an error the log has at each repetition: the message of the service may have megabytes. */
const MAX_LOGGED = 200;

/** The most bytes of an answer, or of one line of an answer that goes on. */
export const MAX_ANSWER = 16 * 2 ** 20;

/** The statuses after which a repetition can succeed. */
const LATER = [408, 429, 500, 502, 503, 504];

/** The statuses among them, and the codes, that state that the call has had no effect. */
const REFUSED = [408, 429];
const WITHOUT_EFFECT = ['not_stored', 'recovering', 'storage_full'];

/** What repetitions of a call have in common. */
interface Request {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

const metas = new WeakMap<object, Meta>();

/** Returns the facts about the answer that a method of a client has returned; undefined for any other value. */
export function metaOf(answer: unknown): Meta | undefined {
  return typeof answer === 'object' && answer !== null ? metas.get(answer) : undefined;
}

export class Transport {
  readonly pace = new Pace();
  readonly log: Logger;
  /** The most seconds of all delays between the attempts of a call. */
  readonly retryBudget: number;
  readonly #settings: TransportSettings;
  /** The session of a client without a key: its CSRF token, and outside of browsers its cookies. */
  #csrf = '';
  readonly #cookies = new Map<string, string>();

  constructor(settings: TransportSettings) {
    this.#settings = settings;
    this.log = settings.log;
    this.retryBudget = settings.retryBudget;
  }

  /**
   * Sends a call and returns the JSON of its answer. Errors: ServiceError, ConnectionError, AnswerError, the reason of
   * the call's signal, and TypeError for a key or an Idempotency-Key that no header can have.
   */
  async json<T>(call: Call): Promise<T> {
    const request = this.#request(call);
    return this.#repeat(call, async () => {
      const { response, body } = await this.#attempt(call, request);
      const value = parse(body, call.operation);
      if (typeof value === 'object' && value !== null) {
        if (!this.#settings.key) this.#remember(response, value);
        metas.set(value, metaFrom(response));
      }
      return value as T;
    });
  }

  /** Sends a call and returns the bytes of its answer. Errors: as of `json`. */
  async bytes(call: Call): Promise<Uint8Array> {
    const request = this.#request(call);
    return (await this.#repeat(call, () => this.#attempt(call, request))).body;
  }

  /** Sends a call and returns its answer while it goes on. Errors: as of `json`. */
  async open(call: Call): Promise<Stream> {
    const request = this.#request(call);
    return this.#repeat(call, () => this.#attempt(call, request, true));
  }

  /** Repeats attempts until one succeeds, none can, or the delays between them exceed the budget. */
  async #repeat<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    const { signal } = call.options;
    // Only delays between attempts count against the budget: delays of pacing are not caused by an error.
    let waited = 0;
    let backoff = FIRST_WAIT;
    let renewed = false;
    for (;;) {
      await this.#awaitTurn(call);
      try {
        return await attempt();
      } catch (error) {
        if (signal?.aborted) throw error;
        if (!renewed && this.#lacksToken(error)) {
          renewed = true;
          await this.json({ operation: 'getMe', method: 'GET', path: '/api/me', options: { signal } });
          continue;
        }
        const later = delayAfter(error, call);
        if (later === null) throw error;
        const { retry, backoff: pause } = stepOf(call) ?? { retry: Infinity, backoff: Infinity };
        const asked = Math.max(Math.min(later, retry), Math.min(backoff, pause));
        const wait = asked * (1 + Math.random() / 4); // those refused together do not return together
        waited += wait;
        if (waited > this.retryBudget) throw error; // before the delay that would exceed it, not after
        const reason = String(error).slice(0, MAX_LOGGED);
        this.log.warn('repeating a call', { operation: call.operation, seconds: wait, error: reason });
        await sleep(wait, signal);
        backoff = Math.min(2 * backoff, MAX_WAIT);
      }
    }
  }

  /** Waits as long as the request limit asks for: within a duel it sends a step in time, and a read after it. */
  async #awaitTurn(call: Call): Promise<void> {
    const { operation, method } = call;
    const step = stepOf(call);
    const until = step ? performance.now() + 1000 * step.pace * (method === 'GET' ? 2 : 1) : undefined;
    for (let wait = this.pace.reserve(until); wait > 0; wait = this.pace.reserve(until)) {
      if (wait > 1000 * LONG_PAUSE) this.log.info('waiting for the request limit', { operation, seconds: wait / 1000 });
      await sleep(wait / 1000, call.options.signal);
    }
  }

  /** Returns what all attempts of a call share. */
  #request(call: Call): Request {
    const { wait = 0, receipts = false, idempotencyKey } = call.options;
    const headers: Record<string, string> = {};
    if (this.#settings.key) headers.Authorization = `Bearer ${this.#settings.key}`;
    const preferences = [...(receipts ? ['receipt'] : []), ...(wait >= 1 ? [`wait=${Math.floor(wait)}`] : [])];
    if (preferences.length > 0) headers.Prefer = preferences.join(', ');
    let body: string | null = null;
    if (call.method === 'POST') {
      headers['Content-Type'] = 'application/json';
      if (call.idempotent) headers['Idempotency-Key'] = idempotencyKey ?? randomHex(16);
      body = JSON.stringify(call.body ?? {});
    }
    new Headers(headers); // an invalid one would fail as if the connection were broken, again and again
    return { url: this.#settings.base + call.path + queryText(call.query), headers, body };
  }

  #attempt(call: Call, request: Request): Promise<Answer>;
  #attempt(call: Call, request: Request, stream: true): Promise<Stream>;
  async #attempt(call: Call, request: Request, stream = false): Promise<Answer | Stream> {
    const { signal } = call.options;
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    const close = (): void => {
      signal?.removeEventListener('abort', abort);
      abort();
    };
    // It covers the body, too, unless that goes on.
    const timer = setTimeout(abort, 1000 * this.#attemptTimeout(call));
    let headers: Headers | null = null;
    let streams = false;
    try {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', abort);
      const response = await this.#fetch(call, request, controller.signal);
      headers = response.headers;
      if (response.ok && stream && response.body) {
        streams = true;
        return { body: response.body, close };
      }
      const body = await readAll(response);
      if (!response.ok) throw serviceError(response, new TextDecoder().decode(body));
      return { response, body };
    } catch (error) {
      if (error instanceof ServiceError || error instanceof AnswerError) throw error;
      signal?.throwIfAborted();
      throw new ConnectionError(`${call.operation}: no complete answer from ${this.#settings.base}`, error);
    } finally {
      clearTimeout(timer);
      if (!streams) signal?.removeEventListener('abort', abort);
      this.pace.release(headers);
    }
  }

  #fetch(call: Call, { url, headers, body }: Request, signal: AbortSignal): Promise<Response> {
    const session: Record<string, string> = {};
    if (!this.#settings.key) {
      if (this.#csrf && call.method === 'POST') session['X-CSRF-Token'] = this.#csrf;
      if (this.#cookies.size > 0) session.Cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ');
    }
    const { fetch } = this.#settings; // without a receiver, which browsers refuse
    return fetch(url, {
      method: call.method,
      headers: { ...headers, ...session },
      body,
      signal,
      redirect: 'manual', // no answer of the API redirects
      cache: 'no-store',
    });
  }

  #attemptTimeout(call: Call): number {
    const { timeout = stepOf(call)?.attempt ?? this.#settings.timeout, wait = 0 } = call.options;
    return timeout + wait;
  }

  /** Whether a call of a session lacked its token, as the first POST after a page was loaded does. */
  #lacksToken(error: unknown): boolean {
    return !this.#settings.key && error instanceof ServiceError && error.code === 'csrf_failed';
  }

  /** Keeps the token and the cookies of a session. A browser keeps the cookies itself and hides them. */
  #remember(response: Response, value: object): void {
    const { headers } = response;
    for (const cookie of 'getSetCookie' in headers ? headers.getSetCookie() : []) {
      const [, name, content] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? [];
      if (name === undefined || content === undefined) continue;
      if (content === '' || /; *max-age=(0|-\d+) *(;|$)/i.test(cookie)) this.#cookies.delete(name);
      else this.#cookies.set(name, content);
    }
    if ('csrf_token' in value && typeof value.csrf_token === 'string') this.#csrf = value.csrf_token;
  }
}

/**
 * Returns the seconds after which a call can be repeated that has failed, 0 if the answer names none; null if no
 * repetition helps.
 */
function delayAfter(error: unknown, call: Call): number | null {
  // Without an Idempotency-Key a repetition is another call, so the first one must have had no effect.
  const safe = call.method === 'GET' || call.idempotent === true;
  if (error instanceof ConnectionError) return safe ? 0 : null;
  if (!(error instanceof ServiceError)) return null;
  // An earlier attempt is still being processed; its answer will be stored.
  if (error.code === 'idempotency_in_flight') return error.retryAfter ?? 0;
  // A recovery replaces the commitment of the next run, which needs another client seed.
  if (error.code === 'recovering' && call.operation === 'startRun') return null;
  if (!LATER.includes(error.status)) return null;
  if (!safe && !REFUSED.includes(error.status) && !WITHOUT_EFFECT.includes(error.code)) return null;
  return error.retryAfter ?? 0;
}

/** Returns the body of an answer. Errors: AnswerError for one that no honest service sends. */
async function readAll(response: Response): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    parts.push(part.value);
    size += part.value.length;
    if (size <= MAX_ANSWER) continue;
    await reader?.cancel(); // it would hold its connection
    throw new AnswerError(`an answer is larger than ${MAX_ANSWER} bytes`);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

/** Returns the facts about an answer besides its body. */
function metaFrom({ headers }: Response): Meta {
  return {
    requestId: headers.get('X-Request-Id'),
    rateLimit: rateLimit(headers),
    held: /\bwait=/.test(headers.get('Preference-Applied') ?? ''),
    replayed: headers.has('Idempotent-Replayed'),
  };
}

/** Parses the JSON of an answer. */
function parse(body: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch (error) {
    throw new AnswerError(`${what}: the answer is not JSON`, { cause: error });
  }
}
