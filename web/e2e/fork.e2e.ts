import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { desktop, phone, tab, visitor, type Device } from './browser.ts';
import { bringAxe, look } from './look.ts';
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

/** Has people join until the chain is as high as that: each is in a block of their own. */
async function growTo(want: number): Promise<void> {
  while ((await height()) < want) {
    const before = await height();
    await fetch(`${server.base}/api/guest`, { method: 'POST' });
    await expect.poll(height).toBeGreaterThan(before);
  }
}

const kept = (page: Page) =>
  page.evaluate(() => {
    const { note } = JSON.parse(localStorage.getItem('roshambo/checkpoint') ?? '{}') as { note?: string };
    return note ?? '';
  });
const sizeOf = (note: string) => Number(note.split('\n')[1]);

/** What a browser keeps of this site. */
type Memory = Record<string, string>;

/** A browser that looked at the chain once, as it is now; and what it remembers. */
async function witness(): Promise<[Page, Memory]> {
  const context = await visitor(desktop, server.base);
  await bringAxe(context);
  const page = await tab(context, '/chain');
  const size = (await height()) + 1;
  await expect.poll(async () => sizeOf(await kept(page))).toBe(size);
  const memory = await page.evaluate(() =>
    Object.fromEntries(Object.entries(localStorage) as [string, string][]),
  );
  return [page, memory];
}

/** Another browser with that memory, opened at an address. */
async function remembering(memory: Memory, device: Device, address: string): Promise<Page> {
  const context = await visitor(device, server.base);
  await bringAxe(context);
  const page = await tab(context, '/favicon.svg'); // of the site, and without its scripts
  await page.evaluate((items) => {
    for (const [key, value] of Object.entries(items)) localStorage.setItem(key, value);
  }, memory);
  await page.goto(address);
  return page;
}

test(
  'a log that grows is followed; one that was begun anew under the same key is shouted',
  { timeout: 600_000 },
  async () => {
    await growTo(3);
    const [first, memory] = await witness();
    const before = await kept(first);
    await growTo(4);
    await first.goto('/block/4');
    await first.locator('[data-check="kept"][data-holds="true"]').waitFor({ state: 'attached' });
    await expect.poll(async () => sizeOf(await kept(first))).toBe(5);
    expect(await first.getByRole('alert').count()).toBe(0);

    const own = await kept(first);
    expect(own).not.toBe(before);

    // The same address and the same key, but another database.
    await first.goto('about:blank');
    await server.stop();
    await mkdir(path.join(folder, 'two'), { mode: 0o700 });
    await copyFile(path.join(folder, 'one/keys.json'), path.join(folder, 'two/keys.json'));
    server = await serve(binary, path.join(folder, 'two'), new URL(server.base).port);

    // Shorter than what was seen.
    await first.goto('/');
    const banner = first.locator('[data-fault]');
    await banner.waitFor();
    // The tiles of before, when the browser still has them, prove that it is another history too.
    expect(['shorter', 'history']).toContain(await banner.getAttribute('data-fault'));
    await first.getByText(/The house has (taken blocks back|rewritten its chain)\./).waitFor();
    await banner.locator('summary').click();
    await look(first, 'fork-1440');
    expect(await banner.locator('pre').allInnerTexts()).toHaveLength(2);
    await first.getByRole('button', { name: 'Copy all the evidence' }).click();
    const copied = () => first.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toContain('"shown"');
    const evidence = JSON.parse(await copied()) as {
      kept: { checkpoint: string };
      shown: { checkpoint: string };
    };
    expect(evidence.kept.checkpoint).toBe(own);
    expect(sizeOf(evidence.shown.checkpoint)).toBe(1);

    // Just as long, and another.
    await growTo(3);
    const second = await remembering(memory, phone, '/chain');
    await second.locator('[data-fault="root"]').waitFor();
    await look(second, 'fork-390');

    // Longer: the old one is no part of it. The page of a block finds it out by itself.
    await growTo(5);
    const third = await remembering(memory, desktop, '/block/2');
    await third.locator('[data-fault="history"]').waitFor();
    await third.locator('[data-check="kept"][data-holds="false"]').waitFor();
    expect(await third.getByTestId('browser-check').getAttribute('data-bad')).toBe('1');

    // Nothing was overwritten, and nothing is forgotten until the person says so, twice.
    for (const page of [first, second, third]) {
      await page.goto('/');
      await page.locator('[data-fault]').waitFor();
    }
    expect(await kept(first)).toBe(own);
    expect(await kept(second)).toBe(before);
    await first.getByRole('button', { name: 'I know why' }).click();
    await first.getByRole('button', { name: 'Yes: forget what was kept' }).click();
    await banner.waitFor({ state: 'detached' });
    await first.goto('/block/1');
    await first.locator('[data-check="log"][data-holds="true"]').waitFor({ state: 'attached' });
    expect(await banner.count()).toBe(0);
  },
);
