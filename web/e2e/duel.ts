// Duels between two browsers, and their state on the service.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { guest, tab } from './browser.ts';
import type { Way } from './game.ts';

export interface Round {
  commitment_a: string | null;
  commitment_b: string | null;
  move_a: string | null;
  move_b: string | null;
  salt_a: string | null;
  salt_b: string | null;
  committed: { a: boolean; b: boolean };
  forfeited_by: string | null;
}
interface DuelResponse {
  duel: { status: string; you: string | null; rounds: Round[]; wins: { a: number; b: number } };
}

/** The table while the page accepts a hand. */
export const ready = '.table[data-turn="true"][data-settled="true"]';

/** Creates a duel and returns its link. */
export async function open(page: Page, stake = 0, listed = false): Promise<string> {
  await page.goto('/duels');
  await page.getByLabel('Stake per player').fill(String(stake));
  if (listed) await page.getByLabel('Show it in the lobby').check();
  await page.getByRole('button', { name: 'Create duel' }).click();
  await page.waitForURL('**/d/*');
  await page.locator('.table[data-status="open"]').waitFor();
  return page.url();
}

export async function join(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: /^Join/ }).click();
  await page.locator(ready).waitFor();
}

/** Starts a duel between two players, each with a browser profile of their own. */
export async function pair(stake = 0): Promise<[a: Page, b: Page, link: string]> {
  const [a, b] = [await tab(await guest(), '/duels'), await tab(await guest(), '/duels')];
  const link = await open(a, stake);
  await join(b, link);
  await a.locator(ready).waitFor();
  return [a, b, link];
}

export async function press(page: Page, key: string, way: Way): Promise<void> {
  if (way === 'keys') {
    await page.keyboard.press(key);
    return;
  }
  const button = page.locator(`.table [aria-keyshortcuts="${key.toUpperCase()}"]`);
  await (way === 'mouse' ? button.click() : button.tap());
}

/** Seals a hand in the next round. */
export async function seal(page: Page, key: string, way: Way = 'keys'): Promise<void> {
  await page.locator(`${ready} .hands button:enabled`).first().waitFor();
  const before = Number(await page.locator('.table').getAttribute('data-sealed'));
  await press(page, key, way);
  await page.locator(`.table[data-sealed="${before + 1}"]`).waitFor();
}

/** Plays a round with the keys of both players, and waits until both pages show the outcome. */
export async function round(a: Page, b: Page, keys: string, n: number): Promise<void> {
  await Promise.all([seal(a, keys.charAt(0)), seal(b, keys.charAt(1))]);
  // A step has 60 seconds, which a starved machine may miss: say so in place of a wait for a round that is over.
  const { rounds } = await see(a);
  expect(rounds[n - 1]?.forfeited_by ?? null, `a step of round ${n} was late`).toBe(null);
  expect(rounds[n - 1]?.committed, `hands of round ${n}`).toEqual({ a: true, b: true });
  for (const page of [a, b]) {
    await page
      .locator(
        `.table[data-status="finished"], .table[data-round="${n}"] [data-testid="round-check"][data-holds="true"]`,
      )
      .first()
      .waitFor();
  }
}

/** Returns the duel as the page's player may see it. */
export async function see(page: Page): Promise<DuelResponse['duel']> {
  const code = /\/d\/(\w+)/.exec(page.url())?.[1] ?? '';
  return ((await (await page.context().request.get(`/api/duels/${code}`)).json()) as DuelResponse).duel;
}
