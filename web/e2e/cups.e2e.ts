// A cup for people, from its opening to its table on the chain.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { base, desktop, guest, phone, tab, visitor } from './browser.ts';
import { ready, round } from './duel.ts';
import { playToClaim } from './game.ts';
import { register } from './players.ts';

async function play(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Play your duel' }).click();
  await page.locator(ready).waitFor();
}

test('a cup is found, joined, played and closed, and its table stays on the profile', async () => {
  const a = await tab(await visitor(desktop));
  await playToClaim(a);
  const host = await register(a);
  // The page offers two minutes and more; the service also accepts one.
  const me = (await (await a.request.get(`${base}/api/me`)).json()) as { csrf_token: string };
  const opened = await a.request.post(`${base}/api/cups`, {
    headers: { 'X-CSRF-Token': me.csrf_token, Origin: base },
    data: { minutes: 1 },
  });
  const { cup } = (await opened.json()) as { cup: { number: number } };
  await a.goto(`/cups/${cup.number}`);
  await a.getByText('You are in.').waitFor();

  const b = await tab(await guest(phone), '/cups');
  await b.getByRole('region', { name: 'Join or watch' }).locator(`a[href="/cups/${cup.number}"]`).tap();
  await b.getByRole('button', { name: 'Join the cup' }).tap();
  await b.getByText('You are in.').waitFor();
  await a.getByText('2 players').waitFor(); // without a reload
  await b.getByRole('button', { name: 'Leave' }).tap();
  await b.getByRole('button', { name: 'Join the cup' }).tap();
  await b.getByText('You are in.').waitFor();

  await Promise.all([play(a), play(b)]);
  for (let n = 1; n <= 3; n++) await round(a, b, 'rs', n);
  await b.getByRole('heading', { name: 'You lost the duel' }).first().waitFor();
  await a.getByRole('link', { name: 'Go to the cups' }).click();
  await a.locator(`a[href="/cups/${cup.number}"]`).first().click();
  await a.getByText(`${host} won`).waitFor();
  const table = a.getByRole('region', { name: 'Table' });
  expect(await table.locator('tbody tr').first().innerText()).toMatch(new RegExp(`1\\s+${host}\\s+1`));
  await a
    .getByRole('region', { name: 'Round 1' })
    .getByText('1 : 0')
    .or(a.getByText('0 : 1'))
    .first()
    .waitFor();
  await a.getByText('are pinned on the chain').waitFor();
  await b.goto(`/players/${host}`);
  await b.getByRole('region', { name: 'Cups' }).getByText('Won 1 of 1.').waitFor();
  const medals = b.getByRole('region', { name: 'Medals' });
  await medals.getByText('Gold medal').waitFor();
  await medals.locator(`a[href="/cups/${cup.number}"]`).waitFor();
  await b.getByRole('region', { name: 'Collection' }).getByText('Missing').first().waitFor();
});
