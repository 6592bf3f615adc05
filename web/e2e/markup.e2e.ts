// Texts of players that look like markup: every page shows them as text.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { base, tab, visitor } from './browser.ts';
import { everyPage, open, type Address } from './pages.ts';
import { makeKey, register } from './players.ts';

/** Parsed as HTML, in an attribute or not, it makes an element with a handler. */
const hostile = '"><img src=x onerror=pwned=1>';

/** Makes something for the account of a page. */
async function make<T>(page: Page, path: string, data: object): Promise<T> {
  const me = (await (await page.request.get('/api/me')).json()) as { csrf_token: string };
  const headers = { 'X-CSRF-Token': me.csrf_token, Origin: base };
  const answer = await page.request.post(path, { headers, data });
  expect(answer.status(), path).toBe(200);
  return (await answer.json()) as T;
}

/** Checks that a page has made no element of a text. A script in one would report an error: the policy forbids it. */
async function takesNone(page: Page, name: string): Promise<void> {
  expect(await page.locator('[onerror], img[src="x"]').count(), name).toBe(0);
  expect(await page.evaluate('typeof pwned'), name).toBe('undefined');
}

test('no page takes a text of a player for markup', async () => {
  const author = await tab(await visitor());
  await register(author);
  const { team } = await make<{ team: { slug: string } }>(author, '/api/teams', { name: hostile });
  const terms = { name: hostile, minutes: 60 };
  const { cup } = await make<{ cup: { number: number } }>(author, '/api/cups', terms);
  const { run } = await make<{ run: { id: string } }>(author, '/api/runs', { client_seed: hostile });
  await make(author, `/api/runs/${run.id}/abandon`, {});
  await makeKey(author, hostile);
  const shows: Address[] = [
    ['team', `/t/${team.slug}`, 'h1'],
    ['cup with a name', `/cups/${cup.number}`, '#table'],
    ['list of cups', '/cups', '#over'],
  ];

  const context = await visitor();
  const page = await tab(context);
  const others: Address[] = [...(await everyPage(page, context)), ['abandoned run', `/r/${run.id}`, 'h1']];
  for (const address of shows) {
    await open(page, address);
    await page.getByText(hostile).first().waitFor();
    await takesNone(page, address[0]);
  }
  for (const address of others) {
    await open(page, address);
    await takesNone(page, address[0]);
  }
  await page.goto(`/cups/${cup.number}/live`); // the projector has no frame
  await page.getByText(hostile).first().waitFor();
  await takesNone(page, 'projector');
  await author.goto('/account');
  await author.getByText(hostile).first().waitFor(); // the key
  await takesNone(author, 'account');
  await author.goto('/developers');
  await author.getByText(hostile).first().waitFor();
  await takesNone(author, 'developers');
});
