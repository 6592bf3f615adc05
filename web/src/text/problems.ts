// Error messages: what happened and what to do. The codes are the contract's closed list.

import { ApiError, Unreachable } from '../api/client.ts';
import { ChunkLoadError } from '../chunks.ts';

export interface Problem {
  title: string;
  advice: string;
  /** Milliseconds until a retry may succeed; null when waiting does not help. */
  waitMs: number | null;
  /** The same request may succeed later. */
  retryable: boolean;
  requestId: string | null;
}

const known: Record<string, [title: string, advice: string]> = {
  not_found: ['Not found.', 'Check the address for typos.'],
  rate_limited: ['Too many requests.', 'The limit applies to your network address. Wait a moment.'],
  insufficient_funds: ['You don’t have enough coins.', 'Bound coins pay run entries only.'],
  faucet_not_ready: ['You have already collected coins.', 'Wait until the countdown ends.'],
  balance_too_high: [
    'Your balance is too high to collect coins.',
    'They are for players who are low on coins.',
  ],
  run_active: ['You already have an active run.', 'Finish it first. It may be open in another tab.'],
  run_state: ['The run has changed.', 'Another tab changed it. This page now shows the latest state.'],
  no_token: ['You have no token to burn.', 'Choose another entry below.'],
  token_bound: ['This token is bound.', 'Keep it, burn it to enter a run, or sell it to the house.'],
  not_owner: ['This token is not in your wallet.', 'It may have been burned or sold.'],
  idempotency_in_flight: ['Your last request is still in progress.', 'Try again in a moment.'],
  limit_reached: [
    'You have reached the limit.',
    'Entries renew tomorrow. For another key or bot, remove one first.',
  ],
  unauthenticated: ['Your session has ended.', 'Your next throw starts a new one.'],
  bad_credentials: ['Username or password is wrong.', 'Check both and try again.'],
  account_frozen: ['This account is frozen.', 'Ask the operator of the service.'],
  sign_in_required: [
    'This needs your password or a recent sign-in.',
    'Enter the password, or sign out and in again and repeat it within 10 minutes.',
  ],
  last_credential: [
    'This is the only way to sign in to your account.',
    'Set a password or add another email address first.',
  ],
  forbidden: ['You may not do this.', 'It belongs to another player, or your key does not permit it.'],
  username_taken: ['This name is taken.', 'Choose another name.'],
  already_registered: ['This account already has a password.', 'Sign in with it.'],
  link_invalid: ['This link is no longer valid.', 'Request a new one.'],
  csrf_failed: ['Your session changed in another tab.', 'Reload the page and try again.'],
  invalid: ['The input is not valid.', 'Check your input.'],
  storage_full: ['The server’s storage is full.', 'You were not charged. Try again later.'],
  not_stored: ['The server is busy.', 'You were not charged. Try again shortly.'],
  unavailable: ['The server is busy.', 'Try again shortly.'],
  internal: ['The server had an internal error.', 'Try again. If the error persists, report the request ID.'],
};

/** Returns the user-facing description of a thrown value. */
export function problem(error: unknown): Problem {
  if (error instanceof Unreachable) {
    return {
      title: navigator.onLine ? 'The server does not respond.' : 'You are offline.',
      advice: 'Your progress is saved on the server. The page reconnects automatically.',
      waitMs: null,
      retryable: true,
      requestId: null,
    };
  }
  if (error instanceof ChunkLoadError) {
    return {
      title: navigator.onLine ? 'This part of the page could not be loaded.' : 'You are offline.',
      advice: 'The page retries automatically.',
      waitMs: null,
      retryable: true,
      requestId: null,
    };
  }
  if (error instanceof Error && error.name === 'Unsigned') {
    return {
      title: 'The house has not signed both hands.',
      advice:
        'Yours stays sealed until it has: it could exchange the other one. The page retries automatically.',
      waitMs: null,
      retryable: true,
      requestId: null,
    };
  }
  if (error instanceof ApiError) {
    const [title, advice] = known[error.code] ?? [error.message, ''];
    // A validation message names the field, so it is more specific than the general advice.
    const detail = error.code === 'invalid' ? error.message : advice;
    return {
      title,
      advice: detail,
      waitMs: error.retryAfterMs,
      retryable: error.status === 429 || error.status >= 500,
      requestId: error.status >= 500 ? error.requestId : null,
    };
  }
  return {
    title: 'Something went wrong.',
    advice: error instanceof Error ? error.message : String(error),
    waitMs: null,
    retryable: true,
    requestId: null,
  };
}
