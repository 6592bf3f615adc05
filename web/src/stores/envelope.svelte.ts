// The commitment of the player's next run, shown as the sealed envelope. The run must use the commitment that the
// player saw. This browser stores it for each account, and accepts a new one only if the signed chain shows that a run
// used the old one. A commitment that no run used raises the alarm, and is stored with the one that replaced it until
// the player discards that alarm.

import { get } from '../api/client.ts';
import type { Me } from '../api/shapes.ts';
import { hasBegun } from '../play/texts.ts';
import { evidenceOf } from './evidence.ts';
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

/**
 * A service that hides what became of a commitment is as suspect as one that shows that nothing did. But a transaction
 * is in no block at first, and a service may fail. So an explanation that is missing is a try, and the last try raises
 * the alarm. A try counts a minute after the one before, and only if the service answers another call behind it: a
 * service that is unreachable has hidden nothing. The first tries are repeated soon, as a block takes a second.
 */
const [maxTries, tryMs, soonMs] = [8, 60_000, 5000];
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
  #me: Pick<Me, 'account' | 'next_commitment'> | undefined;
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
  async observe(me: Pick<Me, 'account' | 'next_commitment'>): Promise<void> {
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
    try {
      const found = before ? await traced(before, { commitment, tx_hash }) : 'used';
      if (before && found === 'missing' && !(await this.#isLast(before))) {
        this.#retry(me);
        return;
      }
      // Another answer was traced meanwhile.
      if (this.#stored(account)?.commitment !== before?.commitment) return;
      const news = before && found !== 'used' ? [{ unused: before.commitment, commitment, tx_hash }] : [];
      for (const one of news) report(account, one);
      this.#keep({ account, commitment, size }, news);
    } catch {
      // After a failed request the old commitment stays stored, and the next call checks it again.
    } finally {
      this.#traced.delete(commitment);
    }
  }

  #of(account: string): Sealed | undefined {
    return this.#sealed.find((one) => one.account === account);
  }

  /** Returns the commitment of an account as another tab may have stored it since. */
  #stored(account: string): Sealed | undefined {
    return this.#known().find((one) => one.account === account);
  }

  /** Counts a try to explain a commitment, and reports whether it was the last. Rejects without an answer. */
  async #isLast({ account, commitment }: Sealed): Promise<boolean> {
    await get('/api/chain/head');
    const sealed = this.#stored(account);
    if (sealed?.commitment !== commitment) return false;
    const { tries = 0, triedAt = 0 } = sealed;
    if (Math.abs(Date.now() - triedAt) < tryMs) return false;
    const counted = { ...sealed, tries: tries + 1, triedAt: Date.now() };
    this.#store(this.#known().map((one) => (one.account === account ? counted : one)));
    return counted.tries >= maxTries;
  }

  /** Checks an answer again, unless a newer one comes. */
  #retry(me: Pick<Me, 'account' | 'next_commitment'>): void {
    const soon = (this.#stored(me.account.address)?.tries ?? 0) < 2;
    setTimeout(
      () => {
        if (this.#me === me) void this.observe(me);
      },
      soon ? soonMs : tryMs,
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
  // This browser's own run with the commitment needs no trace: its seeds are checked against it.
  if (hasBegun(before.commitment)) return 'used';
  return (await import('./trace.ts')).trace(before, later);
}

/** Raises the alarm about a commitment that the house has replaced. */
function report(account: string, one: Replaced): void {
  const later = evidenceOf({ account, ...one }, ['account', 'commitment', 'tx_hash']);
  trust.report('commitment', [lineOf(account, one), JSON.stringify(later)]);
}

export const envelope = new Envelope();
