// The commitment of the player's next run, shown as the sealed envelope. The run must use the commitment that the
// player saw. This browser stores it for each account, and accepts a new one only if the signed chain shows that a run
// used the old one. A commitment that no run used raises the alarm, and is stored with the one that replaced it until
// the player discards that alarm.

import { ApiError, get } from '../api/client.ts';
import { receiptsOf } from '../api/receipts.ts';
import type { Me } from '../api/shapes.ts';
import { runOf } from '../play/texts.ts';
import { hasSigned, type Statement } from '../verification/signed.ts';
import { evidenceOf } from './evidence.ts';
import { live } from './live.svelte.ts';
import { isText, getStored, setStored } from './storage.ts';
import type { Published, Seen, Trace } from './trace.ts';
import { trust } from './trust.svelte.ts';

/** A commitment that the house has replaced although no run used it, and the one that replaced it. */
interface Replaced extends Published {
  unused: string;
}

interface Sealed extends Seen {
  replaced?: readonly Replaced[];
  /** The tries to find out what became of the commitment, and the time of the last one in Unix milliseconds. */
  tries?: number;
  triedAt?: number;
}

/** What answers state about the account and its next commitment. */
type Answer = Pick<Me, 'account' | 'next_commitment'>;

/**
 * A service that hides what became of a commitment is as suspect as one that shows that nothing did. But a transaction
 * is in no block at first, and a service may fail. So an explanation that is missing is a try, and the last try raises
 * the alarm. A try counts a minute after the one before, for each answer about the account, and not during a recovery:
 * a service that is unreachable has hidden nothing. The first two tries are repeated soon, as a block takes a second.
 */
const [maxTries, tryMs, soonMs, maxSoon] = [8, 60_000, 5000, 2];
/** The maximum number of accounts whose commitments are stored, and of replaced ones of an account. */
const [maxAccounts, maxReplaced] = [20, 10];

const isOptionalNumber = (value: unknown): boolean => value === undefined || typeof value === 'number';

function isReplaced(value: unknown): value is Replaced {
  const { unused, commitment, tx_hash } = (value ?? {}) as Record<string, unknown>;
  return isText(unused) && isText(commitment) && isText(tx_hash);
}

function isSealed(value: unknown): value is Sealed {
  const { account, commitment, replaced, ...numbers } = (value ?? {}) as Record<string, unknown>;
  return (
    isText(account) &&
    isText(commitment) &&
    (replaced === undefined || (Array.isArray(replaced) && replaced.every(isReplaced))) &&
    [numbers.size, numbers.tries, numbers.triedAt].every(isOptionalNumber)
  );
}

function areSealed(value: unknown): value is Sealed[] {
  return Array.isArray(value) && value.every(isSealed);
}

/** Returns the stored commitments, the newest last. */
function stored(): Sealed[] {
  return getStored('sealed', areSealed) ?? [];
}

/** Returns the line of evidence that names a replaced commitment. */
function lineOf(account: string, { unused }: Replaced): string {
  return JSON.stringify(evidenceOf({ account, unused }, ['account', 'unused']));
}

class Envelope {
  /** The commitments of the accounts of this browser, the newest last. */
  #sealed = $state.raw<readonly Sealed[]>(stored());
  #account = $state('');
  /** The house replaced an unused commitment of the account, which must never happen. */
  readonly swapped: boolean = $derived((this.#of(this.#account)?.replaced ?? []).length > 0);
  /** The commitments that are being traced. */
  readonly #traced = new Set<string>();
  /** The last answer about the account. */
  #me: Answer | undefined;
  /** The next try, and the number of tries that were repeated soon since the last explanation. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #soon = 0;
  /** The answer of the last try that counted. */
  #counted: Answer | undefined;
  /**
   * The size of the signed log when that answer came, and when the one before came. A run with the commitment of an
   * answer began after the answer before it, and perhaps while the answer was on its way.
   */
  #sizes = { now: trust.size, before: trust.size };

  constructor() {
    trust.onDiscard(({ fault, shown }) => {
      if (fault === 'commitment') this.#forget(shown.note);
    });
  }

  /** Compares the server's next commitment with the stored one. */
  async observe(me: Answer): Promise<void> {
    const [account, { commitment, tx_hash }] = [me.account.address, me.next_commitment];
    if (this.#me !== me) this.#sizes = { now: trust.size, before: this.#sizes.now };
    const size = this.#sizes.before;
    this.#me = me;
    this.#account = account;
    this.#sealed = this.#known();
    const before = this.#of(account);
    // The alarm may not be stored: the browser has refused it, or it had no room.
    for (const one of before?.replaced ?? []) report(account, one);
    if (before?.commitment === commitment || this.#traced.has(commitment)) return;
    this.#traced.add(commitment);
    let newer: Answer | null = null;
    try {
      const found = before ? await traced(before, { commitment, tx_hash }) : 'used';
      if (before && found !== 'used') {
        // Another tab may have stored the commitment of a later run: an answer from before that run replaces nothing.
        // A house that takes its answer back each time has its tries counted.
        const now = found === 'unused' ? await get('/api/me').catch(() => null) : null;
        const stands = now?.account.address === account && now.next_commitment.commitment === commitment;
        if (!stands && !this.#isLast(before, me)) {
          if (now) newer = now;
          else this.#retry(me);
          return;
        }
      }
      // Another answer was traced meanwhile.
      if (this.#stored(account)?.commitment !== before?.commitment) return;
      const news = before && found !== 'used' ? [{ unused: before.commitment, commitment, tx_hash }] : [];
      for (const one of news) report(account, one);
      this.#soon = 0;
      this.#keep({ account, commitment, size }, news);
    } catch {
      // The verifier could not be loaded. The old commitment stays stored, and the next call checks it again.
    } finally {
      this.#traced.delete(commitment);
      if (newer?.account.address === account) void this.observe(newer);
    }
  }

  #of(account: string): Sealed | undefined {
    return this.#sealed.find((one) => one.account === account);
  }

  /** Returns the commitment of an account as another tab may have stored it since. */
  #stored(account: string): Sealed | undefined {
    return this.#known().find((one) => one.account === account);
  }

  /** Counts a try to explain a commitment, and reports whether it was the last. */
  #isLast({ account, commitment }: Sealed, me: Answer): boolean {
    const sealed = this.#stored(account);
    if (sealed?.commitment !== commitment || this.#counted === me || live.recovering) return false;
    const { tries = 0, triedAt = 0 } = sealed;
    if (Math.abs(Date.now() - triedAt) < tryMs) return false;
    this.#counted = me;
    const counted = { ...sealed, tries: tries + 1, triedAt: Date.now() };
    this.#store(this.#known().map((one) => (one.account === account ? counted : one)));
    return counted.tries >= maxTries;
  }

  /** Reads the account again later, unless an answer with another commitment comes. */
  #retry(me: Answer): void {
    const state = ({ account, next_commitment }: Answer): string =>
      account.address + next_commitment.commitment;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        if (!this.#me || state(this.#me) !== state(me)) return;
        get('/api/me').then(
          (now) => this.observe(now),
          (error: unknown) => {
            // After the end of the session the next one asks.
            if (!(error instanceof ApiError && error.status === 401)) this.#retry(me);
          },
        );
      },
      this.#soon++ < maxSoon ? soonMs : tryMs,
    );
  }

  /** Forgets the replaced commitments that discarded evidence names. */
  #forget(evidence: string): void {
    const lines = evidence.split('\n');
    this.#store(
      this.#known().map(({ replaced = [], ...sealed }) => ({
        ...sealed,
        replaced: replaced.filter((one) => !lines.includes(lineOf(sealed.account, one))),
      })),
    );
  }

  /** Another tab may have stored more. Without access to storage the commitments are in memory alone. */
  #known(): Sealed[] {
    const kept = stored();
    return [...this.#sealed.filter((one) => !kept.some((other) => other.account === one.account)), ...kept];
  }

  /** Stores a commitment, with the one that it has replaced beside those that are not discarded. */
  #keep(seen: Seen, news: readonly Replaced[]): void {
    const before = this.#stored(seen.account)?.replaced ?? [];
    const others = this.#known().filter((one) => one.account !== seen.account);
    const sealed = { ...seen, replaced: [...before, ...news].slice(-maxReplaced) };
    this.#store([...others, sealed].slice(-maxAccounts));
  }

  #store(sealed: readonly Sealed[]): void {
    this.#sealed = sealed;
    setStored('sealed', sealed);
  }
}

/** Finds what became of a commitment that a later one follows. */
async function traced(before: Sealed, later: Published): Promise<Trace> {
  // This browser's own run with the commitment needs no trace, if the house has signed its start.
  const run = runOf(before.commitment);
  const isStart = ({ kind, run_id, account, commitment, next_commitment }: Statement): boolean =>
    kind === 'start' &&
    run_id === run &&
    account === before.account &&
    commitment === before.commitment &&
    next_commitment === later.commitment;
  if (run !== null && (await hasSigned(receiptsOf(run), trust.pin?.key, isStart))) return 'used';
  return (await import('./trace.ts')).trace(before, later);
}

/** Raises the alarm about a commitment that the house has replaced. */
function report(account: string, one: Replaced): void {
  const later = evidenceOf({ account, ...one }, ['account', 'commitment', 'tx_hash']);
  trust.report('commitment', [lineOf(account, one), JSON.stringify(later)]);
}

export const envelope = new Envelope();
