import type { BrowserContext } from 'playwright-core';
import { expect, test } from 'vitest';
import { makeBot } from './bots.ts';
import { base, tab, visitor } from './browser.ts';
import { playToClaim } from './game.ts';

interface RunLinks {
  commit_tx: string;
  start_tx: string;
  end_tx: string;
  account: string;
  token_id: number;
}

async function json<T>(context: BrowserContext, address: string): Promise<T> {
  return (await (await context.request.get(address)).json()) as T;
}

test('the chain page shows new blocks without a reload', async () => {
  const page = await tab(await visitor(), '/chain');
  const tip = page.locator('.strip a.block').first();
  const before = Number(await tip.getAttribute('data-height'));
  // Another visitor's account is in the next block.
  await (await visitor()).request.post('/api/guest');
  await page.locator(`.strip a.block[data-height="${before + 1}"]`).waitFor();
  await page.locator(`tbody a[href="/block/${before + 1}"]`).waitFor();
});

test('the search finds heights, hashes, addresses, tokens and names', async () => {
  const context = await visitor();
  const page = await tab(context);
  const { run } = await json<{ run: RunLinks }>(context, `/api/runs/${await playToClaim(page)}`);
  const { block } = await json<{ block: { hash: string } }>(context, '/api/chain/blocks/0');
  for (const [query, url] of [
    [run.commit_tx, `/tx/${run.commit_tx}`],
    [run.account, `/address/${run.account}`],
    [`#${run.token_id}`, `/token/${run.token_id}`],
    [block.hash.toUpperCase(), '/block/0'],
    ['0', '/block/0'],
  ] as const) {
    await page.goto('/chain');
    await page.getByLabel('Block height, hash, address, #token or username').fill(query);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${url}`);
  }
  await page.goto('/chain');
  await page.getByLabel('Block height, hash, address, #token or username').fill('no such name');
  await page.keyboard.press('Enter');
  await page.getByText('No results.').waitFor();

  // An ambiguous prefix gives a list; a name opens its address.
  const field = page.getByLabel('Block height, hash, address, #token or username');
  const names = ['lookalike_1', 'lookalike_2'];
  for (const name of names) await makeBot(await visitor(), name);
  await field.fill('lookalike');
  await page.keyboard.press('Enter');
  const results = page.getByRole('list', { name: 'Search results' }).getByRole('link');
  await expect.poll(() => results.count()).toBe(2);
  for (const name of names) await results.filter({ hasText: name }).waitFor();
  await results.filter({ hasText: 'lookalike_2' }).click();
  await page.waitForURL('**/address/rps1*');
  const address = page.url().split('/').at(-1) ?? '';
  await page.keyboard.press('/');
  await field.fill(address.slice(0, 12));
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/address/${address}`);
});

test('the activity page has charts and a table of the same data', async () => {
  const page = await tab(await visitor(), '/chain');
  await page.getByRole('link', { name: 'Activity' }).click();
  await page
    .getByRole('img', { name: /^Coins in circulation over \d+ days?: [\d,]+ now/ })
    .locator('canvas')
    .first()
    .waitFor();
  expect(await page.locator('[role="img"]').count()).toBe(3);
  await page.getByRole('button', { name: 'By hour' }).click();
  await page.waitForURL('**/chain/stats?by=hour');
  await page.reload();
  const row = page.locator('tbody tr').first();
  await row.waitFor();
  const { head } = (await (await page.request.get('/api/chain/head')).json()) as {
    head: { transactions: number };
  };
  const counted = async () =>
    (
      (await (await page.request.get('/api/chain/stats?by=hour')).json()) as {
        periods: { transactions: number; circulating: number }[];
      }
    ).periods;
  expect((await counted()).reduce((sum, { transactions }) => sum + transactions, 0)).toBeGreaterThanOrEqual(
    head.transactions,
  );
  // Read again on each attempt, as a new block may arrive.
  await expect
    .poll(async () => {
      const now = ((await counted())[0]?.circulating ?? 0).toLocaleString('en');
      return row.getByText(now, { exact: true }).count();
    })
    .toBeGreaterThan(0);
});

test('the house record counts the games of the chain', async () => {
  const context = await visitor();
  const guest = (await (await context.request.post('/api/guest')).json()) as { csrf_token: string };
  const headers = { 'X-CSRF-Token': guest.csrf_token, Origin: base };
  const started = await context.request.post('/api/runs', { headers, data: { move: 'rock' } });
  const { run } = (await started.json()) as { run: { id: string; status: string } };
  if (run.status !== 'lost') await context.request.post(`/api/runs/${run.id}/abandon`, { headers });
  const page = await tab(context, '/chain');
  await page.getByRole('link', { name: 'House record' }).click();
  const { record } = (await (await page.request.get('/api/chain/verify')).json()) as {
    record: { throws: number; runs: number };
  };
  expect(record.runs).toBeGreaterThan(0);
  await page.reload(); // the record may be older than the answer above
  const hands = page.getByRole('region', { name: 'Hands of the house' });
  await hands.waitFor();
  expect(await hands.locator('tbody tr').count()).toBe(3);
  const title = await page.getByTestId('record').getByRole('heading').textContent();
  expect(Number(title?.replace(/,/g, '').match(/^(\d+) throw/)?.[1])).toBeGreaterThanOrEqual(record.throws);
});

test('unknown blocks, transactions, tokens, runs and pages are reported', async () => {
  const context = await visitor();
  const page = await tab(context, '/block/2000000000');
  await page.getByText('Not found.').waitFor();
  for (const address of [
    `/tx/${'0'.repeat(64)}`,
    `/block/${'0'.repeat(64)}`,
    '/token/2000000000',
    '/r/no-such-run',
  ]) {
    await page.goto(address);
    await page.getByText('Not found.').waitFor();
  }
  const answer = await page.goto('/nowhere');
  expect(answer?.status()).toBe(404);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
});

test('the server verifies the whole chain on request', async () => {
  const page = await tab(await visitor(), '/chain');
  await page.getByRole('button', { name: 'Start verification' }).click();
  await page.getByText('The chain is valid').waitFor();
});
