import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { base, tab, visitor } from './browser.ts';

// Answers that were changed on their way: the page believes none of them.

interface Block {
  height: number;
  hash: string;
  raw: string;
  merkle_root: string;
  time: string;
  tx_count: number;
  transactions: { hash: string; raw: string; summary: string; transfers: { amount: number | null }[] }[];
}

const sha256 = (...parts: (string | Buffer)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The block in which somebody joined, alone. */
async function someBlock(): Promise<Block> {
  const page = await visitor();
  await page.request.post('/api/guest');
  const me = (await (await page.request.get('/api/me')).json()) as { next_commitment: { tx_hash: string } };
  let height: number | null = null;
  await expect
    .poll(async () => {
      const answer = await fetch(`${base}/api/chain/tx/${me.next_commitment.tx_hash}`);
      height = ((await answer.json()) as { transaction: { height: number | null } }).transaction.height;
      return height;
    })
    .not.toBeNull();
  const answer = await fetch(`${base}/api/chain/blocks/${String(height)}`);
  return ((await answer.json()) as { block: Block }).block;
}

/** What a page says after an answer was changed: the checks that failed. */
async function failed(page: Page, address: string): Promise<string[]> {
  await page.goto(address);
  const check = page.getByTestId('browser-check');
  await page.locator('[data-testid="browser-check"][data-done="true"]').waitFor();
  const steps = check.locator('li[data-holds="false"]');
  return (
    await steps.evaluateAll((items) => items.map((item) => item.getAttribute('data-check') ?? ''))
  ).sort();
}

test.each<[string, (block: Block) => void, string[]]>([
  ['as it is', () => undefined, []],
  [
    'another transaction text',
    ({ transactions: [tx] }) => tx && (tx.raw = tx.raw.replace('1000', '9000')),
    ['transactions'],
  ],
  [
    'another amount than the text says',
    ({ transactions: [tx] }) => tx?.transfers[0] && (tx.transfers[0].amount = 9000),
    ['transactions'],
  ],
  ['a transaction left out', (block) => block.transactions.splice(0, 1), ['transactions']],
  ['a transaction twice', (block) => block.transactions.push(...block.transactions), ['transactions']],
  ['another time than the header says', (block) => (block.time = '2020-01-01T00:00:00.000Z'), ['shown']],
  ['another hash', (block) => (block.hash = '0'.repeat(64)), ['hash']],
  [
    'a block that is whole in itself, but not the one in the log',
    (block) => {
      const [tx] = block.transactions;
      if (!tx) return;
      tx.raw = tx.raw.replaceAll('1000', '9000');
      for (const transfer of tx.transfers) transfer.amount = 9000;
      const hash = sha256('roshambo/tx/v1\n', tx.raw);
      tx.hash = hash.toString('hex');
      const root = sha256(Buffer.of(0), hash).toString('hex');
      block.raw = block.raw.replace(block.merkle_root, root);
      block.merkle_root = root;
      block.hash = sha256('roshambo/block/v1\n', block.raw).toString('hex');
    },
    ['log'],
  ],
])('a block with %s', async (_, change, want) => {
  const block = await someBlock();
  const page = await tab(await visitor());
  change(block);
  await page.route(`**/api/chain/blocks/${block.height}`, (route) => route.fulfill({ json: { block } }));
  expect(await failed(page, `/block/${block.height}`)).toEqual(want);
  const verdict = want.length === 0 ? 'everything fits' : 'does not hold';
  await page.getByTestId('browser-check').getByText(verdict).first().waitFor();
});

test('a transaction that is told otherwise than it is hashed, and one that is not in its block', async () => {
  const block = await someBlock();
  const [hash = ''] = block.transactions.map((tx) => tx.hash);
  const page = await tab(await visitor());
  const answer = (await (await fetch(`${base}/api/chain/tx/${hash}`)).json()) as {
    transaction: Block['transactions'][0];
  };
  expect(await failed(page, `/tx/${hash}`)).toEqual([]);
  await page.route(`**/api/chain/tx/${hash}`, (route) =>
    route.fulfill({ json: { transaction: { ...answer.transaction, transfers: [] } } }),
  );
  expect(await failed(page, `/tx/${hash}`)).toEqual(['shown']);
  await page.unroute(`**/api/chain/tx/${hash}`);
  await page.route(`**/api/chain/blocks/${block.height}`, (route) =>
    route.fulfill({ json: { block: { ...block, transactions: [] } } }),
  );
  expect(await failed(page, `/tx/${hash}`)).toEqual(['block']);
});

test('tiles that are not those of the signed tree prove nothing', async () => {
  const block = await someBlock();
  const page = await tab(await visitor());
  await page.route('**/log/tile/**', (route) => {
    const width = Number(/\.p\/(\d+)$/.exec(route.request().url())?.[1] ?? 256);
    return route.fulfill({ body: Buffer.alloc(32 * width) });
  });
  expect(await failed(page, `/block/${block.height}`)).toEqual(['log']);
  // From here on the log must be shown to grow, which such tiles cannot do.
  await someBlock();
  await page.goto('/chain');
  await page.locator('[data-fault="unproved"]').waitFor();
  await page.unroute('**/log/tile/**');
  await page.goto('/block/0');
  await page.locator('[data-fault]').waitFor({ state: 'detached' });
});

test('tiles that cannot be had are told, until they can be', async () => {
  const page = await tab(await visitor(), '/block/0');
  await page.getByText('everything fits').waitFor();
  await page.route('**/log/tile/**', (route) => route.fulfill({ status: 503 }));
  await someBlock(); // from which the log must be shown to have grown
  await page.goto('/');
  const told = page.getByTestId('unchecked');
  await told.waitFor();
  expect(await page.locator('[data-fault]').count()).toBe(0);
  await page.unroute('**/log/tile/**');
  await told.waitFor({ state: 'detached' });
});

test.each([
  ['a checkpoint', 'checkpoint', (text: string) => text.replace('\\n', '\\n0')],
  ['a checkpoint that is none at all', 'checkpoint', () => '{'],
  ['a key', 'pin', (text: string) => text.slice(1)],
])('%s that this browser kept and that is damaged is told', async (_, key, damage) => {
  const page = await tab(await visitor(), '/block/0');
  await page.getByText('everything fits').waitFor();
  const text = await page.evaluate((of) => localStorage.getItem(`roshambo/${of}`) ?? '', key);
  await page.evaluate(
    ([of, value]) => {
      localStorage.setItem(`roshambo/${of}`, value);
    },
    [key, damage(text)] as const,
  );
  await page.goto('/');
  await page.locator('[data-fault="damaged"]').waitFor();
  await page.reload();
  await page.locator('[data-fault="damaged"]').waitFor();
  await page.getByRole('button', { name: 'I know why' }).click();
  await page.getByRole('button', { name: 'Yes: forget what was kept' }).click();
  await page.goto('/block/0');
  await page.getByText('everything fits').waitFor();
  expect(await page.locator('[data-fault]').count()).toBe(0);
});

test('a checkpoint that the known key has not signed is shouted', async () => {
  const page = await tab(await visitor(), '/block/0');
  await page.getByText('everything fits').waitFor();
  await page.route('**/api/chain/head', async (route) => {
    const answer = await route.fetch();
    const { head } = (await answer.json()) as { head: { checkpoint: string } };
    const checkpoint = head.checkpoint.replace(
      /^(.*\n)(\d+)\n/,
      (_, origin: string, size: string) => `${origin}${Number(size) + 1}\n`,
    );
    await route.fulfill({ json: { head: { ...head, checkpoint } } });
  });
  expect(await failed(page, '/block/0')).toEqual(['checkpoint']);
  await page.locator('[data-fault="signature"]').waitFor();
});
