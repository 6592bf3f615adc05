// The errors of this package. A program decides by their class or by their code, never by their message.

/** The base of all errors of this package. */
export class RoshamboError extends Error {
  override readonly name: string = 'RoshamboError';
}

/** The service answered with an error. Its subclasses are for groups of statuses; `code` is for one cause. */
export class ServiceError extends RoshamboError {
  override readonly name: string = 'ServiceError';
  /** The HTTP status. */
  readonly status: number;
  /** A code of docs/errors.md, whose list may grow; `invalid` for a 422, `unknown` for an answer of a proxy. */
  readonly code: string;
  /** Identifies the request in the service's log; null if a proxy answered. */
  readonly requestId: string | null;
  /** The seconds after which a repetition can succeed; null if the answer names none. */
  readonly retryAfter: number | null;
  /** Each invalid value of a 422, in one sentence. */
  readonly detail: readonly string[];
  /** All members of the answer, of which some errors have more; `message` is a sentence for people. */
  readonly body: Readonly<Record<string, unknown>>;

  /** Takes an answer and the text of its body, which can be anything if a proxy wrote it. */
  constructor(response: Response, text: string) {
    const body = members(text);
    const detail = violations(body.detail);
    let code = 'unknown';
    let sentence = response.statusText;
    if (detail.length > 0) {
      code = 'invalid';
      sentence = `the request is invalid: ${detail.join('; ')}`;
    } else if (typeof body.code === 'string' && body.code !== '') {
      ({ code } = body as { code: string });
      sentence = typeof body.message === 'string' ? body.message : '';
    }
    const requestId = response.headers.get('X-Request-Id');
    super(`${response.status} ${code}: ${sentence}${requestId === null ? '' : ` (request ${requestId})`}`);
    this.status = response.status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter(body.retry_after_ms, response.headers.get('Retry-After') ?? '');
    this.detail = detail;
    this.body = body;
  }
}

/** 422: the request violates the contract; `detail` has every violation. It had no effect. */
export class InvalidRequest extends ServiceError {
  override readonly name = 'InvalidRequest';
}

/** 401: the key or session is missing, unknown or no longer valid. */
export class Unauthenticated extends ServiceError {
  override readonly name = 'Unauthenticated';
}

/** 403: the caller may not do this. */
export class Forbidden extends ServiceError {
  override readonly name = 'Forbidden';
}

/** 404: nothing exists under this name. */
export class NotFound extends ServiceError {
  override readonly name = 'NotFound';
}

/** 409: the state does not allow this; `code` says why. */
export class Conflict extends ServiceError {
  override readonly name = 'Conflict';
}

/** 429: too many calls, and the retry budget has no room for the delay. */
export class RateLimited extends ServiceError {
  override readonly name = 'RateLimited';
}

/** 408, 500 or above: the service or the network is in trouble, for longer than the retry budget. */
export class Unavailable extends ServiceError {
  override readonly name = 'Unavailable';
}

const KINDS = new Map<number, typeof ServiceError>([
  [401, Unauthenticated],
  [403, Forbidden],
  [404, NotFound],
  [408, Unavailable],
  [409, Conflict],
  [422, InvalidRequest],
  [429, RateLimited],
]);

/** Returns the error of an answer, of the class for its status. */
export function serviceError(response: Response, text: string): ServiceError {
  const kind = KINDS.get(response.status) ?? (response.status >= 500 ? Unavailable : ServiceError);
  return new kind(response, text);
}

/**
 * No connection, or no complete answer, for longer than the retry budget. A call that changes something may have had its
 * effect.
 */
export class ConnectionError extends RoshamboError {
  override readonly name = 'ConnectionError';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** A complete answer with status 200 that is not what the contract states. */
export class AnswerError extends RoshamboError {
  override readonly name = 'AnswerError';
}

/**
 * The house did not sign both commitments of a round, or signed something else than it answered. Nothing is revealed
 * after it: after a reveal, the house could exchange the opponent's commitment (docs/protocol.md, section 11).
 */
export class ReceiptError extends RoshamboError {
  override readonly name = 'ReceiptError';
}

/**
 * The house has recorded other texts than were sent, or states another commitment for a run than before. It could have
 * chosen its hands then. Another program that plays the same account is the harmless reason.
 */
export class TextsError extends RoshamboError {
  override readonly name = 'TextsError';
}

/** A stored state is not what this package writes. */
export class StateError extends RoshamboError {
  override readonly name = 'StateError';
}

/** Returns the members of a JSON object; none for any other text. */
function members(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Returns the violations of a 422 as sentences, each with the place of the value. */
function violations(detail: unknown): string[] {
  if (!Array.isArray(detail)) return [];
  return (detail as unknown[]).map((entry) => {
    const { loc, msg } = (entry ?? {}) as { loc?: unknown; msg?: unknown };
    return `${Array.isArray(loc) ? loc.join('.') : ''}: ${String(msg)}`;
  });
}

/** Returns the delay in seconds: retry_after_ms is more precise than the header, which a proxy may write as a date. */
function retryAfter(milliseconds: unknown, header: string): number | null {
  if (typeof milliseconds === 'number' && milliseconds > 0) return milliseconds / 1000;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}
