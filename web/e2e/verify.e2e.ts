import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { share, tab, visitor } from './browser.ts';
import { verdict } from './proofs.ts';
import { playToClaim } from './table.ts';

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
];

test('the receipt verifies in the page: every check passes, also once the run is in its block', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  await page.getByRole('link', { name: 'Verify this run' }).click();
  // Until the end of the run is in its block there are notes; the page looks again by itself.
  await expect
    .poll(async () => (await verdict(page)).results)
    .toEqual(Object.fromEntries(checks.map((id) => [id, 'pass'])));
  expect((await verdict(page)).valid).toBe(true);
});

test('who loses the network anywhere on the page can still verify', async () => {
  const context = await visitor();
  const proof = await readFile(path.resolve(import.meta.dirname, '../../vectors/run/claimed.json'));
  const page = await context.newPage();
  // What the page of verifying consists of is asked for in one go, and all of it must have come.
  const [asked, come] = [new Set<string>(), new Set<string>()];
  const asset = (request: Request) => new URL(request.url()).pathname.startsWith('/assets/');
  page.on('request', (request) => asset(request) && asked.add(request.url()));
  page.on('requestfinished', (request) => asset(request) && come.add(request.url()));
  await page.goto('/');
  const isThere = () =>
    [...come].some((url) => /Verify-.*\.js$/.test(url)) && [...asked].every((url) => come.has(url));
  await expect.poll(isThere).toBe(true);
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Verify', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Verify a proof' }).waitFor();
  await page.locator('.key summary').click();
  await page.getByLabel('Verifier key that must have signed').fill('');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'proof.json', mimeType: 'application/json', buffer: proof });
  expect((await verdict(page)).valid).toBe(true);
});

test('a receipt is shared as a link that anybody can open', async () => {
  const page = await tab(await visitor());
  const run = await playToClaim(page);
  await page.goto(`/r/${run}`);
  const stranger = await tab(await visitor(), await share(page));
  await stranger.getByRole('heading', { name: /claimed/ }).waitFor();
  await stranger.getByRole('button', { name: 'Verify', exact: true }).click();
  expect((await verdict(stranger)).valid).toBe(true);
});
