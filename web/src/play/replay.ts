// The replay of a run: each throw first with the house's hand sealed, then with both hands open.

import type { Run, Throw } from '../api/shapes.ts';

/** Milliseconds for which a throw stays sealed, and open. */
export const paceMs = { sealed: 900, open: 1600 } as const;

export interface Frame {
  thrown: Throw;
  /** The house's hand is still sealed. */
  sealed: boolean;
  /** The step of the ladder that the run has cleared by now; 0 for none. */
  cleared: number;
}

/** Returns the frames of a run's replay: two for each throw. */
export function framesOf({ throws, cleared }: Pick<Run, 'throws' | 'cleared'>): Frame[] {
  const wins = throws.filter(({ outcome }) => outcome === 'win').length;
  let reached = cleared - wins; // a run that burns a token begins at its tier
  return throws.flatMap((thrown) => {
    const before = reached;
    if (thrown.outcome === 'win') reached++;
    return [
      { thrown, sealed: true, cleared: before },
      { thrown, sealed: false, cleared: reached },
    ];
  });
}
