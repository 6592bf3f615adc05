// The texts of the next throw as the player sees and enters them. The texts that are sent come from texts.ts,
// which stores them first.

import { randomHex } from '../api/client.ts';
import type { Me, Run } from '../api/shapes.ts';
import { session } from '../stores/session.svelte.ts';
import * as texts from './texts.ts';

export class Draft {
  /** The texts that the player has entered; the page draws one for an empty text. */
  clientSeed = $state(randomHex(8));
  entropy = $state('');
  /** The texts are stored, and the house may have received them: they cannot change. */
  fixed = $state(false);

  /**
   * Returns the client seed for the next run and the commitment that it belongs to. The seed is stored when this returns:
   * a reload or crash from here on finds it, and the same seed is sent again.
   */
  async seed(): Promise<{ client_seed: string; commitment: string }> {
    let me: Me | null = await session.ensure();
    // Another tab has started a run since, which has used that commitment and its texts.
    if (texts.runOf(me.next_commitment.commitment) !== null) me = await session.load();
    if (!me) throw session.error;
    const { commitment } = me.next_commitment;
    this.fixed = true;
    return { client_seed: texts.clientSeedFor(commitment, this.clientSeed), commitment };
  }

  /** Returns the entropy of a throw of a run. A reload or crash from here on finds it and sends it again. */
  entropyOf(run: Run): string {
    this.fixed = true;
    return texts.entropyFor(texts.firstCommitment(run), run.throws.length + 1, this.entropy);
  }

  /** Clears the entered entropy after the house has used it. */
  useUp(): void {
    this.entropy = '';
    this.fixed = false;
  }

  /** Draws another client seed. */
  redraw(): void {
    this.clientSeed = randomHex(8);
  }

  /** Shows stored texts of the next throw, which were sent before a reload. */
  show(run: Run | null, idle: boolean, me: Me | null): void {
    const n = (run?.throws.length ?? 0) + 1;
    const commitment = run ? texts.firstCommitment(run) : (me?.next_commitment.commitment ?? '');
    const [seed, entropy] = [texts.storedSeed(commitment), texts.storedEntropy(commitment, n)];
    if (idle) {
      // A recovery has replaced the commitment: the house knows the seed that was sent with the old one.
      if (this.fixed && seed === null) this.redraw();
      this.fixed = seed !== null;
      this.clientSeed = seed ?? this.clientSeed;
    } else this.fixed = entropy !== null;
    if (this.fixed) this.entropy = entropy ?? '';
  }
}
