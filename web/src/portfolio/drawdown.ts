// Figures derived from a history of values.

interface Day {
  date: string;
  total: number;
}

/** Returns the drawdown of each day from the highest value so far, in percent: 0 or less. */
export function drawdown(history: readonly Day[]): { x: string; y: number }[] {
  let peak = 0;
  return history.map(({ date, total }) => {
    peak = Math.max(peak, total);
    return { x: date, y: peak > 0 ? (100 * (total - peak)) / peak : 0 };
  });
}

/** Returns the change from the first day to the last; null for fewer than two days. */
export function change(history: readonly Day[]): number | null {
  const [first, last] = [history[0], history.at(-1)];
  return first && last && first !== last ? last.total - first.total : null;
}
