// The journeys of the page's five typical users, by touch, by the keyboard alone and with reduced motion.

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { base } from './browser.ts';
import { ready, seal } from './duel.ts';
import { playToClaim, throwHand } from './game.ts';
import { balance, newName } from './players.ts';
import { becomeGuest, manners, use, visit, wayOf, write, type Manner } from './ways.ts';

/** Requires that nothing moves by itself for a visitor who asked for reduced motion. */
async function expectStill(page: Page, manner: Manner): Promise<void> {
  if (manner !== 'reduced motion') return;
  const moving = () =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);
  expect(await moving()).toBe(0);
}

/** Returns a visitor's page after the claim of a token, and the token's number. */
async function holder(manner: Manner): Promise<[page: Page, token: number]> {
  const page = await visit(manner);
  const run = await playToClaim(page, wayOf[manner]);
  const answer = await page.request.get(`${base}/api/runs/${run}`);
  return [page, ((await answer.json()) as { run: { token_id: number } }).run.token_id];
}

describe.each(manners)('by %s', (manner) => {
  test('a player throws, claims a token and verifies the run', async () => {
    const [page] = await holder(manner);
    await expectStill(page, manner);
    await use(page, manner, page.getByRole('link', { name: 'Verify this run' }));
    await page.locator('[data-testid="verdict-of-proof"]').waitFor();
    await expectStill(page, manner);
  });

  test('two friends meet by a link, play to the end and again', async () => {
    const [a, b] = [await visit(manner, '/duels'), await visit(manner, '/duels')];
    await use(a, manner, a.getByRole('button', { name: 'Create duel' }));
    await becomeGuest(a, manner);
    await a.locator('.table[data-status="open"]').waitFor();
    await b.goto(a.url());
    await use(b, manner, b.getByRole('button', { name: 'Join duel' }));
    await becomeGuest(b, manner);
    for (let n = 0; n < 3; n++) {
      for (const page of [a, b]) await page.locator(ready).waitFor();
      await Promise.all([seal(a, 'r', wayOf[manner]), seal(b, 's', wayOf[manner])]);
    }
    for (const page of [a, b])
      await page.locator('.table[data-status="finished"][data-settled="true"]').waitFor();
    await a.getByRole('heading', { name: 'You won the duel' }).first().waitFor();
    await expectStill(a, manner);
    const first = a.url();
    await use(b, manner, b.getByRole('button', { name: /^Rematch/ }));
    await use(a, manner, a.getByRole('button', { name: /^Accept rematch/ }));
    for (const page of [a, b]) await page.waitForURL((url) => url.href !== first);
    await a.locator(ready).waitFor();
  });

  test('a trader lists a token, and another one buys it', async () => {
    const [seller, token] = await holder(manner);
    await use(seller, manner, seller.locator(`.ending a[href="/token/${token}"]`));
    await write(seller, manner, seller.getByLabel('Price'), '120');
    await use(seller, manner, seller.getByRole('button', { name: 'List for sale' }));
    await seller.getByRole('button', { name: 'Cancel listing' }).waitFor();
    const buyer = await visit(manner, '/market?sort=newest');
    const card = buyer.locator('li[data-listing]', { hasText: `#${token}` });
    await use(buyer, manner, card.getByRole('button', { name: /^Buy/ }));
    await use(buyer, manner, card.getByRole('button', { name: 'Buy for 120' }));
    await becomeGuest(buyer, manner);
    await card.waitFor({ state: 'detached' });
    await expect.poll(() => balance(buyer)).toBe(880);
    await expectStill(buyer, manner);
  });

  test('a sceptic follows the chain and verifies a proof file', async () => {
    const page = await visit(manner);
    const run = await playToClaim(page, wayOf[manner]);
    await page.goto('/chain');
    await use(page, manner, page.locator('.strip a.block').first());
    await page.getByRole('heading', { name: /^Block/ }).waitFor();
    await page.goto(`/r/${run}`);
    const saving = page.waitForEvent('download');
    await use(page, manner, page.getByRole('link', { name: 'proof.json' }));
    const proof = await readFile(await (await saving).path());
    await use(page, manner, page.getByRole('link', { name: 'offline' }));
    await page.getByRole('heading', { name: 'Verify a proof' }).waitFor();
    await page
      .locator('.drop input[type=file]')
      .setInputFiles({ name: 'proof.json', mimeType: 'application/json', buffer: proof });
    await page.locator('li[data-check="seeds"][data-result="pass"]').waitFor({ state: 'attached' });
    await expectStill(page, manner);
  });

  test('a bot’s author gets a key and sees the bot', async () => {
    const page = await visit(manner);
    await throwHand(page, wayOf[manner]);
    await page.goto('/developers');
    const name = newName().replace('player', 'bot');
    await write(page, manner, page.getByLabel('Name'), name);
    await use(page, manner, page.getByRole('button', { name: 'Create bot' }));
    const secret = await page.getByTestId('secret').last().innerText();
    const answer = await fetch(`${base}/api/me`, { headers: { Authorization: `Bearer ${secret}` } });
    expect(answer.status).toBe(200);
    await use(page, manner, page.getByRole('link', { name, exact: true }));
    await page.getByRole('heading', { name }).waitFor();
    await expectStill(page, manner);
  });
});
