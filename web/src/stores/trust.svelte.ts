// Trust on first use: the browser pins the chain's key on the first visit and stores the newest consistent checkpoint.
// A server with another key or another history raises an alarm, and the stored values stay until the user discards
// them.

import { get } from '../api/client.ts';
import { onStatements } from '../api/receipts.ts';
import type { Head } from '../api/shapes.ts';
import type { Fault, SignedCheckpoint, Verdict } from '../log/compare.ts';
import { confront } from '../log/confront.ts';
import type { Answer } from '../proof/arrival.ts';
import { ask } from '../verifier.ts';
import { isText, getStored, setStored, isCorrupt } from './storage.ts';

export interface Pin {
  origin: string;
  key: string;
  /** Unix milliseconds of the first visit. */
  since: number;
}

/** A checkpoint with the time of its receipt in Unix milliseconds. */
export interface StoredCheckpoint extends SignedCheckpoint {
  at: number;
}

export interface Alarm {
  fault: Fault;
  /** The stored checkpoint; null if only the key was pinned. */
  kept: StoredCheckpoint | null;
  /** The checkpoint of the server; with the fault `receipt` the note is what it has not signed, one text a line. */
  shown: StoredCheckpoint;
}

type SignedHead = Pick<Head, 'verifier_key' | 'checkpoint'>;

/** What a proof must satisfy: the key (any if null) and the witnesses, of which `quorum` must have cosigned (all if 0). */
export interface Requirements {
  key: string | null;
  witnesses: readonly string[];
  quorum: number;
}

const object = (value: unknown) => (value ?? {}) as Record<string, unknown>;

function isPin(value: unknown): value is Pin {
  const pin = object(value);
  return isText(pin.origin) && isText(pin.key) && typeof pin.since === 'number';
}

function isStoredCheckpoint(value: unknown): value is StoredCheckpoint {
  const seen = object(value);
  return isText(seen.key) && isText(seen.note) && typeof seen.at === 'number';
}

function isPolicy(value: unknown): value is Head['witnesses'] {
  const { keys, quorum } = object(value);
  return Array.isArray(keys) && keys.every(isText) && typeof quorum === 'number';
}

function isAlarm(value: unknown): value is Alarm {
  const alarm = object(value);
  return (
    isText(alarm.fault) &&
    isStoredCheckpoint(alarm.shown) &&
    (alarm.kept === null || isStoredCheckpoint(alarm.kept))
  );
}

/** Faults that are no evidence against the house, by their weight. A weightier or proven fault replaces them. */
const unproven: readonly Fault[] = ['unproved', 'damaged', 'receipt'];

/** Returns the weight of a fault. Proven faults weigh most. */
const weight = (fault: Fault) => (unproven.indexOf(fault) + unproven.length + 1) % (unproven.length + 1);

/** Faults of the server, not of the checkpoint that it is compared with. */
function contradicts(is: Verdict['is']): is is Fault {
  return ['root', 'history', 'shorter', 'signature', 'unproved'].includes(is);
}

/** Milliseconds until the first check, so that the first load has priority, and between later checks. */
const [startDelay, checkInterval] = [2500, 10_000];

class Trust {
  pin = $state.raw<Pin | null>(getStored('pin', isPin));
  /** The newest consistent checkpoint. */
  checkpoint = $state.raw<StoredCheckpoint | null>(getStored('checkpoint', isStoredCheckpoint));
  /** The first fault of the server's chain. */
  alarm = $state.raw<Alarm | null>(getStored('alarm', isAlarm));
  /** The witness policy that the service has published last, for proofs that are verified without a network. */
  policy = $state.raw<Head['witnesses'] | null>(getStored('witnesses', isPolicy));
  /** The last check failed because its data could not be loaded. */
  unchecked = $state(false);

  /** A stored value is invalid. */
  #corrupt =
    isCorrupt('pin', isPin) || isCorrupt('checkpoint', isStoredCheckpoint) || isCorrupt('alarm', isAlarm);
  #newest: (SignedHead & Pick<Head, 'witnesses'>) | null = null;
  #planned = false;
  #checks: Promise<unknown> = Promise.resolve();
  #delay = startDelay;
  /** Answers whose receipts are not checked yet. */
  readonly #arrived: Answer[] = [];
  #receipts: Promise<void> = Promise.resolve();

  start(): void {
    // Follow changes by other tabs.
    addEventListener('storage', () => {
      this.pin = getStored('pin', isPin);
      this.checkpoint = getStored('checkpoint', isStoredCheckpoint);
      this.alarm = getStored('alarm', isAlarm);
    });
    onStatements((answer) => {
      this.#arrived.push(answer);
      this.#nextReceipts();
    });
  }

  #nextReceipts(): void {
    this.#receipts = this.#receipts.then(() => this.#checkReceipts()).catch(() => undefined);
  }

  /** Compares the key of a new head at once, and schedules the check of its history. */
  observe(head: SignedHead & Pick<Head, 'witnesses'>): void {
    if (this.#corrupt) this.#raise('damaged', head, null);
    this.#corrupt = false;
    this.#compareKey(head);
    if (this.pin?.key === head.verifier_key) {
      this.policy = head.witnesses;
      setStored('witnesses', head.witnesses);
    }
    this.#newest = head;
    if (this.#arrived.length > 0) this.#nextReceipts();
    if (this.#planned) return;
    this.#planned = true;
    setTimeout(() => {
      this.#planned = false;
      const newest = this.#newest;
      if (newest)
        this.check(newest).catch(() => {
          this.observe(this.#newest ?? newest); // schedules a retry
        });
    }, this.#delay);
    this.#delay = checkInterval;
  }

  /** Returns what the page requires of a proof of this chain. Without a network it is what the last visit has kept. */
  async requirements(): Promise<Requirements> {
    try {
      if (!this.#newest) this.observe((await get('/api/chain/head')).head);
    } catch (error) {
      if (!this.pin) throw error;
    }
    return {
      key: this.pin?.key ?? null,
      witnesses: this.policy?.keys ?? [],
      quorum: this.policy?.quorum ?? 0,
    };
  }

  /** Checks signature and consistency of a head. Checks run one after the other. */
  check(head: SignedHead): Promise<Verdict> {
    const checked = this.#checks.then(() => this.#compare(head));
    this.#checks = checked.then(
      () => (this.unchecked = false),
      () => (this.unchecked = true),
    );
    return checked;
  }

  /** Compares a checkpoint that the user has kept with the server's chain, and raises an alarm if they contradict. */
  async confront(kept: StoredCheckpoint): Promise<Verdict['is']> {
    const comparison = (seen: SignedCheckpoint, now: SignedCheckpoint) =>
      ask('compareCheckpoints', seen, now);
    const { is, shown } = await confront(kept, comparison, async () => {
      const { head } = await get('/api/chain/head');
      this.#compareKey(head);
      return { key: head.verifier_key, note: head.checkpoint };
    });
    if (contradicts(is)) this.#raise(is, { verifier_key: shown.key, checkpoint: shown.note }, kept);
    return is;
  }

  /** Accepts the server's chain after the user's decision, and discards the stored checkpoint. */
  accept(): void {
    const shown = this.alarm?.shown;
    if (!shown) return;
    if (this.alarm?.fault !== 'receipt') {
      this.#keepKey({ verifier_key: shown.key, checkpoint: shown.note });
      this.checkpoint = null;
      setStored('checkpoint', null);
    }
    this.alarm = null;
    setStored('alarm', null);
  }

  /** Checks the receipts that have arrived, in their order. Those that cannot be checked now wait for the next call. */
  async #checkReceipts(): Promise<void> {
    for (let answer; (answer = this.#arrived[0]);) {
      const { key } = await this.requirements();
      if (key === null) return;
      const { unsigned } = await import('../proof/arrival.ts');
      const texts = await unsigned(answer, key);
      this.#arrived.shift();
      if (texts.length > 0) this.#raise('receipt', { verifier_key: key, checkpoint: texts.join('\n') }, null);
    }
  }

  async #compare(head: SignedHead, again = false): Promise<Verdict> {
    this.#compareKey(head);
    const shown = { key: head.verifier_key, note: head.checkpoint };
    if (this.pin?.key !== shown.key) return { tree: null, is: 'key' };
    // Another tab may have stored a newer checkpoint.
    const stored = getStored('checkpoint', isStoredCheckpoint) ?? this.checkpoint;
    const kept = stored?.key === shown.key ? stored : null;
    const verdict = await ask('compareCheckpoints', kept, shown);
    switch (verdict.is) {
      case 'first':
      case 'grown':
        this.checkpoint = { ...shown, at: Date.now() };
        setStored('checkpoint', this.checkpoint);
        this.#clearUnproved();
        break;
      case 'same':
      case 'older':
        break;
      case 'shorter':
        // A delayed response looks like a shorter log, so one repeated request decides.
        if (!again) return this.#compare((await get('/api/chain/head')).head, true);
        this.#raise(verdict.is, head, kept);
        break;
      default:
        this.#raise(verdict.is, head, kept);
    }
    return verdict;
  }

  #compareKey(head: SignedHead): void {
    if (!this.pin) this.#keepKey(head);
    else if (this.pin.key !== head.verifier_key) this.#raise('key', head, this.checkpoint);
  }

  #keepKey(head: SignedHead): void {
    const origin = head.verifier_key.split('+', 1)[0] ?? '';
    this.pin = { origin, key: head.verifier_key, since: Date.now() };
    setStored('pin', this.pin);
  }

  /** Raises an alarm. The first one stays, unless the new one weighs more. */
  #raise(fault: Fault, head: SignedHead, kept: StoredCheckpoint | null): void {
    if (this.alarm && weight(this.alarm.fault) >= weight(fault)) return;
    this.alarm = { fault, kept, shown: { key: head.verifier_key, note: head.checkpoint, at: Date.now() } };
    setStored('alarm', this.alarm);
  }

  /** Clears an `unproved` alarm after a successful proof. */
  #clearUnproved(): void {
    if (this.alarm?.fault !== 'unproved') return;
    this.alarm = null;
    setStored('alarm', null);
  }
}

export const trust = new Trust();
