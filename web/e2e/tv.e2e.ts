// TV with the house's bots, which only this file's own server runs, and the profile of a player.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { base, guest, phone, tab, visitor } from './browser.ts';
import { winner } from './players.ts';
import { serve } from './server.ts';

test('TV replays a duel of the house’s bots to all viewers', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roshambo-tv-'));
  const server = await serve(inject('binary'), folder, '0', []);
  try {
    const player = await visitor(phone, server.base);
    await player.request.post('/api/guest');
    const watching = await tab(player, '/tv');
    await watching.getByTestId('tv').waitFor();
    const other = await tab(await visitor(undefined, server.base), '/tv');
    await other.getByText('2 viewers', { exact: true }).waitFor();
    await other
      .getByTestId('results')
      .getByRole('link', { name: /replay of duel/ })
      .first()
      .waitFor();
    const shown = async (page: typeof other) => page.getByTestId('tv').getAttribute('data-duel');
    await expect.poll(async () => (await shown(watching)) === (await shown(other))).toBe(true);
    await other.getByRole('link', { name: 'Step through it' }).click();
    await other.getByTestId('replay-step').waitFor();
    await other.goto('/arena');
    await other.getByRole('region', { name: 'Crosstable' }).waitFor();
    await other.goto('/');
    await other.getByRole('link', { name: 'Watch TV' }).waitFor();
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a guest is asked once to save the account, and the profile shows the token', async () => {
  const [page, token] = await winner();
  await page.getByText('Your first token.').waitFor();
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.reload();
  await page.getByRole('link', { name: 'sell it' }).waitFor();
  expect(await page.getByText('Your first token.').isVisible()).toBe(false);
  const me = (await (await page.request.get('/api/me')).json()) as { account: { username: string } };
  const { username } = me.account;
  const friend = await tab(await guest(phone), `/players/${username}`);
  await friend.getByRole('heading', { name: username, level: 1 }).waitFor();
  await friend.locator(`a[href="/token/${token}"]`).waitFor();
  await friend.getByRole('heading', { name: 'Achievements' }).waitFor();
  await friend.getByRole('button', { name: `Challenge ${username}` }).click();
  await friend.waitForURL(/\/d\/[0-9A-Z]{8}$/);
  await page.goto(`/token/${token}`);
  await page.getByRole('button', { name: 'Get an offer from the house' }).click();
  await page.getByRole('button', { name: /^Sell for/ }).click();
  await page.getByTestId('token-status').getByText('The house bought this token from you').waitFor();
  await page
    .getByTestId('toast')
    .getByText(/^Sold to the house for/)
    .waitFor();
});

test('the latest results and the lobby say that a result is void, and name no winner', async () => {
  const page = await tab(await visitor(phone), 'about:blank');
  const player = (username: string) => ({
    username,
    short_address: 'rps1x',
    address: 'rps1x',
    kind: 'account',
  });
  const duel = {
    ...{ id: 'ABCDEFGH', status: 'finished', kind: 'quick', you: 'a', a: player('kea'), b: player('tui') },
    ...{ stake: 0, rated: true, listed: true, rounds: [], wins: { a: 3, b: 1 }, winner: 'a', version: 9 },
    ...{ created_at: '2026-11-20T12:00:00.000Z', finished_at: '2026-11-20T12:01:00.000Z' },
    voided: { at: '2026-11-20T13:00:00.000Z', reason: 'one person on both sides', tx_hash: 'ab' },
  };
  await page.route('**/api/duels?*', (route) => route.fulfill({ json: { duels: [duel], next: null } }));
  await page.request.post(`${base}/api/guest`);
  for (const [path, list] of [
    ['/tv', 'Latest results'],
    ['/duels', 'Latest results'],
    ['/duels', 'Your recent duels'],
  ] as const) {
    await page.goto(base + path);
    const row = page.getByRole('region', { name: list }).getByRole('listitem');
    await row.getByText('Voided by the operator: one person on both sides').waitFor();
    expect(await row.locator('.won').count(), list).toBe(0);
    expect(await row.getByText('You won').count(), list).toBe(0);
  }
});
