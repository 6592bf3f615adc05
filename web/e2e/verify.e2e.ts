import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Request } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { makeBot, playRanked } from './bots.ts';
import { base, share, tab, visitor } from './browser.ts';
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

test('the receipt verifies on the page: every check passes once the run is in its block, with a note about entropy', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  await page.getByRole('link', { name: 'Verify this run' }).click();
  // Until the end of the run is in a block, the report has more notes; the page repeats the check. That the page has
  // sent entropy with each throw stays one.
  await expect
    .poll(async () => (await verdict(page)).results)
    .toEqual(Object.fromEntries(checks.map((id) => [id, id === 'moves' ? 'note' : 'pass'])));
  expect((await verdict(page)).valid).toBe(true);
});

test('what the browser keeps is what the command checks', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  const run = await page.getByRole('link', { name: 'Verify this run' }).getAttribute('href');
  const id = /[0-9a-f-]{36}/.exec(run ?? '')?.[0] ?? '';
  await page.goto('/verify');
  const kept = page.getByTestId('kept');
  const folder = mkdtempSync(path.join(tmpdir(), 'roshambo-kept-'));
  const save = async (name: string) => {
    const file = page.waitForEvent('download');
    await kept.getByRole('button', { name }).click();
    await (await file).saveAs(path.join(folder, name));
    return path.join(folder, name);
  };
  const [checkpoint, receipts] = [await save('checkpoint.txt'), await save('receipts.jsonl')];
  const command = (...args: string[]) => spawnSync(inject('binary'), args, { encoding: 'utf8' }).stdout;
  expect(command('verify-chain', base, '--extends', checkpoint)).toContain('\nVALID');
  // The house signs the claim when it is made, and its block follows.
  const proof = path.join(folder, 'proof.json');
  await expect
    .poll(async () => {
      writeFileSync(proof, await (await page.request.get(`/api/runs/${id}/proof`)).body());
      return command('verify', proof, '--receipts', receipts);
    })
    .toMatch(/\nVALID/);
  writeFileSync(checkpoint, readFileSync(checkpoint, 'utf8').replace(/\n\d+\n/, '\n999999\n'));
  expect(command('verify-chain', base, '--extends', checkpoint)).toContain('signature is wrong');
  rmSync(folder, { recursive: true });
});

test('what the page offers as a verifier has the digest that it shows, and verifies a proof', async () => {
  const page = await tab(await visitor());
  const run = await playToClaim(page);
  await page.goto('/verify');
  const shown = page.getByTestId('verifiers').locator('[data-digest]');
  await shown.first().waitFor();
  const folder = mkdtempSync(path.join(tmpdir(), 'roshambo-verifiers-'));
  for (const one of await shown.all()) {
    const name = (await one.getAttribute('data-digest')) ?? '';
    const file = page.waitForEvent('download');
    await page.getByTestId('verifiers').getByRole('link', { name, exact: true }).click();
    await (await file).saveAs(path.join(folder, name));
    const digest = createHash('sha256')
      .update(readFileSync(path.join(folder, name)))
      .digest('hex');
    expect(await one.innerText(), name).toBe(digest);
  }
  expect(await shown.count()).toBe(3);
  const proof = path.join(folder, 'proof.json');
  await expect
    .poll(async () => {
      writeFileSync(proof, await (await page.request.get(`/api/runs/${run}/proof`)).body());
      return spawnSync('python3', ['verify.py', 'proof.json'], { cwd: folder, encoding: 'utf8' }).stdout;
    })
    .toMatch(/\nVALID/);
  rmSync(folder, { recursive: true });
});

test('a file of several proofs has a verdict for the whole and for each, which shows its checks', async () => {
  const read = async (name: string) => {
    const text = await readFile(path.resolve(import.meta.dirname, '../../vectors', name), 'utf8');
    return JSON.stringify(JSON.parse(text));
  };
  const [duel, run] = [await read('duel/rated.json'), await read('run/claimed.json')];
  const page = await tab(await visitor(), '/verify');
  await page.locator('.key summary').click();
  await page.getByLabel('Accept any key').check();
  const file = page.locator('.drop input[type=file]');
  expect(await file.getAttribute('accept')).toContain('.ndjson');
  const choose = (text: string) =>
    file.setInputFiles({
      name: 'proofs.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(text),
    });
  const whole = page.getByTestId('verdict-of-file');
  await choose(`${duel}\n${run}\n\n`);
  await whole.getByText('All 2 proofs of this file are valid.').waitFor();
  await choose(`${duel}\n${duel.replace('"winner":"a"', '"winner":"b"')}\nno proof\n${run}\n`);
  await whole.getByText('2 of 4 proofs of this file are valid.').waitFor();
  expect(await whole.getAttribute('data-outcome')).toBe('invalid');
  const each = whole.getByRole('button');
  const outcomes = await each.evaluateAll((all) => all.map((one) => one.getAttribute('data-outcome')));
  expect(outcomes).toEqual(['valid', 'invalid', 'unreadable', 'valid']);
  await each.nth(1).click();
  await expect.poll(async () => (await verdict(page)).valid).toBe(false);
  await each.nth(0).click();
  await expect.poll(async () => (await verdict(page)).valid).toBe(true);
});

test('a proof of the moment is fetched and verified like a dropped file; without one the page says so', async () => {
  const context = await visitor();
  const page = await tab(context, '/verify');
  const button = page.getByRole('button', { name: 'Try a proof of the moment' });
  const finished = '**/api/duels?status=finished&limit=1';
  await page.route(finished, (route) => route.fulfill({ json: { duels: [], next: null } }));
  await button.click();
  await page.getByText('No duel has finished yet').waitFor();
  await page.unroute(finished);
  // A duel without a decided round is in no list of the latest.
  await playRanked(await makeBot(await visitor(), 'moment-a'), await makeBot(await visitor(), 'moment-b'));
  await button.click();
  await expect.poll(async () => (await verdict(page)).valid).toBe(true); // once it is in a block
  expect(await page.locator('.drop strong').innerText()).toMatch(/^[0-9A-Z]{8}\.json$/);
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
