// The rows of a player's rated duels. A void duel has two: its result, and the later correction of the rating. A
// restored one has a third, which takes the correction back.

import type { BotDuel } from '../api/shapes.ts';

/** Returns the codes of the void duels among the rows. A correction is newer than its duel, so it is loaded before. */
export function voidDuels(rows: readonly BotDuel[]): ReadonlySet<string> {
  const restored = new Set(rows.filter(({ outcome }) => outcome === 'restored').map(({ id }) => id));
  return new Set(
    rows.filter(({ id, outcome }) => outcome === 'void' && !restored.has(id)).map(({ id }) => id),
  );
}
