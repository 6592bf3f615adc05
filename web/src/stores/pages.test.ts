import { expect, test } from 'vitest';
import { Pages, type Page } from './pages.svelte.ts';

/** A growing source of rows n, n-1, … 0 in pages of three. */
class Growing {
  tip: number;
  broken = false;
  constructor(tip: number) {
    this.tip = tip;
  }
  readonly read = (cursor: string | undefined): Promise<Page<number>> => {
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
