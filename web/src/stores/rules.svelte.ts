// The table of tiers and what things cost: read once, it changes only when the operator changes the rules.

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

  /** Tier `k` counted from 1; undefined below 1, above the last, and before the rules are here. */
  tier(k: number): Tier | undefined {
    return this.all?.tiers[k - 1];
  }

  get spacing(): number {
    return this.all?.throw_spacing_ms ?? 250;
  }
}

export const rules = new Rules();
