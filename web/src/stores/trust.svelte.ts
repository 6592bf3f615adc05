// What this browser holds the house to: the key that signs the chain, as it was first seen, and the newest checkpoint
// that was found to have grown from all before it. A server that shows another key or another history is shouted about,
// and what was kept stays until the person says otherwise.

import { get, Unreachable } from '../api/client.ts';
import type { Head } from '../api/shapes.ts';
import type { Fault, Shown, Verdict } from '../log/compare.ts';
import { isText, recall, remember, spoilt } from './memory.ts';

export interface Pin {
  origin: string;
  key: string;
  /** Unix milliseconds of the first sight. */
  since: number;
}

/** A checkpoint, and when it was seen: Unix milliseconds. */
export interface Seen extends Shown {
  at: number;
}

export interface Alarm {
  fault: Fault;
  /** Null when only the key was known. */
  kept: Seen | null;
  shown: Seen;
}

type SignedHead = Pick<Head, 'verifier_key' | 'checkpoint'>;

const object = (value: unknown) => (value ?? {}) as Record<string, unknown>;

function isPin(value: unknown): value is Pin {
  const pin = object(value);
  return isText(pin.origin) && isText(pin.key) && typeof pin.since === 'number';
}

function isSeen(value: unknown): value is Seen {
  const seen = object(value);
  return isText(seen.key) && isText(seen.note) && typeof seen.at === 'number';
}

function isAlarm(value: unknown): value is Alarm {
  const alarm = object(value);
  return isText(alarm.fault) && isSeen(alarm.shown) && (alarm.kept === null || isSeen(alarm.kept));
}

/** Faults that prove nothing against the house; one that does takes their place. */
const unproven: readonly Fault[] = ['unproved', 'damaged'];

/** The first load goes before; then every page that learns of a head has the newest one checked, but not every second. */
const [afterStart, atMostEvery] = [2500, 10_000];

class Trust {
  pin = $state.raw<Pin | null>(recall('pin', isPin));
  /** The newest checkpoint that this browser found good. */
  kept = $state.raw<Seen | null>(recall('checkpoint', isSeen));
  /** What is wrong with the chain that the server shows. */
  alarm = $state.raw<Alarm | null>(recall('alarm', isAlarm));
  /** The last check could not be made: what it needs cannot be had. */
  unchecked = $state(false);

  /** Something that was kept cannot be read any more. */
  #spoilt = spoilt('pin', isPin) || spoilt('checkpoint', isSeen) || spoilt('alarm', isAlarm);
  #newest: SignedHead | null = null;
  #planned = false;
  #checks: Promise<unknown> = Promise.resolve();
  #wait = afterStart;

  start(): void {
    // What another tab found out.
    addEventListener('storage', () => {
      this.pin = recall('pin', isPin);
      this.kept = recall('checkpoint', isSeen);
      this.alarm = recall('alarm', isAlarm);
    });
  }

  /** Takes note of a head: the key is compared at once, the history soon. */
  meet(head: SignedHead): void {
    if (this.#spoilt) this.#raise('damaged', head, null);
    this.#spoilt = false;
    this.#compareKey(head);
    this.#newest = head;
    if (this.#planned) return;
    this.#planned = true;
    setTimeout(() => {
      this.#planned = false;
      const newest = this.#newest;
      if (newest)
        this.check(newest).catch(() => {
          this.meet(this.#newest ?? newest); // to try again, also when no block comes
        });
    }, this.#wait);
    this.#wait = atMostEvery;
  }

  /** Checks a head against what was kept: the signature, and that the log has only grown. One at a time. */
  check(head: SignedHead): Promise<Verdict> {
    const checked = this.#checks.then(() => this.#judge(head));
    this.#checks = checked.then(
      () => (this.unchecked = false),
      () => (this.unchecked = true),
    );
    return checked;
  }

  /** The person decided that what is shown now is the right chain. */
  accept(): void {
    const shown = this.alarm?.shown;
    if (!shown) return;
    this.#keepKey({ verifier_key: shown.key, checkpoint: shown.note });
    this.kept = null;
    this.alarm = null;
    remember('checkpoint', null);
    remember('alarm', null);
  }

  async #judge(head: SignedHead, again = false): Promise<Verdict> {
    this.#compareKey(head);
    const shown = { key: head.verifier_key, note: head.checkpoint };
    if (this.pin?.key !== shown.key) return { tree: null, is: 'key' };
    const { judge } = await library();
    // Another tab may have kept more meanwhile.
    const stored = recall('checkpoint', isSeen) ?? this.kept;
    const kept = stored?.key === shown.key ? stored : null;
    const verdict = await judge(kept, shown);
    switch (verdict.is) {
      case 'first':
      case 'grown':
        this.kept = { ...shown, at: Date.now() };
        remember('checkpoint', this.kept);
        this.#settle();
        break;
      case 'same':
      case 'older':
        break;
      case 'shorter':
        // An answer that was long under way is no log that has become shorter: asked again, the server knows better.
        if (!again) return this.#judge((await get('/api/chain/head')).head, true);
        this.#raise(verdict.is, head, kept);
        break;
      default:
        this.#raise(verdict.is, head, kept);
    }
    return verdict;
  }

  #compareKey(head: SignedHead): void {
    if (!this.pin) this.#keepKey(head);
    else if (this.pin.key !== head.verifier_key) this.#raise('key', head, this.kept);
  }

  #keepKey(head: SignedHead): void {
    const origin = head.verifier_key.split('+', 1)[0] ?? '';
    this.pin = { origin, key: head.verifier_key, since: Date.now() };
    remember('pin', this.pin);
  }

  /** The first alarm stays: what is shown after it proves no more. Only one that proves nothing gives way to another. */
  #raise(fault: Fault, head: SignedHead, kept: Seen | null): void {
    if (this.alarm && (!unproven.includes(this.alarm.fault) || unproven.includes(fault))) return;
    this.alarm = { fault, kept, shown: { key: head.verifier_key, note: head.checkpoint, at: Date.now() } };
    remember('alarm', this.alarm);
  }

  /** What could not be proved then is proved now. */
  #settle(): void {
    if (this.alarm?.fault !== 'unproved') return;
    this.alarm = null;
    remember('alarm', null);
  }
}

async function library() {
  try {
    return await import('../log/log.ts');
  } catch {
    throw new Unreachable('The verifier could not be loaded.');
  }
}

export const trust = new Trust();
