// Tiers and prices. They are loaded once, as they change only with the operator's rules.

import { get } from '../api/client.ts';
import type { Tier, Tiers } from '../api/shapes.ts';

class Rules {
  all = $state.raw<Tiers | null>(null);
  error = $state.raw<unknown>(null);

  async load(): Promise<void> {
    if (this.all) return;
    try {
      this.all = await get('/api/tiers');
      this.error = null;
    } catch (error) {
      this.error = error;
    }
  }

  /** Returns tier `k`, counted from 1; undefined out of range and before the rules are loaded. */
  tier(k: number): Tier | undefined {
    return this.all?.tiers[k - 1];
  }

  /** The minimum time between throws in milliseconds. */
  get spacing(): number {
    return this.all?.throw_spacing_ms ?? 250;
  }
}

export const rules = new Rules();
