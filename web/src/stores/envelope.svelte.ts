// The commitment of the player's next run, shown as the sealed envelope. The run must use the commitment that the
// player saw. This browser stores it for each account, and accepts a new one only if the chain shows that a run used the
// old one. A commitment that no run used raises the alarm, and is stored with the one that replaced it until the player
// discards that alarm.

import type { Me } from '../api/shapes.ts';
import { hasBegun } from '../play/texts.ts';
import { isText, getStored, setStored } from './storage.ts';
import { trust } from './trust.svelte.ts';

interface Sealed {
  account: string;
  commitment: string;
  /** An earlier commitment, which the house has replaced although no run used it. */
  unused?: string;
}

function isSealed(value: unknown): value is Sealed {
  const sealed = (value ?? {}) as Record<string, unknown>;
  return (
    isText(sealed.account) &&
    isText(sealed.commitment) &&
    (sealed.unused === undefined || isText(sealed.unused))
  );
}

function areSealed(value: unknown): value is Sealed[] {
  return Array.isArray(value) && value.every(isSealed);
}

/** Returns the stored commitments, the newest last. */
function stored(): Sealed[] {
  return getStored('sealed', areSealed) ?? [];
}

/** The maximum number of accounts whose commitments are stored. */
const maxAccounts = 20;

class Envelope {
  /** The commitments of the accounts of this browser, the newest last. */
  #sealed = $state.raw<readonly Sealed[]>(stored());
  #account = $state('');
  /** The house replaced an unused commitment of the account, which must never happen. */
  readonly swapped: boolean = $derived(this.#of(this.#account)?.unused !== undefined);
  /** The commitments that are being traced. */
  readonly #traced = new Set<string>();

  constructor() {
    trust.onDiscard(({ fault, shown }) => {
      if (fault === 'commitment') this.#forget(shown.note);
    });
  }

  /** Compares the server's next commitment with the stored one. */
  async observe(me: Pick<Me, 'account' | 'next_commitment'>): Promise<void> {
    const [account, { commitment, tx_hash }] = [me.account.address, me.next_commitment];
    this.#account = account;
    this.#sealed = this.#known();
    const before = this.#of(account);
    // The alarm about another account may have been in the way.
    if (before?.unused !== undefined) this.#report(account, before.unused, me);
    if (before?.commitment === commitment || this.#traced.has(commitment)) return;
    this.#traced.add(commitment);
    try {
      // This browser's own run with the commitment needs no trace: its seeds are checked against it.
      const used =
        !before ||
        hasBegun(before.commitment) ||
        (await (await import('./trace.ts')).wasUsed(before.commitment, tx_hash));
      if (!used) this.#report(account, before.commitment, me);
      this.#keep(account, commitment, used ? before?.unused : before.commitment);
    } catch {
      // After a failed request the old commitment stays stored, and the next call checks it again.
    } finally {
      this.#traced.delete(commitment);
    }
  }

  #of(account: string): Sealed | undefined {
    return this.#sealed.find((one) => one.account === account);
  }

  /** Raises the alarm about a commitment that the house has replaced. */
  #report(account: string, unused: string, { next_commitment }: Pick<Me, 'next_commitment'>): void {
    const { commitment, tx_hash } = next_commitment;
    const sealed = [
      { account, unused },
      { account, commitment, tx_hash },
    ];
    trust.report(
      'commitment',
      sealed.map((line) => JSON.stringify(line)),
    );
  }

  /** Forgets the replaced commitments that discarded evidence names. */
  #forget(evidence: string): void {
    this.#store(
      this.#known().map(({ unused, ...sealed }) =>
        unused === undefined || evidence.includes(unused) ? sealed : { ...sealed, unused },
      ),
    );
  }

  /** Another tab may have stored more. Without access to storage the commitments are in memory alone. */
  #known(): Sealed[] {
    const kept = stored();
    return [...this.#sealed.filter((one) => !kept.some((other) => other.account === one.account)), ...kept];
  }

  #keep(account: string, commitment: string, unused: string | undefined): void {
    const known = this.#known();
    unused ??= known.find((one) => one.account === account)?.unused;
    const sealed = { account, commitment, ...(unused === undefined ? {} : { unused }) };
    this.#store([...known.filter((one) => one.account !== account), sealed].slice(-maxAccounts));
  }

  #store(sealed: readonly Sealed[]): void {
    this.#sealed = sealed;
    setStored('sealed', sealed);
  }
}

export const envelope = new Envelope();
