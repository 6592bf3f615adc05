// The celebration of a reached tier. It grows with the height of the tier: most runs end low and continue at once, and
// the rarest tokens deserve a pause.

import type { Component } from 'svelte';
import type { Tier } from '../api/shapes.ts';
import { loadChunk } from '../chunks.ts';
import { feel } from '../stores/feel.svelte.ts';
import { InputLock } from '../stores/inputlock.svelte.ts';
import { rules } from '../stores/rules.svelte.ts';

/**
 * nod: the token appears. burst: pieces fly from the table. shower: pieces fall over the page. page: a dialog over the
 * page as well, until the player continues.
 */
export type Level = 'nod' | 'burst' | 'shower' | 'page';
const levels: readonly Level[] = ['nod', 'burst', 'shower', 'page'];

/** Returns the level of tier `k` of `top`: a quarter of the ladder each. */
export function levelOf(k: number, top: number): Level {
  return levels[Math.min(levels.length - 1, Math.max(0, Math.ceil((k * levels.length) / top) - 1))] ?? 'nod';
}

/** Milliseconds until the pieces are gone. */
const pieceMs = 2600;

class Celebration {
  /** The component that draws a celebration, once it is loaded. Without it nothing stops. */
  Drawing = $state.raw<Component | null>(null);
  /** The celebrated tier, which shows once the component is there; null without a celebration. */
  tier = $state.raw<Tier | null>(null);
  level = $state<Level>('nod');
  /** The number of the claimed token. */
  token = $state<number | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #lock = new InputLock();

  /** The dialog over the page is open. */
  readonly stopsPage = $derived(this.tier !== null && this.level === 'page' && this.Drawing !== null);
  /** The dialog accepts input. */
  get settled(): boolean {
    return this.#lock.settled;
  }

  /** Loads the drawing. */
  async prepare(): Promise<void> {
    if (this.Drawing) return;
    try {
      this.Drawing = (await loadChunk('celebration', () => import('./Celebration.svelte'))).default;
      this.#lock.lock(); // a dialog that it opens at once
    } catch {
      // The next visit of the page loads it.
    }
  }

  claimed(tier: Tier, token: number | null): void {
    const top = rules.all?.tiers.length ?? tier.tier;
    feel.cue({ kind: 'claim', height: tier.tier / top });
    this.level = levelOf(tier.tier, top);
    this.token = token;
    this.tier = this.level === 'nod' ? null : tier;
    this.#lock.lock();
    void this.prepare(); // a first claim may come before the page has loaded it
    clearTimeout(this.#timer);
    // A dialog stays until the player continues, but one that came later than that would interrupt the next run.
    this.#timer = setTimeout(() => {
      if (!this.stopsPage) this.end();
    }, pieceMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.tier = null;
  }
}

export const celebration = new Celebration();
