// The verifier runs in a worker: under the policy that the service sends, bound to the build, and beside the page.

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { tab, visitor } from './browser.ts';
import { verdict } from './proofs.ts';

const proof = await readFile(path.resolve(import.meta.dirname, '../../vectors/run/claimed.json'));

async function openProof(page: Page): Promise<void> {
  await page.locator('.key summary').click();
  await page.getByLabel('Accept any key').check();
  await page
    .locator('.drop input[type=file]')
    .setInputFiles({ name: 'proof.json', mimeType: 'application/json', buffer: proof });
}

test('a proof is verified by one worker, which starts from a Blob under the shipped policy', async () => {
  // Errors in the console, such as violations of the policy, fail the test.
  const page = await tab(await visitor(), '/verify');
  const answer = await page.request.get('/verify');
  expect(answer.headers()['content-security-policy']).toContain("worker-src 'self' blob:;");
  await openProof(page);
  expect((await verdict(page)).valid).toBe(true);
  await page.goto('/block/0');
  await page.getByText('Your browser verified this').waitFor();
  expect(page.workers().map((worker) => worker.url().split(':', 1)[0])).toEqual(['blob']);
});

test('the worker has the policy of the page: it connects to no other site', async () => {
  const page = await (await visitor()).newPage(); // the refusal is an error in the console
  await page.goto('/verify');
  await openProof(page);
  expect((await verdict(page)).valid).toBe(true);
  const refused = page.workers()[0]?.evaluate(
    () =>
      new Promise((done) => {
        addEventListener('securitypolicyviolation', (event) => {
          done(event.effectiveDirective);
        });
        fetch('http://another.invalid/').catch(() => undefined);
      }),
  );
  expect(await refused).toBe('connect-src');
});

test('a worker’s script of another build is refused, and the page says that it could not verify', async () => {
  const page = await (await visitor()).newPage(); // the refusal is an error in the console
  let served = 0;
  await page.route('**/assets/worker-*.js', async (route) => {
    served++;
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `${await answer.text()}\n` });
  });
  await page.goto('/verify');
  await openProof(page);
  await page.getByText('This part of the page could not be loaded.').first().waitFor();
  expect(served).toBeGreaterThan(0);
  expect(await page.getByTestId('verdict-of-proof').count()).toBe(0);
  expect(page.workers()).toEqual([]);
  // With the right script the same page verifies.
  await page.unroute('**/assets/worker-*.js');
  await page.getByRole('button', { name: /again/ }).click();
  expect((await verdict(page)).valid).toBe(true);
});

test('the page answers while the worker is busy', async () => {
  const page = await tab(await visitor(), '/verify');
  await openProof(page);
  expect((await verdict(page)).valid).toBe(true);
  // A worker that never comes back: the page still draws, and the new file waits for its verdict.
  void page
    .workers()[0]
    ?.evaluate(() => {
      for (;;);
    })
    .catch(() => undefined);
  await page.locator('.drop input[type=file]').setInputFiles({
    name: 'other.json',
    mimeType: 'application/json',
    buffer: Buffer.from('hello'),
  });
  await page.getByText('other.json').waitFor();
  await page.getByRole('link', { name: 'Market', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Market', level: 1 }).waitFor();
});
