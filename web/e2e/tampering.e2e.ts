import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { base, tab, visitor } from './browser.ts';

// Tampered responses: the page detects each of them.

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

/** Returns a block with one transaction, the creation of an account. */
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

/** Returns the failed checks of a page. */
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
  ['unchanged contents', () => undefined, []],
  [
    'a changed transaction text',
    ({ transactions: [tx] }) => tx && (tx.raw = tx.raw.replace('1000', '9000')),
    ['transactions'],
  ],
  [
    'an amount that differs from the text',
    ({ transactions: [tx] }) => tx?.transfers[0] && (tx.transfers[0].amount = 9000),
    ['transactions'],
  ],
  ['a missing transaction', (block) => block.transactions.splice(0, 1), ['transactions']],
  ['a duplicate transaction', (block) => block.transactions.push(...block.transactions), ['transactions']],
  ['a time that differs from the header', (block) => (block.time = '2020-01-01T00:00:00.000Z'), ['shown']],
  ['a wrong hash', (block) => (block.hash = '0'.repeat(64)), ['hash']],
  [
    'consistent contents that differ from the log',
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
])('a block with %s', async (_, change, expected) => {
  const block = await someBlock();
  const page = await tab(await visitor());
  change(block);
  await page.route(`**/api/chain/blocks/${block.height}`, (route) => route.fulfill({ json: { block } }));
  expect(await failed(page, `/block/${block.height}`)).toEqual(expected);
  const verdict = expected.length === 0 ? 'Your browser verified this' : 'failed';
  await page.getByTestId('browser-check').getByText(verdict).first().waitFor();
});

test('a transaction that differs from its hash, and one that is not in its block', async () => {
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

test('tiles of another tree fail the check', async () => {
  const block = await someBlock();
  const page = await tab(await visitor());
  await page.route('**/log/tile/**', (route) => {
    const width = Number(/\.p\/(\d+)$/.exec(route.request().url())?.[1] ?? 256);
    return route.fulfill({ body: Buffer.alloc(32 * width) });
  });
  expect(await failed(page, `/block/${block.height}`)).toEqual(['log']);
  // From here on the page needs a consistency proof, which such tiles cannot give.
  await someBlock();
  await page.goto('/chain');
  await page.locator('[data-fault="unproved"][data-level="notice"]').waitFor();
  await page.unroute('**/log/tile/**');
  await page.goto('/block/0');
  await page.locator('[data-fault]').waitFor({ state: 'detached' });
});

test('tiles that do not answer are a wait, and no alarm', async () => {
  const page = await tab(await visitor(), '/block/0');
  await page.getByText('Your browser verified this').waitFor();
  await page.route('**/log/tile/**', (route) => route.fulfill({ status: 503 }));
  await someBlock(); // the page now needs a consistency proof
  await page.goto('/');
  const banner = page.getByTestId('log-silent');
  await banner.getByText(/Checking again in \d+ s/).waitFor();
  expect(await page.locator('[data-fault], [role="alert"]').count()).toBe(0);
  await page.unroute('**/log/tile/**');
  await banner.waitFor({ state: 'detached' });
});

test.each([
  ['checkpoint', 'checkpoint', (text: string) => text.replace('\\n', '\\n0')],
  ['checkpoint without JSON', 'checkpoint', () => '{'],
  ['key', 'pin', (text: string) => text.slice(1)],
])('a damaged %s in storage is reported', async (_, key, damage) => {
  const page = await tab(await visitor(), '/block/0');
  await page.getByText('Your browser verified this').waitFor();
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
  await page.getByRole('button', { name: 'Trust this chain' }).click();
  await page.getByRole('button', { name: 'Yes, discard the stored checkpoint' }).click();
  await page.goto('/block/0');
  await page.getByText('Your browser verified this').waitFor();
  expect(await page.locator('[data-fault]').count()).toBe(0);
});

test('a checkpoint without a valid signature raises an alarm', async () => {
  const page = await tab(await visitor(), '/block/0');
  await page.getByText('Your browser verified this').waitFor();
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
