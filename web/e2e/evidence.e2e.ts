// What the page demands of the house before it believes: signed receipts while one plays, and the cosignatures of the
// published policy.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { checkAppearance, injectAxe } from './appearance.ts';
import { desktop, phone, tab, visitor } from './browser.ts';
import { playToClaim, throwHand } from './game.ts';
import { verdict } from './proofs.ts';
import { serve } from './server.ts';

interface Answer {
  receipts: { raw: string; signature: string }[];
  run: { throws: { seed: string; house: string }[] };
}

const hands = ['rock', 'paper', 'scissors'];

test.each<[string, (answer: Answer) => void]>([
  [
    'is not signed',
    ({ receipts }) => {
      for (const one of receipts) one.signature = one.raw;
    },
  ],
  ['is missing', ({ receipts }) => receipts.splice(1)],
])('a receipt that %s raises an alarm at once, which keeps the evidence', async (_, change) => {
  const page = await tab(await visitor());
  await throwHand(page, 'keys');
  expect(await page.locator('[data-fault]').count()).toBe(0);
  const other = await tab(await visitor());
  await other.route('**/api/runs', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as Answer;
    change(answer);
    await route.fulfill({ response, json: answer });
  });
  await throwHand(other, 'keys');
  const alarm = other.locator('[data-fault="receipt"]');
  await alarm.getByText('The house has not signed what it told you about your game.').waitFor();
  await other.reload();
  await alarm.getByText('what is not signed').click();
  expect(await alarm.locator('pre').last().textContent()).toContain('run_id');
  await alarm.getByRole('button', { name: 'Discard the evidence' }).click();
  await alarm.getByRole('button', { name: 'Yes, discard the evidence' }).click();
  await alarm.waitFor({ state: 'detached' });
});

test.each<[string, (thrown: Answer['run']['throws'][0]) => void]>([
  ['seed', (thrown) => (thrown.seed = '0'.repeat(64))],
  ['hand', (thrown) => (thrown.house = hands.find((hand) => hand !== thrown.house) ?? '')],
])('another %s than the sealed one raises an alarm, which stays after a reload', async (_, change) => {
  const page = await tab(await visitor());
  await page.route('**/api/runs', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as Answer;
    answer.run.throws.forEach(change);
    await route.fulfill({ response, json: answer });
  });
  await page.locator('.hands button:enabled').first().waitFor();
  await page.keyboard.press('r');
  await page.locator('[data-testid="seed-check"][data-holds="false"]').waitFor();
  const alarm = page.locator('[data-fault="check"][data-level="alarm"]');
  await alarm.getByText('A game of yours has failed its check.').waitFor();
  // The answer contradicts its receipt as well: that alarm waits, and what is not stored is gone with the page.
  await expect
    .poll(() => page.evaluate(() => localStorage.getItem('roshambo/waiting')))
    .toContain('"fault":"receipt"');
  await page.reload(); // the service shows the true throw from here on
  await alarm.getByText('what failed').click();
  expect(await alarm.locator('pre').last().textContent()).toContain('"n":1');
  const saved = page.waitForEvent('download');
  await alarm.getByRole('button', { name: 'evidence.json' }).click();
  expect((await saved).suggestedFilename()).toBe('evidence.json');
  await alarm.getByRole('button', { name: 'Discard the evidence' }).click();
  await alarm.getByRole('button', { name: 'Yes, discard the evidence' }).click();
  await alarm.waitFor({ state: 'detached' });
  // The alarm that has waited asks on its own.
  const next = page.locator('[data-fault="receipt"]');
  await next.getByRole('button', { name: 'Discard the evidence' }).click();
  await next.getByRole('button', { name: 'Yes, discard the evidence' }).click();
  await next.waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('[data-testid="seed-check"][data-holds="true"]').waitFor();
  expect(await page.locator('[data-fault]').count()).toBe(0);
});

/** Returns the witness of a vector's log, which has never cosigned a log of these tests. */
async function silentWitness(): Promise<string> {
  const { vectors } = JSON.parse(
    await readFile(path.resolve(import.meta.dirname, '../../vectors/index.json'), 'utf8'),
  ) as { vectors: { file: string; witnesses: string[] }[] };
  return vectors.find(({ file }) => file === 'run/cosigned.json')?.witnesses[0] ?? '';
}

/** Makes the browser keep another value, as if an earlier visit had. */
async function keep(page: Page, name: string, value: object): Promise<void> {
  await page.evaluate(
    ([key, text]) => {
      localStorage.setItem(key, text);
    },
    [`roshambo/${name}`, JSON.stringify(value)] as const,
  );
}

test.each([desktop, phone])(
  'a visitor who is shown fewer witnesses than before sees an alarm',
  async (device) => {
    const context = await visitor(device);
    await injectAxe(context);
    const page = await tab(context);
    const run = await playToClaim(page, device.touch ? 'touch' : 'keys');
    const witness = await silentWitness();
    await keep(page, 'witnesses', { keys: [witness], quorum: 1 });
    await page.goto(`/r/${run}?verify`);
    const alarm = page.locator('[data-fault="policy"]');
    await alarm.getByTestId('policies').getByText(witness).waitFor();
    await alarm.getByText('None: every proof is accepted without a witness.').waitFor();
    await checkAppearance(page, 'policy');
    // The kept policy is required until the visitor accepts the new one, also after a reload.
    await page.reload();
    await expect.poll(async () => (await verdict(page)).results.witnesses).toBe('fail');
    expect((await verdict(page)).valid).toBe(false);
    await alarm.getByRole('button', { name: 'Accept the new witnesses' }).click();
    await alarm.getByRole('button', { name: 'Yes, require the new witnesses' }).click();
    await alarm.waitFor({ state: 'detached' });
    await page.reload();
    await expect.poll(async () => (await verdict(page)).valid).toBe(true);
    expect(await page.locator('[data-fault]').count()).toBe(0);
  },
);

test('a proof with other texts than this browser sent raises an alarm', async () => {
  const context = await visitor();
  await injectAxe(context);
  const page = await tab(context);
  const run = await playToClaim(page);
  await page.goto(`/r/${run}?verify`);
  await expect.poll(async () => (await verdict(page)).valid).toBe(true);
  expect(await page.locator('[data-fault]').count()).toBe(0);
  const texts = await page.evaluate(() => localStorage.getItem('roshambo/texts') ?? '[]');
  const kept = (JSON.parse(texts) as { entropy: string[] }[]).at(-1);
  expect(kept?.entropy[0]).toMatch(/^[0-9a-f]{16}$/);
  await keep(page, 'texts', [{ ...kept, entropy: ['what was sent'] }]);
  await page.goto('about:blank');
  await page.goto(`/r/${run}?verify`);
  const alarm = page.locator('[data-fault="texts"]');
  await alarm.getByText('what differs').click();
  expect(await alarm.locator('pre').last().textContent()).toContain('"entropy":"what was sent"');
  await checkAppearance(page, 'texts-1440');
  await alarm.getByRole('button', { name: 'Discard the evidence' }).click();
  await alarm.getByRole('button', { name: 'Yes, discard the evidence' }).click();
  await alarm.waitFor({ state: 'detached' });
});

/** Starts a witness of a log. */
async function startWitness(
  data: string,
  log: string,
): Promise<[ChildProcess, { url: string; key: string }]> {
  const witness = spawn(inject('binary'), [
    'witness',
    '--listen',
    '127.0.0.1:0',
    '--data',
    data,
    '--log',
    log,
  ]);
  for await (const line of createInterface(witness.stderr)) {
    const [url, key] = [/url=(\S+)/.exec(line)?.[1], /verifier_key="?([^\s"]+)/.exec(line)?.[1]];
    if (url && key) return [witness, { url, key }];
  }
  throw new Error('the witness did not start');
}

test('a proof needs as many cosignatures as the service’s policy demands', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roshambo-evidence-'));
  const [binary, data] = [inject('binary'), path.join(folder, 'data')];
  let server = await serve(binary, data);
  const { head } = (await (await fetch(`${server.base}/api/chain/head`)).json()) as {
    head: { verifier_key: string };
  };
  await server.stop();
  const [witness, { url, key }] = await startWitness(path.join(folder, 'witness'), head.verifier_key);
  const silent = await silentWitness();
  const options = (quorum: number) => [
    '--house-bots=false',
    ...['--witness', `${key} ${url}`, '--witness', `${silent} http://127.0.0.1:9/`],
    ...['--witness-quorum', String(quorum)],
  ];
  try {
    server = await serve(binary, data, '0', options(1));
    const page = await tab(await visitor(desktop, server.base));
    const run = await playToClaim(page);
    await page.getByRole('link', { name: 'Verify this run' }).click();
    await expect.poll(async () => (await verdict(page)).valid).toBe(true);
    expect((await verdict(page)).results.witnesses).toBe('pass');
    await page.goto('/block/0');
    await page.getByText('Your browser verified this').waitFor();
    await server.stop();

    server = await serve(binary, data, '0', options(2));
    const other = await tab(await visitor(desktop, server.base), `/r/${run}?verify`);
    const report = other.getByTestId('verdict-of-proof');
    const sentence = '1 of 2 witnesses have cosigned; the policy that this browser keeps requires 2.';
    await report.getByText(sentence).waitFor();
    expect(await verdict(other)).toMatchObject({
      valid: false,
      results: { witnesses: 'fail', checkpoint: 'pass' },
    });
    // The explorer says the same.
    await other.goto('/block/0');
    await other.locator('[data-check="witnesses"][data-holds="false"]').getByText(sentence).waitFor();
    // The file that was dropped on the page needs them too, also without a network.
    const proof = await (await other.request.get(`/api/runs/${run}/proof`)).body();
    await other.goto('/verify');
    await other.context().setOffline(true);
    await other
      .locator('.drop input[type=file]')
      .setInputFiles({ name: 'proof.json', mimeType: 'application/json', buffer: proof });
    await report.getByText(sentence).waitFor();
  } finally {
    await server.stop();
    const ended = once(witness, 'exit');
    witness.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  }
});
