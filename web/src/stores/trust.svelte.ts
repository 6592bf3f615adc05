// Trust on first use: the browser pins the chain's key and its witness policy on the first visit, and stores the newest
// consistent checkpoint. A server with another key, policy or history raises an alarm, and the stored values stay until
// the user discards them.

import { get } from '../api/client.ts';
import type { Head } from '../api/shapes.ts';
import type { Fault, Verdict } from '../log/compare.ts';
import { ask } from '../verifier.ts';
import { addLines, ofGame, samePolicy, weight } from './faults.ts';
import { checkStatements, recheck } from './statements.ts';
import {
  isDamaged,
  keep,
  kept,
  type Alarm,
  type Pin,
  type Policy,
  type StoredCheckpoint,
} from './trusted.ts';

/** A checkpoint with its key, and the policy if the answer has one. */
type SignedHead = Pick<Head, 'verifier_key' | 'checkpoint'> & { witnesses?: Policy };

/** What a proof must satisfy: the key (any if null) and the witnesses, of which `quorum` must have cosigned (all if 0). */
export interface Requirements {
  key: string | null;
  witnesses: readonly string[];
  quorum: number;
}

/** Milliseconds until the first check, so that the first load has priority, and between later checks. */
const [startDelay, checkInterval] = [2500, 10_000];
/** Checks in a row without a proof before that is reported: a service that restarts may answer one so. */
const unprovedChecks = 2;

class Trust {
  pin = $state.raw<Pin | null>(null);
  /** The newest consistent checkpoint. */
  checkpoint = $state.raw<StoredCheckpoint | null>(null);
  /** The fault of the server that is on display: the first one, unless a later one weighs more. */
  alarm = $state.raw<Alarm | null>(null);
  /** The witness policy of the first visit, or the one that the user has accepted since. Proofs must satisfy it. */
  policy = $state.raw<Policy | null>(null);
  /**
   * The time of the next check, in Unix milliseconds, while the last one is open: the log did not answer, or has proved
   * nothing for the first time. Null after a check.
   */
  nextCheck = $state<number | null>(null);

  /**
   * Alarms about games: their evidence is nowhere else, so none is lost behind another alarm. What is found later about
   * the same fault is added to its alarm.
   */
  #waiting: readonly Alarm[] = [];
  /** The browser has stored the alarm, and those that wait. Otherwise they are in memory alone. */
  #stored = { alarm: true, waiting: true };
  #discarded: (alarm: Alarm) => void = () => undefined;
  #damaged = isDamaged();
  #newest: Required<SignedHead> | null = null;
  #planned = false;
  /** Checks in a row without a proof. */
  #unproved = 0;
  #checks: Promise<unknown> = Promise.resolve();
  #delay = startDelay;

  constructor() {
    this.#read();
  }

  #read(): void {
    this.pin = kept('pin');
    this.checkpoint = kept('checkpoint');
    // An alarm that the browser could not store stays until the page is closed.
    if (this.#stored.alarm) this.alarm = kept('alarm');
    if (this.#stored.waiting) this.#waiting = kept('waiting') ?? [];
    this.policy = kept('witnesses');
  }

  start(): void {
    // Follow changes by other tabs.
    addEventListener('storage', () => this.#read());
    checkStatements(
      async () => (await this.requirements()).key,
      (key, texts) => this.report('receipt', texts, key),
    );
  }

  /** The size of the log in the newest consistent checkpoint; 0 before the first one. */
  get size(): number {
    return Number(this.checkpoint?.note.split('\n')[1] ?? 0) || 0;
  }

  /** Compares key and policy of a new head at once, and schedules the check of its history. */
  observe(head: Required<SignedHead>): void {
    if (this.#damaged) this.raise('damaged', head, null);
    this.#damaged = false;
    this.compareKey(head);
    if (this.pin?.key === head.verifier_key) this.#comparePolicy(head);
    this.#newest = head;
    recheck();
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

  /**
   * Raises an alarm about a game of this browser, with texts as its evidence, or adds them to the alarm about the same
   * fault. It reports whether all of them are kept: not without room, nor when the browser could not store them.
   */
  report(fault: Fault, texts: readonly string[], key = this.pin?.key ?? ''): boolean {
    if (texts.length === 0) return false;
    const before = [this.alarm, ...this.#waiting].find((one) => one?.fault === fault);
    const { note, all } = addLines(before?.shown.note ?? '', texts);
    const stored = before
      ? this.#extend(before, note)
      : this.raise(fault, { verifier_key: key, checkpoint: note }, null);
    return stored && all;
  }

  /** Stores an alarm with more evidence, unless it is stored as it is. */
  #extend(alarm: Alarm, note: string): boolean {
    const stored = alarm === this.alarm ? this.#stored.alarm : this.#stored.waiting;
    if (stored && note === alarm.shown.note) return true;
    const more = { ...alarm, shown: { ...alarm.shown, note } };
    if (alarm === this.alarm) return this.#show(more);
    return this.#wait(this.#waiting.map((one) => (one === alarm ? more : one)));
  }

  /** Sets the function that is called with an alarm that the user has discarded. */
  onDiscard(listener: (alarm: Alarm) => void): void {
    this.#discarded = listener;
  }

  /**
   * Accepts what the alarm shows after the user's decision: another policy, or another chain in place of the stored
   * checkpoint.
   */
  accept(): void {
    const { alarm } = this;
    if (!alarm) return;
    const { fault, shown, policies } = alarm;
    if (fault !== 'policy' && !ofGame.includes(fault)) {
      this.#keepKey({ verifier_key: shown.key, checkpoint: shown.note });
      this.checkpoint = null;
      keep('checkpoint', null);
    }
    // The user has seen both policies.
    if (policies) this.#keepPolicy(policies.shown);
    this.#next();
    this.#discarded(alarm);
  }

  async #compare(head: SignedHead, again = false): Promise<Verdict> {
    this.compareKey(head);
    const shown = { key: head.verifier_key, note: head.checkpoint };
    if (this.pin?.key !== shown.key) return { tree: null, is: 'key' };
    // Another tab may have stored a newer checkpoint.
    const stored = kept('checkpoint') ?? this.checkpoint;
    const known = stored?.key === shown.key ? stored : null;
    const verdict = await ask('compareCheckpoints', known, shown);
    // A head older than the kept one needs no proof, so old heads between unproved ones put off no alarm.
    if (verdict.is !== 'unproved' && verdict.is !== 'older') this.#unproved = 0;
    switch (verdict.is) {
      case 'unproved':
        this.#unproved++;
        if (this.#unproved >= unprovedChecks) this.raise(verdict.is, head, known);
        break;
      case 'first':
      case 'grown':
        this.checkpoint = { ...shown, at: Date.now() };
        keep('checkpoint', this.checkpoint);
        this.#clearUnproved();
        break;
      case 'same':
      case 'older':
        break;
      case 'shorter':
        // A delayed response looks like a shorter log, so one repeated request decides.
        if (!again) return this.#compare((await get('/api/chain/head')).head, true);
        this.raise(verdict.is, head, known);
        break;
      default:
        this.raise(verdict.is, head, known);
    }
    return verdict;
  }

  /** Pins the first key; any other one is an alarm. */
  compareKey(head: SignedHead): void {
    if (!this.pin) this.#keepKey(head);
    else if (this.pin.key !== head.verifier_key) this.raise('key', head, this.checkpoint);
  }

  /**
   * Keeps the first policy. Any other one is an alarm that shows both: a visitor who is shown no witnesses
   * would see every proof valid.
   */
  #comparePolicy(head: Required<SignedHead>): void {
    if (!this.policy) this.#keepPolicy(head.witnesses);
    else if (!samePolicy(this.policy, head.witnesses)) this.raise('policy', head, this.checkpoint);
  }

  #keepPolicy(policy: Policy): void {
    this.policy = policy;
    keep('witnesses', policy);
  }

  #keepKey(head: SignedHead): void {
    const origin = head.verifier_key.split('+', 1)[0] ?? '';
    this.pin = { origin, key: head.verifier_key, since: Date.now() };
    keep('pin', this.pin);
  }

  /**
   * Raises an alarm. The first one stays, unless the new one weighs more. An alarm about a game waits behind a
   * weightier one. It reports whether the alarm is stored.
   */
  raise(fault: Fault, head: SignedHead, kept: StoredCheckpoint | null): boolean {
    const before = this.alarm;
    if ([before, ...this.#waiting].some((one) => one?.fault === fault)) return false;
    const first = !before || weight(before.fault) < weight(fault);
    if (!first && !ofGame.includes(fault)) return false;
    const { verifier_key, checkpoint, witnesses } = head;
    const differs = this.policy && witnesses && !samePolicy(this.policy, witnesses);
    const alarm: Alarm = {
      fault,
      kept,
      shown: { key: verifier_key, note: checkpoint, at: Date.now() },
      policies: differs ? { kept: this.policy as Policy, shown: witnesses } : null,
    };
    if (!first) return this.#wait([...this.#waiting, alarm]);
    if (before && ofGame.includes(before.fault)) this.#wait([before, ...this.#waiting]);
    return this.#show(alarm);
  }

  /** Clears the fault `unproved` after a proof. */
  #clearUnproved(): void {
    if (this.alarm?.fault === 'unproved') this.#next();
  }

  /** Shows the next alarm, if one waits, in place of the one that is over. */
  #next(): void {
    const [next = null, ...rest] = this.#waiting;
    this.#wait(rest);
    this.#show(next);
  }

  #show(alarm: Alarm | null): boolean {
    this.alarm = alarm;
    this.#stored.alarm = keep('alarm', alarm);
    return this.#stored.alarm;
  }

  #wait(alarms: readonly Alarm[]): boolean {
    this.#waiting = alarms;
    this.#stored.waiting = keep('waiting', alarms.length > 0 ? alarms : null);
    return this.#stored.waiting;
  }
}

export const trust = new Trust();
