// Error messages: what happened and what to do. Other codes than these have the words of the service, of which the
// catalogs translate those that players meet (words/served.json).

import { ApiError, Unreachable } from '../api/client.ts';
import { ChunkLoadError } from '../chunks.ts';
import { defaultWaitMs, levelOf, type Level } from '../stores/levels.ts';
import { t } from './language.ts';

export interface Problem {
  /** Waiting helps, or not. */
  level: Exclude<Level, 'alarm'>;
  title: string;
  advice: string;
  /** Milliseconds until a retry may succeed; null when waiting does not help. */
  waitMs: number | null;
  /** The same request may succeed later. */
  retryable: boolean;
  requestId: string | null;
}

const known: Record<string, [title: string, advice: string]> = {
  not_found: [t('Not found.'), t('Check the address for typos.')],
  rate_limited: [t('Busy: too many requests at once.'), t('The limit applies to your network address.')],
  insufficient_funds: [t('You don’t have enough coins.'), t('Bound coins pay run entries only.')],
  faucet_not_ready: [t('You have already collected coins.'), t('Wait until the countdown ends.')],
  balance_too_high: [
    t('Your balance is too high to collect coins.'),
    t('They are for players who are low on coins.'),
  ],
  run_active: [t('You already have an active run.'), t('Finish it first. It may be open in another tab.')],
  run_state: [t('The run has changed.'), t('Another tab changed it. This page now shows the latest state.')],
  no_token: [t('You have no token to burn.'), t('Choose another entry below.')],
  token_bound: [t('This token is bound.'), t('Keep it, burn it to enter a run, or sell it to the house.')],
  not_owner: [t('This token is not in your wallet.'), t('It may have been burned or sold.')],
  idempotency_in_flight: [t('Your last request is still in progress.'), ''],
  recovering: [t('The service recovers from a loss of data.'), t('You were not charged.')],
  no_challenge: [
    t('This player takes no challenge of yours now.'),
    t('Play a duel first, or create one and send its link.'),
  ],
  quiet_hours: [t('This player has quiet hours.'), t('Challenge later, or create a duel and send its link.')],
  words_hidden: [
    t('An operator has hidden the version and description of this bot.'),
    t('Ask the operator of the service.'),
  ],
  challenge_limit: [
    t('You can challenge this player later.'),
    t('One challenge may be open between two players, and the next one waits for ten minutes.'),
  ],
  unauthenticated: [t('Your session has ended.'), t('Sign in, or go on as a new guest.')],
  bad_credentials: [t('Username or password is wrong.'), t('Check both and try again.')],
  weak_password: [
    t('This password is easy to guess.'),
    t('Choose one that is neither common nor your name.'),
  ],
  account_frozen: [t('This account is frozen.'), t('Ask the operator of the service.')],
  sign_in_required: [
    t('This needs your password or a recent sign-in.'),
    t('Enter the password, or sign out and in again and repeat it within 10 minutes.'),
  ],
  last_credential: [
    t('This is the only way to sign in to your account.'),
    t('Set a password or add another email address first.'),
  ],
  forbidden: [t('You may not do this.'), t('It belongs to another player, or your key does not permit it.')],
  username_taken: [t('This name is taken.'), t('Choose another name.')],
  already_registered: [t('This account already has a password.'), t('Sign in with it.')],
  link_invalid: [t('This link is no longer valid.'), t('Request a new one.')],
  csrf_failed: [t('Your session changed in another tab.'), t('Reload the page and try again.')],
  invalid: [t('The input is not valid.'), t('Check your input.')],
  storage_full: [t('The server’s storage is full.'), t('You were not charged. Try again later.')],
  not_stored: [t('The server is busy.'), t('You were not charged.')],
  unavailable: [t('The server is busy.'), ''],
  internal: [
    t('The server had an internal error.'),
    t('Try again. If the error persists, report the request ID.'),
  ],
};

/** A problem that ends by itself, or whose cause the page does not know. */
function other(level: Problem['level'], title: string, advice: string): Problem {
  return { level, title, advice, waitMs: null, retryable: true, requestId: null };
}

/** Returns the user-facing description of a thrown value. */
export function problem(error: unknown): Problem {
  if (error instanceof Unreachable || error instanceof ChunkLoadError) {
    const [title, advice] =
      error instanceof Unreachable
        ? [t('The server does not respond.'), t('The page reconnects automatically.')]
        : [t('This part of the page could not be loaded.'), t('The page retries automatically.')];
    return other('wait', navigator.onLine ? title : t('You are offline.'), advice);
  }
  if (error instanceof Error && error.name === 'Unsigned')
    return other(
      'notice',
      t('The house has not signed both hands.'),
      t('Yours stays sealed until it has: it could exchange the other one. The page retries automatically.'),
    );
  if (error instanceof ApiError) {
    const [title, advice] = known[error.code] ?? [t(error.message), ''];
    const level = levelOf(error);
    return {
      level,
      title,
      // A validation message names the field, so it is more specific than the general advice.
      advice: error.code === 'invalid' ? error.message : advice,
      waitMs: error.retryAfterMs ?? (level === 'wait' ? defaultWaitMs : null),
      retryable: level === 'wait' || error.status >= 500,
      requestId: error.status >= 500 ? error.requestId : null,
    };
  }
  return other('notice', t('Something went wrong.'), error instanceof Error ? error.message : String(error));
}
