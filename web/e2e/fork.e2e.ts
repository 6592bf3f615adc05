import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { desktop, phone, tab, visitor, type Device } from './browser.ts';
import { checkAppearance, injectAxe } from './appearance.ts';
import { serve, type Server } from './server.ts';

const binary = inject('binary');
let folder: string;
let server: Server;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'roshambo-fork-'));
  server = await serve(binary, path.join(folder, 'one'));
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function height(): Promise<number> {
  const answer = await fetch(`${server.base}/api/chain/head`);
  return ((await answer.json()) as { head: { height: number } }).head.height;
}

/** Creates guest accounts, one per block, until the chain has the height. */
async function growTo(target: number): Promise<void> {
  while ((await height()) < target) {
    const before = await height();
    await fetch(`${server.base}/api/guest`, { method: 'POST' });
    await expect.poll(height).toBeGreaterThan(before);
  }
}

const stored = (page: Page) =>
  page.evaluate(() => {
    const { note } = JSON.parse(localStorage.getItem('roshambo/checkpoint') ?? '{}') as { note?: string };
    return note ?? '';
  });
const sizeOf = (note: string) => Number(note.split('\n')[1]);

/** The localStorage of this site. */
type StoredItems = Record<string, string>;

/** Returns a browser that has stored the current checkpoint, and its localStorage. */
async function firstVisit(): Promise<[Page, StoredItems]> {
  const context = await visitor(desktop, server.base);
  await injectAxe(context);
  const page = await tab(context, '/chain');
  const size = (await height()) + 1;
  await expect.poll(async () => sizeOf(await stored(page))).toBe(size);
  const items = await page.evaluate(() =>
    Object.fromEntries(Object.entries(localStorage) as [string, string][]),
  );
  return [page, items];
}

/** Returns another browser with the same localStorage, opened at an address. */
async function withStorage(items: StoredItems, device: Device, address: string): Promise<Page> {
  const context = await visitor(device, server.base);
  await injectAxe(context);
  const page = await tab(context, '/favicon.svg'); // same origin, without scripts
  await page.evaluate((entries) => {
    for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
  }, items);
  await page.goto(address);
  return page;
}

test(
  'a growing log is accepted, and a new log under the same key raises an alarm',
  { timeout: 600_000 },
  async () => {
    await growTo(3);
    const [first, items] = await firstVisit();
    const before = await stored(first);
    await growTo(4);
    await first.goto('/block/4');
    await first.locator('[data-check="kept"][data-holds="true"]').waitFor({ state: 'attached' });
    await expect.poll(async () => sizeOf(await stored(first))).toBe(5);
    expect(await first.getByRole('alert').count()).toBe(0);

    const own = await stored(first);
    expect(own).not.toBe(before);

    // The same address and key with another database.
    await first.goto('about:blank');
    await server.stop();
    await mkdir(path.join(folder, 'two'), { mode: 0o700 });
    await copyFile(path.join(folder, 'one/keys.json'), path.join(folder, 'two/keys.json'));
    server = await serve(binary, path.join(folder, 'two'), new URL(server.base).port);

    // A shorter log.
    await first.goto('/');
    const banner = first.locator('[data-fault]');
    await banner.waitFor();
    // Cached tiles of the old log, if any, prove another history.
    expect(['shorter', 'history']).toContain(await banner.getAttribute('data-fault'));
    await first.getByText(/The house has (removed blocks|rewritten its chain)\./).waitFor();
    await banner.locator('summary').click();
    await checkAppearance(first, 'fork-1440');
    expect(await banner.locator('pre').allInnerTexts()).toHaveLength(2);
    await first.getByRole('button', { name: 'Copy evidence' }).click();
    const copied = () => first.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toContain('"shown"');
    const evidence = JSON.parse(await copied()) as {
      kept: { checkpoint: string };
      shown: { checkpoint: string };
    };
    expect(evidence.kept.checkpoint).toBe(own);
    // Genesis, and perhaps the account that the page has opened ahead.
    expect(sizeOf(evidence.shown.checkpoint)).toBeLessThan(sizeOf(own));

    // Another log of the same length.
    await growTo(3);
    const second = await withStorage(items, phone, '/chain');
    await second.locator('[data-fault="root"]').waitFor();
    await checkAppearance(second, 'fork-390');

    // A longer log that does not extend the old one. The page of a block detects it.
    await growTo(5);
    const third = await withStorage(items, desktop, '/block/2');
    await third.locator('[data-fault="history"]').waitFor();
    await third.locator('[data-check="kept"][data-holds="false"]').waitFor();
    expect(await third.getByTestId('browser-check').getAttribute('data-bad')).toBe('1');

    // The evidence stays until the user discards it and confirms.
    for (const page of [first, second, third]) {
      await page.goto('/');
      await page.locator('[data-fault]').waitFor();
    }
    expect(await stored(first)).toBe(own);
    expect(await stored(second)).toBe(before);
    await first.getByRole('button', { name: 'Trust this chain' }).click();
    await first.getByRole('button', { name: 'Yes, discard the stored checkpoint' }).click();
    await banner.waitFor({ state: 'detached' });
    await first.goto('/block/1');
    await first.locator('[data-check="log"][data-holds="true"]').waitFor({ state: 'attached' });
    expect(await banner.count()).toBe(0);
  },
);
