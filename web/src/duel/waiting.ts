// Which duels wait for the viewer. Every page counts them, and only the page of a duel needs the rest of view.ts.

import type { Duel } from '../api/shapes.ts';

/** Returns the codes of the duels that wait for the viewer's hand, the most urgent first. */
export function waitingFor(duels: readonly Duel[]): string[] {
  const due = duels.flatMap(({ id, you, status, rounds }) => {
    const round = rounds.at(-1);
    const mine = status === 'active' && you !== null && round?.outcome === 'pending' && !round.committed[you];
    return mine ? [{ id, deadline: Date.parse(round.deadline ?? '') }] : [];
  });
  return due.sort((a, b) => a.deadline - b.deadline).map(({ id }) => id);
}
