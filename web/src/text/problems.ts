// Failures, said to people: what happened, and what to do. Codes are the contract's closed list.

import { ApiError, Unreachable } from '../api/client.ts';
import { CodeMissing } from '../code.ts';

export interface Problem {
  title: string;
  advice: string;
  /** Milliseconds until trying again makes sense; null when waiting does not help. */
  waitMs: number | null;
  /** The same call may succeed when it is made again. */
  again: boolean;
  requestId: string | null;
}

const known: Record<string, [title: string, advice: string]> = {
  not_found: ['There is nothing here.', 'Check the address: a character may be missing.'],
  rate_limited: [
    'That was a lot of requests at once.',
    'The server counts per network address and lets you on in a moment.',
  ],
  insufficient_funds: [
    'You don’t have enough coins for this.',
    'Choose something cheaper, or collect free coins on your account page.',
  ],
  faucet_not_ready: ['You collected your coins a while ago.', 'They come again when the countdown is over.'],
  balance_too_high: ['You still have plenty.', 'Free coins are for those who are running low.'],
  run_active: [
    'You already have a run on the table.',
    'Play it to its end first; it may be open in another tab.',
  ],
  run_state: ['The run has moved on.', 'It was changed in another tab; what you see now is the latest.'],
  no_token: ['There is no token to burn.', 'Choose another entry below.'],
  not_owner: ['That token is not in your wallet.', 'It may have been burnt or sold meanwhile.'],
  idempotency_in_flight: [
    'The house is still at it.',
    'Your last step is being written down; look again in a moment.',
  ],
  limit_reached: [
    'That’s as many as there may be.',
    'An entry comes back tomorrow; a key or bot needs room first.',
  ],
  unauthenticated: ['Your session is over.', 'Throw a hand and you are playing again.'],
  bad_credentials: ['That did not match.', 'Check the username and the password.'],
  username_taken: ['Somebody has this name already.', 'Choose another one.'],
  already_registered: ['This account has a password already.', 'Sign in with it.'],
  link_invalid: ['This link does not work any more.', 'Ask for another one.'],
  csrf_failed: ['Your session changed in another tab.', 'Reload the page and try again.'],
  invalid: ['The server did not accept that.', 'Check what you entered.'],
  storage_full: ['The house has no room to write this down.', 'Nothing was taken. Try again later.'],
  not_stored: ['The house is busy for a moment.', 'Nothing was taken. Try again shortly.'],
  unavailable: ['The house is busy for a moment.', 'Nothing is lost. Try again shortly.'],
  internal: [
    'Something broke on our side.',
    'Nothing of yours is lost. Try again; if it stays, tell us the request id.',
  ],
};

/** Any thrown value as a problem that a person can read. */
export function problem(error: unknown): Problem {
  if (error instanceof Unreachable) {
    return {
      title: navigator.onLine ? 'The server does not answer.' : 'You are offline.',
      advice:
        'Nothing is lost: the server keeps what you began, and this page goes on when the connection is back.',
      waitMs: null,
      again: true,
      requestId: null,
    };
  }
  if (error instanceof CodeMissing) {
    return {
      title: navigator.onLine ? 'This part of the page could not be loaded.' : 'You are offline.',
      advice: 'The page tries again by itself as soon as the server answers.',
      waitMs: null,
      again: true,
      requestId: null,
    };
  }
  if (error instanceof ApiError) {
    const [title, advice] = known[error.code] ?? [error.message, ''];
    // A validation message names the field; that beats any sentence of ours.
    const detail = error.code === 'invalid' ? error.message : advice;
    return {
      title,
      advice: detail,
      waitMs: error.retryAfterMs,
      again: error.status === 429 || error.status >= 500,
      requestId: error.status >= 500 ? error.requestId : null,
    };
  }
  return {
    title: 'This page stumbled.',
    advice: error instanceof Error ? error.message : String(error),
    waitMs: null,
    again: true,
    requestId: null,
  };
}
