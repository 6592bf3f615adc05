// The key that signs the chain, as this browser first saw it. A server that later shows another key is either
// another chain or a house with something to hide: the page says so and never silently forgets the old one.

import type { Head } from '../api/shapes.ts';
import { isText, recall, remember } from './memory.ts';

export interface Pin {
  origin: string;
  key: string;
  /** Unix milliseconds of the first sight. */
  since: number;
}

function isPin(value: unknown): value is Pin {
  const pin = (value ?? {}) as Record<string, unknown>;
  return isText(pin.origin) && isText(pin.key) && typeof pin.since === 'number';
}

class Trust {
  pin = $state.raw<Pin | null>(recall('pin', isPin));
  /** What the server shows now, when it is not what was pinned. */
  stranger = $state.raw<{ origin: string; key: string } | null>(null);

  /** Takes note of a head: pins the first key, compares every later one. */
  meet(head: Head): void {
    if (!this.pin) this.#keep(head);
    const known = this.pin?.key === head.verifier_key;
    this.stranger = known ? null : { origin: head.origin, key: head.verifier_key };
  }

  /** The person decided that the key shown now is the right one. */
  accept(): void {
    if (this.stranger) this.#keep({ origin: this.stranger.origin, verifier_key: this.stranger.key });
    this.stranger = null;
  }

  #keep(head: Pick<Head, 'origin' | 'verifier_key'>): void {
    this.pin = { origin: head.origin, key: head.verifier_key, since: Date.now() };
    remember('pin', this.pin);
  }
}

export const trust = new Trust();
