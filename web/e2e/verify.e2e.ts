import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { share, tab, visitor } from './browser.ts';
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

async function verdict(page: Page): Promise<{ valid: boolean; results: Record<string, string> }> {
  const shown = page.getByTestId('verdict-of-proof');
  await shown.waitFor();
  const rows = await shown
    .locator('li')
    .evaluateAll((items) =>
      items.map((item) => [item.getAttribute('data-check') ?? '', item.getAttribute('data-result') ?? '']),
    );
  return {
    valid: (await shown.getAttribute('data-valid')) === 'true',
    results: Object.fromEntries(rows) as Record<string, string>,
  };
}

/** Drops a file on the page, as from the desktop. */
async function drop(page: Page, text: string): Promise<void> {
  const transfer = await page.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], 'proof.json', { type: 'application/json' }));
    return data;
  }, text);
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: transfer });
}

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

test('a downloaded proof is verified without network, a tampered one is refused with its check named', async () => {
  const page = await tab(await visitor());
  const run = await playToClaim(page);
  await page.goto(`/r/${run}`);
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'proof.json' }).click();
  const file = await (await saving).path();
  const proof = await readFile(file, 'utf8');

  await page.getByRole('link', { name: 'without network' }).click();
  await page.getByRole('heading', { name: 'Verify a proof' }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.context().setOffline(true);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'proof.json', mimeType: 'application/json', buffer: Buffer.from(proof) });
  expect(await verdict(page)).toMatchObject({ valid: true, results: { seeds: 'pass', moves: 'pass' } });

  const tampered: [string, string, (text: string) => string][] = [
    [
      'seeds',
      'a seed',
      (text) =>
        text.replace(
          /(seed\\":\\")([0-9a-f])/,
          (_, before: string, digit: string) => before + (digit === '0' ? '1' : '0'),
        ),
    ],
    ['outcomes', 'an outcome', (text) => text.replace('outcome\\":\\"win', 'outcome\\":\\"tie')],
    [
      'cleared',
      'the steps',
      (text) => text.replace(/"cleared":(\d+)/, (_, n: string) => `"cleared":${Number(n) + 1}`),
    ],
    ['format', 'half of the file', (text) => text.slice(0, text.length / 2)],
    ['format', 'everything', () => 'hello'],
  ];
  for (const [check, what, change] of tampered) {
    const changed = change(proof);
    expect(changed, what).not.toBe(proof);
    await drop(page, changed);
    await page.locator(`li[data-check="${check}"][data-result="fail"]`).waitFor();
    expect((await verdict(page)).valid, what).toBe(false);
  }

  await drop(page, proof);
  await page.locator('[data-valid="true"]').waitFor();
  await page.locator('.key summary').click();
  await page.getByLabel('Verifier key that must have signed').fill('somebody+6daf5554+AVlG2PtQSr5IP5Zn');
  await page.getByLabel('Verifier key that must have signed').blur();
  await page.locator('li[data-check="checkpoint"][data-result="fail"]').waitFor();
  await page.context().setOffline(false);
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
