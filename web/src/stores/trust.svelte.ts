// Trust on first use: the browser pins the chain's key and its witness policy on the first visit, and stores the newest
// consistent checkpoint. A server with another key, policy or history raises an alarm, and the stored values stay until
// the user discards them.

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

/** The witnesses of a chain, of which `quorum` must have cosigned (all if 0). */
export type Policy = Head['witnesses'];

export interface Alarm {
  fault: Fault;
  /** The stored checkpoint; null if only the key was pinned. */
  kept: StoredCheckpoint | null;
  /**
   * The checkpoint of the server. With the faults `receipt` and `texts` the note is the evidence about a game, one text a
   * line.
   */
  shown: StoredCheckpoint;
  /** The stored and the shown policy, if they differ. */
  policies?: { kept: Policy; shown: Policy } | null;
}

/** A checkpoint with its key, and the policy if the answer has one. */
type SignedHead = Pick<Head, 'verifier_key' | 'checkpoint'> & { witnesses?: Policy };

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

function isPolicy(value: unknown): value is Policy {
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

/** Reports whether two policies require the same. The order of the witnesses has no meaning. */
function samePolicy(a: Policy, b: Policy): boolean {
  const required = ({ keys, quorum }: Policy) => JSON.stringify([[...keys].sort(), quorum]);
  return required(a) === required(b);
}

/** Faults about a game of this browser. Their evidence has no effect on what the browser trusts. */
export const ofGame: readonly Fault[] = ['receipt', 'texts'];

/** Faults that prove nothing to others, by their weight. A weightier or proven fault replaces them. */
const unproven: readonly Fault[] = ['unproved', 'damaged', 'policy', 'texts', 'receipt'];

/** Returns the weight of a fault. Proven faults weigh most. */
const weight = (fault: Fault) => (unproven.indexOf(fault) + unproven.length + 1) % (unproven.length + 1);

/** The fewest witnesses of which a policy requires a cosignature. */
const required = ({ keys, quorum }: Policy): number => quorum || keys.length;

/**
 * Reports whether a proof may satisfy the policy `shown` and not `kept`: the cosigners that `shown` requires may all be
 * witnesses that `kept` does not know, as far as there are such. A policy that requires more cosigners than it names
 * counts as weaker: no proof satisfies it, so it is not one to keep without the user.
 */
export function isWeaker(kept: Policy, shown: Policy): boolean {
  const keys = shown.keys.filter((key, at, all) => all.indexOf(key) === at);
  const unknown = keys.filter((key) => !kept.keys.includes(key)).length;
  return required(shown) > keys.length || required(shown) - unknown < required(kept);
}

/** Faults of the server, not of the checkpoint that it is compared with. */
function contradicts(is: Verdict['is']): is is Fault {
  return ['root', 'history', 'shorter', 'signature', 'unproved'].includes(is);
}

/** Milliseconds until the first check, so that the first load has priority, and between later checks. */
const [startDelay, checkInterval] = [2500, 10_000];
/** Checks in a row without a proof before that is reported: a service that restarts may answer one so. */
const unprovedChecks = 2;

class Trust {
  pin = $state.raw<Pin | null>(getStored('pin', isPin));
  /** The newest consistent checkpoint. */
  checkpoint = $state.raw<StoredCheckpoint | null>(getStored('checkpoint', isStoredCheckpoint));
  /** The first fault of the server's chain. */
  alarm = $state.raw<Alarm | null>(getStored('alarm', isAlarm));
  /** The witness policy of the first visit, or the one that the user has accepted since. Proofs must satisfy it. */
  policy = $state.raw<Policy | null>(getStored('witnesses', isPolicy));
  /**
   * The time of the next check, in Unix milliseconds, while the last one is open: the log did not answer, or has proved
   * nothing for the first time. Null after a check.
   */
  nextCheck = $state<number | null>(null);
  /** Witnesses that the service has named, and that require at least what the kept ones did. They are kept since. */
  stricter = $state(false);

  /** A stored value is invalid. */
  #corrupt =
    isCorrupt('pin', isPin) ||
    isCorrupt('checkpoint', isStoredCheckpoint) ||
    isCorrupt('witnesses', isPolicy) ||
    isCorrupt('alarm', isAlarm);
  #newest: Required<SignedHead> | null = null;
  #planned = false;
  /** Checks in a row without a proof. */
  #unproved = 0;
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
      this.policy = getStored('witnesses', isPolicy);
    });
    onStatements((answer) => {
      this.#arrived.push(answer);
      this.#nextReceipts();
    });
  }

  #nextReceipts(): void {
    this.#receipts = this.#receipts.then(() => this.#checkReceipts()).catch(() => undefined);
  }

  /** Compares key and policy of a new head at once, and schedules the check of its history. */
  observe(head: Required<SignedHead>): void {
    if (this.#corrupt) this.#raise('damaged', head, null);
    this.#corrupt = false;
    this.#compareKey(head);
    if (this.pin?.key === head.verifier_key) this.#comparePolicy(head);
    this.#newest = head;
    if (this.#arrived.length > 0) this.#nextReceipts();
    if (this.#planned) return;
    this.#planned = true;
    setTimeout(() => {
      this.#planned = false;
      const newest = this.#newest;
      if (newest) void this.#checkUntilProved(newest);
    }, this.#delay);
    this.#delay = checkInterval;
  }

  /** Checks a head, and schedules another check if the log did not answer or proved nothing. */
  async #checkUntilProved(head: Required<SignedHead>): Promise<void> {
    let open = true;
    try {
      open = (await this.check(head)).is === 'unproved';
    } catch {
      // The log did not answer, or the verifier could not be loaded.
    }
    if (open) this.observe(this.#newest ?? head);
    this.nextCheck = open ? Date.now() + this.#delay : null;
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
    this.#checks = checked.catch(() => undefined);
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

  /** Raises an alarm about texts of a run that the house has recorded otherwise than this browser sent them. */
  reportTexts(differences: readonly string[]): void {
    if (differences.length === 0) return;
    this.#raise('texts', { verifier_key: this.pin?.key ?? '', checkpoint: differences.join('\n') }, null);
  }

  /**
   * Accepts what the alarm shows after the user's decision: another policy, or another chain in place of the stored
   * checkpoint.
   */
  accept(): void {
    const shown = this.alarm?.shown;
    if (!shown) return;
    const { fault, policies } = this.alarm as Alarm;
    if (fault !== 'policy' && !ofGame.includes(fault)) {
      this.#keepKey({ verifier_key: shown.key, checkpoint: shown.note });
      this.checkpoint = null;
      setStored('checkpoint', null);
    }
    // The user has seen both policies.
    if (policies) this.#keepPolicy(policies.shown);
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
    // A head older than the kept one needs no proof, so old heads between unproved ones put off no alarm.
    if (verdict.is !== 'unproved' && verdict.is !== 'older') this.#unproved = 0;
    switch (verdict.is) {
      case 'unproved':
        this.#unproved++;
        if (this.#unproved >= unprovedChecks) this.#raise(verdict.is, head, kept);
        break;
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

  /**
   * Keeps the first policy, and any later one that requires as much. A weaker one is an alarm: a visitor who is shown no
   * witnesses would see every proof valid.
   */
  #comparePolicy(head: Required<SignedHead>): void {
    if (!this.policy) this.#keepPolicy(head.witnesses);
    else if (samePolicy(this.policy, head.witnesses)) return;
    else if (isWeaker(this.policy, head.witnesses)) this.#raise('policy', head, this.checkpoint);
    else if (!this.alarm?.policies) {
      // A policy that waits for the user's decision stays as it was shown.
      this.#keepPolicy(head.witnesses);
      this.stricter = true;
    }
  }

  #keepPolicy(policy: Policy): void {
    this.policy = policy;
    setStored('witnesses', policy);
  }

  #keepKey(head: SignedHead): void {
    const origin = head.verifier_key.split('+', 1)[0] ?? '';
    this.pin = { origin, key: head.verifier_key, since: Date.now() };
    setStored('pin', this.pin);
  }

  /** Raises an alarm. The first one stays, unless the new one weighs more. */
  #raise(fault: Fault, head: SignedHead, kept: StoredCheckpoint | null): void {
    if (this.alarm && weight(this.alarm.fault) >= weight(fault)) return;
    const { verifier_key, checkpoint, witnesses } = head;
    const differs = this.policy && witnesses && !samePolicy(this.policy, witnesses);
    this.alarm = {
      fault,
      kept,
      shown: { key: verifier_key, note: checkpoint, at: Date.now() },
      policies: differs ? { kept: this.policy as Policy, shown: witnesses } : null,
    };
    setStored('alarm', this.alarm);
  }

  /** Clears the fault `unproved` after a proof. */
  #clearUnproved(): void {
    if (this.alarm?.fault !== 'unproved') return;
    this.alarm = null;
    setStored('alarm', null);
  }
}

export const trust = new Trust();
