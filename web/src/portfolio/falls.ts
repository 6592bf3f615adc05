// What a history of values says besides the values.

interface Day {
  date: string;
  total: number;
}

/** How far below the highest value so far each day was, in percent: 0 or less. */
export function belowPeak(history: readonly Day[]): { x: string; y: number }[] {
  let peak = 0;
  return history.map(({ date, total }) => {
    peak = Math.max(peak, total);
    return { x: date, y: peak > 0 ? (100 * (total - peak)) / peak : 0 };
  });
}

/** The change from the first day to the last; null when there is one day or none. */
export function change(history: readonly Day[]): number | null {
  const [first, last] = [history[0], history.at(-1)];
  return first && last && first !== last ? last.total - first.total : null;
}
