// The crosstable of the arena, as rows of cells.

import type { ArenaRow, Crosstable } from '../api/shapes.ts';

export interface Cell {
  wins: number;
  draws: number;
  losses: number;
  /** The share of the points that the bot of the row has won, 0 to 1. */
  points: number;
  /** The share in percent. */
  text: string;
}

/** Returns a row for each bot, with a cell for each bot in the same order: null for pairs that have not met. */
export function crossed({ bots, pairs }: Crosstable): { bot: ArenaRow; cells: (Cell | null)[] }[] {
  const met = new Map(pairs.map((pair) => [`${pair.bot}/${pair.opponent}`, pair]));
  return bots.map((bot) => ({
    bot,
    cells: bots.map((opponent) => {
      const pair = met.get(`${bot.address}/${opponent.address}`);
      if (!pair || pair.games === 0) return null;
      const points = (pair.wins + pair.draws / 2) / pair.games;
      const { wins, draws, losses } = pair;
      return { wins, draws, losses, points, text: String(Math.round(100 * points)) };
    }),
  }));
}
