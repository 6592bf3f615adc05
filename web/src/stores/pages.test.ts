import { afterEach, expect, test, vi } from 'vitest';
import { Pages, type Cursor, type Page } from './pages.svelte.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** A growing source of rows n, n-1, … 0 in pages of three. */
class Growing {
  tip: number;
  broken = false;
  constructor(tip: number) {
    this.tip = tip;
  }
  readonly read = ({ cursor }: Cursor): Promise<Page<number>> => {
    if (this.broken) return Promise.reject(new Error('offline'));
    const from = cursor === undefined ? this.tip : Number(cursor);
    const rows = [from, from - 1, from - 2].filter((n) => n >= 0);
    return Promise.resolve({ rows, next: from > 2 ? String(from - 3) : null });
  };
}

test('more appends pages to the end, and refresh prepends new rows', async () => {
  const source = new Growing(6);
  const pages = new Pages(source.read, (n) => n);
  expect(pages.ready).toBe(false);
  await pages.refresh();
  expect(pages.rows).toEqual([6, 5, 4]);
  await pages.more();
  expect(pages.rows).toEqual([6, 5, 4, 3, 2, 1]);
  source.tip = 8;
  await pages.refresh();
  expect(pages.rows).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  await pages.more();
  expect(pages.rows).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect(pages.next).toBeNull();
});

test('refresh replaces the list if more rows are new than a page holds', async () => {
  const source = new Growing(3);
  const pages = new Pages(source.read, (n) => n);
  await pages.refresh();
  source.tip = 20;
  await pages.refresh();
  expect(pages.rows).toEqual([20, 19, 18]);
  await pages.more();
  expect(pages.rows).toEqual([20, 19, 18, 17, 16, 15]);
});

test('rows stay after a failed load', async () => {
  const source = new Growing(4);
  const pages = new Pages(source.read, (n) => n);
  await pages.refresh();
  source.broken = true;
  await pages.more();
  expect(pages.rows).toEqual([4, 3, 2]);
  expect(pages.error).toBeInstanceOf(Error);
  source.broken = false;
  await pages.more();
  expect(pages.rows).toEqual([4, 3, 2, 1, 0]);
  expect(pages.error).toBeNull();
});

test('a retry repeats the request that failed, unless a later one was sent', async () => {
  const source = new Growing(8);
  const pages = new Pages(source.read, (n) => n, true);
  await pages.refresh();
  await pages.more();
  source.broken = true;
  await pages.more();
  source.broken = false;
  await pages.retry();
  expect(pages.rows).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect(pages.error).toBeNull();
  source.broken = true;
  await pages.refresh();
  source.broken = false;
  source.tip = 9;
  await Promise.all([pages.refresh(), pages.retry()]);
  expect(pages.rows).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

test('refresh removes rows from a volatile list', async () => {
  const rows = [3, 2, 1];
  const pages = new Pages<number>(
    () => Promise.resolve({ rows: [...rows], next: null }),
    (n) => n,
    true,
  );
  await pages.refresh();
  rows.splice(1, 1);
  await pages.refresh();
  expect(pages.rows).toEqual([3, 1]);
  rows.length = 0;
  await pages.refresh();
  expect(pages.rows).toEqual([]);
});

test('refresh of a volatile list that was extended replaces its first page alone', async () => {
  let rows = [9, 8, 7, 6, 5, 4, 3, 2, 1];
  const pages = new Pages<number>(
    ({ cursor }) => {
      const from = cursor === undefined ? 0 : rows.findIndex((n) => n < Number(cursor));
      const page = rows.slice(from, from + 3);
      return Promise.resolve({ rows: page, next: from + 3 < rows.length ? String(page.at(-1)) : null });
    },
    (n) => n,
    true,
  );
  await pages.refresh();
  await pages.more();
  rows = rows.filter((n) => n !== 8); // 6 moves up
  await pages.refresh();
  expect(pages.rows).toEqual([9, 7, 6, 5, 4]);
  await pages.more();
  expect(pages.rows).toEqual([9, 7, 6, 5, 4, 3, 2, 1]);
  rows = [10, ...rows]; // 6 moves down
  await pages.refresh();
  expect(pages.rows).toEqual([10, 9, 7, 6, 5, 4, 3, 2, 1]);
  await pages.reload();
  expect(pages.rows).toEqual([10, 9, 7]);
  await pages.more();
  rows = [3, 2];
  await pages.refresh();
  expect(pages.rows).toEqual([3, 2]);
});

/** Returns the modules of a browser whose history is at the entry that the test names. */
async function withHistory() {
  const browser = Object.assign(new EventTarget(), { currentEntry: { key: 'list' } });
  vi.stubGlobal('navigation', browser);
  vi.resetModules();
  const { Pages: Kept } = await import('./pages.svelte.ts');
  return { Kept, visit: (key: string) => (browser.currentEntry = { key }) };
}

test.each([
  ['feed', 0],
  ['+market', 1],
])('the list "%s" is as long as it was after going back, with %i calls', async (name, calls) => {
  const { Kept, visit } = await withHistory();
  const source = new Growing(8);
  const read = vi.fn(source.read);
  const list = (of = name) => new Kept<number>(read, (n) => n, true, of);
  const first = list();
  await first.refresh();
  await first.more();
  visit('a row');
  const elsewhere = list();
  expect([elsewhere.rows, elsewhere.ready]).toEqual([[], false]);
  visit('list');
  expect(list('another').rows).toEqual([]);
  read.mockClear();
  const back = list();
  expect([back.rows, back.ready]).toEqual([[8, 7, 6, 5, 4, 3], true]);
  await back.refresh(); // with the mount
  expect(read).toHaveBeenCalledTimes(calls);
  expect(back.rows).toEqual([8, 7, 6, 5, 4, 3]);
  await back.more();
  expect(back.rows).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
  source.tip = 9;
  await back.refresh();
  expect(back.rows).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

/** Pages of answers that the test gives in any order. */
function held() {
  const answers: ((page: Page<number>) => void)[] = [];
  const pages = new Pages<number>(
    () => new Promise((done) => answers.push(done)),
    (n) => n,
    true,
  );
  return { pages, answer: (n: number, rows: number[], next: string | null) => answers[n]?.({ rows, next }) };
}

test('a list is not replaced by the answer to an earlier request', async () => {
  const { pages, answer } = held();
  const both = Promise.all([pages.refresh(), pages.refresh()]);
  answer(1, [3, 2], null);
  await Promise.resolve();
  answer(0, [2, 1], null);
  await both;
  expect(pages.rows).toEqual([3, 2]);
});

test('a page is not appended to a list that was replaced while it was requested', async () => {
  const { pages, answer } = held();
  const first = pages.refresh();
  answer(0, [9, 8], 'after 8');
  await first;
  const both = Promise.all([pages.more(), pages.refresh()]);
  answer(2, [20, 19], 'after 19');
  await Promise.resolve();
  answer(1, [7, 6], 'after 6');
  await both;
  expect(pages.rows).toEqual([20, 19]);
  expect(pages.next).toBe('after 19');
  const more = pages.more();
  answer(3, [18], null);
  await more;
  expect(pages.rows).toEqual([20, 19, 18]);
});
