// Hours and days of the chain. The server leaves out those without a block; a picture of time must not.

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

const nothing = { blocks: 0, transactions: 0, created: 0, destroyed: 0 };

/** A picture with more points than this would be no picture. */
const most = 2000;

const format = (options: Intl.DateTimeFormatOptions) => {
  const made = new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' });
  return (time: Date) => made.format(time);
};
const day = format({ dateStyle: 'medium' });
const shortDay = format({ month: 'short', day: 'numeric' });
const hour = format({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** How long each is, how many are read at once, and how it is written: in a table, below a picture, and many of them. */
export const lengths = {
  hour: { ms: 3_600_000, shown: 168, name: 'hour', span: 'hours', write: hour, tick: hour },
  day: { ms: 86_400_000, shown: 90, name: 'day', span: 'days', write: day, tick: shortDay },
} as const;

/**
 * The periods in the order of time without a gap: where there was no block nothing moved, and as many coins stayed. With
 * the first period of all comes the one before it, when there was nothing.
 */
export function filled(newestFirst: readonly Period[], by: By, fromTheBeginning = false): Moment[] {
  const all: Moment[] = [];
  const first = newestFirst.at(-1);
  if (first && fromTheBeginning)
    all.push({ ...nothing, start: Date.parse(first.start) - lengths[by].ms, circulating: 0 });
  for (const period of [...newestFirst].reverse()) {
    const start = Date.parse(period.start);
    const { circulating = 0, start: before = start } = all.at(-1) ?? {};
    for (let at = before + lengths[by].ms; at < start && all.length < most; at += lengths[by].ms)
      all.push({ ...nothing, start: at, circulating });
    all.push({ ...period, start });
  }
  return all;
}
