// Players with an account, a token and a balance.

import { randomBytes } from 'node:crypto';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { base, tab, visitor } from './browser.ts';
import { playToClaim } from './game.ts';

/** Returns a player with a token, and the token's number. */
export async function winner(): Promise<[page: Page, token: number]> {
  const page = await tab(await visitor());
  const run = await playToClaim(page);
  const { run: of } = (await (await page.context().request.get(`/api/runs/${run}`)).json()) as {
    run: { token_id: number };
  };
  return [page, of.token_id];
}

export async function balance(page: Page): Promise<number> {
  return Number((await page.getByTestId('balance').innerText()).replace(/\D/g, ''));
}

/** Returns a unique name, as test files share a service. */
export const newName = (): string => `player_${randomBytes(6).toString('hex')}`;
export const password = 'correct horse';

export async function fill(page: Page, username: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
}

/** Registers the guest of a page and returns the username. */
export async function register(page: Page): Promise<string> {
  const name = newName();
  await page.goto('/account');
  await page.getByRole('button', { name: /^(Save this|New) account$/ }).click();
  await fill(page, name);
  await page.getByRole('button', { name: 'Save account' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  return name;
}

/** Makes a key of the page's account, and returns its secret. */
export async function makeKey(page: Page, label: string): Promise<string> {
  const me = (await (await page.request.get('/api/me')).json()) as { csrf_token: string };
  const answer = await page.request.post('/api/keys', {
    headers: { 'X-CSRF-Token': me.csrf_token, Origin: base },
    data: { label },
  });
  return ((await answer.json()) as { secret: string }).secret;
}

/** Returns the statuses of calls with keys: 200, or 401 for one that has ended. */
export async function statuses(...keys: string[]): Promise<number[]> {
  const call = async (key: string) =>
    (await fetch(`${base}/api/me`, { headers: { Authorization: `Bearer ${key}` } })).status;
  return Promise.all(keys.map(call));
}

/** Ends a visitor's session from outside the browser: cookie and page stay unchanged. */
export async function endSession(context: BrowserContext): Promise<void> {
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const me = (await (await fetch(`${base}/api/me`, { headers: { Cookie: cookies } })).json()) as {
    csrf_token: string;
  };
  const headers = { Cookie: cookies, 'X-CSRF-Token': me.csrf_token };
  expect((await fetch(`${base}/api/auth/logout`, { method: 'POST', headers })).status).toBe(200);
}
