import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { share, tab, visitor } from './browser.ts';
import { verdict } from './proofs.ts';
import { playToClaim } from './game.ts';

const checks = [
  'format',
  'transactions',
  'inclusion',
  'checkpoint',
  'order',
  'commitment',
  'client_seed',
  'seeds',
  'moves',
  'outcomes',
  'cleared',
  'status',
  'end',
  'receipts',
];

test('the receipt verifies on the page: every check passes once the run is in its block', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  await page.getByRole('link', { name: 'Verify this run' }).click();
  // Until the end of the run is in a block, the report has notes; the page repeats the check.
  await expect
    .poll(async () => (await verdict(page)).results)
    .toEqual(Object.fromEntries(checks.map((id) => [id, 'pass'])));
  expect((await verdict(page)).valid).toBe(true);
});

test('verification works after the network is lost on another page', async () => {
  const context = await visitor();
  const proof = await readFile(path.resolve(import.meta.dirname, '../../vectors/run/claimed.json'));
  const page = await context.newPage();
  // The page for verification is prefetched; wait until all of its assets are loaded.
  const [requested, loaded] = [new Set<string>(), new Set<string>()];
  const asset = (request: Request) => new URL(request.url()).pathname.startsWith('/assets/');
  page.on('request', (request) => asset(request) && requested.add(request.url()));
  page.on('requestfinished', (request) => asset(request) && loaded.add(request.url()));
  await page.goto('/');
  const isThere = () =>
    [...loaded].some((url) => /Verify-.*\.js$/.test(url)) && [...requested].every((url) => loaded.has(url));
  await expect.poll(isThere).toBe(true);
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Verify', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Verify a proof' }).waitFor();
  await page.locator('.key summary').click();
  await page.getByLabel('Accept any key').check();
  await page
    .locator('.drop input[type=file]')
    .setInputFiles({ name: 'proof.json', mimeType: 'application/json', buffer: proof });
  expect((await verdict(page)).valid).toBe(true);
});

test('a shared receipt opens for other visitors', async () => {
  const page = await tab(await visitor());
  const run = await playToClaim(page);
  await page.goto(`/r/${run}`);
  const other = await tab(await visitor(), await share(page));
  await other.getByRole('heading', { name: /claimed/ }).waitFor();
  await other.getByRole('button', { name: 'Verify', exact: true }).click();
  // The page repeats the check with every block until the run's end is in one.
  await expect.poll(async () => (await verdict(other)).valid).toBe(true);
});
