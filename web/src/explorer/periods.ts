// Hours and days of the chain. The server omits periods without a block; charts need all of them.

import { language } from '../text/language.ts';

export type By = 'hour' | 'day';

interface Period {
  /** RFC 3339. */
  start: string;
  blocks: number;
  transactions: number;
  created: number;
  destroyed: number;
  circulating: number;
}

export interface Moment extends Omit<Period, 'start'> {
  /** Unix milliseconds. */
  start: number;
}

const noActivity = { blocks: 0, transactions: 0, created: 0, destroyed: 0 };

/** The maximum number of points in a chart. */
const maxPoints = 2000;

const format = (options: Intl.DateTimeFormatOptions) => {
  const made = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
  return (time: Date) => made.format(time);
};
const day = format({ dateStyle: 'medium' });
const shortDay = format({ month: 'short', day: 'numeric' });
const hour = format({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** For each kind of period: length, page size, and formats for tables and chart axes. */
export const lengths = {
  hour: { ms: 3_600_000, shown: 168, write: hour, tick: hour },
  day: { ms: 86_400_000, shown: 90, write: day, tick: shortDay },
} as const;

/**
 * Returns the periods in chronological order without gaps: a period without a block has no activity and keeps the
 * circulation. With `fromTheBeginning` an empty period precedes the first one.
 */
export function withoutGaps(newestFirst: readonly Period[], by: By, fromTheBeginning = false): Moment[] {
  const all: Moment[] = [];
  const first = newestFirst.at(-1);
  if (first && fromTheBeginning)
    all.push({ ...noActivity, start: Date.parse(first.start) - lengths[by].ms, circulating: 0 });
  for (const period of [...newestFirst].reverse()) {
    const start = Date.parse(period.start);
    const { circulating = 0, start: before = start } = all.at(-1) ?? {};
    for (let at = before + lengths[by].ms; at < start && all.length < maxPoints; at += lengths[by].ms)
      all.push({ ...noActivity, start: at, circulating });
    all.push({ ...period, start });
  }
  return all;
}
