// Playing, as a person does: look at the table, act, wait until the table shows what came of it.

import type { Page } from 'playwright-core';

export type Phase = 'idle' | 'active' | 'deciding' | 'ended';

/** How a hand is thrown: by key, by mouse or by thumb. */
export type Way = 'keys' | 'mouse' | 'touch';

const hands = ['rock', 'paper', 'scissors'] as const;

export async function phase(page: Page): Promise<Phase> {
  return (await page.locator('.table').getAttribute('data-phase')) as Phase;
}

/** Waits until the table is in one of the phases. */
export async function until(page: Page, ...phases: Phase[]): Promise<void> {
  const any = phases.map((name) => `.table[data-phase="${name}"]`).join(', ');
  await page.locator(any).waitFor();
}

/** Presses what is on the table: the key, or the button that carries it. A decision is pressed once the table takes it. */
export async function press(page: Page, way: Way, key: string): Promise<void> {
  await page.locator('.table[data-settled="true"]').waitFor();
  if (way === 'keys') {
    await page.keyboard.press(key);
    return;
  }
  const button = page.locator(`.table [aria-keyshortcuts="${key}"]`);
  await (way === 'mouse' ? button.click() : button.tap());
}

/** Waits until a hand can be thrown; who has by chance lost all runs of the day collects free coins for some more. */
async function ready(page: Page): Promise<void> {
  const hand = page.locator('.hands button:enabled:not([aria-disabled])').first();
  const coins = page.locator('.broke button:enabled');
  await hand.or(coins).first().waitFor();
  if (await coins.isVisible()) await coins.click();
  await hand.waitFor();
}

/** Throws one hand and waits for its outcome and for the check of its seed. */
export async function throwHand(page: Page, way: Way, turn = 0): Promise<void> {
  await ready(page);
  const before = await throwsOf(page);
  await press(page, way, (hands[turn % 3] ?? 'rock').charAt(0).toUpperCase());
  await page.locator(`.table[data-throws="${before + 1}"]`).waitFor();
  await page.locator('[data-testid="seed-check"][data-holds="true"]').waitFor();
}

/** How many hands were thrown in the run on the table. */
export async function throwsOf(page: Page): Promise<number> {
  return Number(await page.locator('.table').getAttribute('data-throws'));
}

/** Plays until a tier is reached; lost runs are followed by the next envelope. */
export async function playToWin(page: Page, way: Way = 'keys'): Promise<void> {
  for (let turn = 0; (await phase(page)) !== 'deciding'; turn++) {
    if ((await phase(page)) === 'ended') {
      await press(page, way, 'Enter');
      await until(page, 'idle');
    }
    await throwHand(page, way, turn);
  }
}

/** Plays until a token is claimed, and returns the id of the run. */
export async function playToClaim(page: Page, way: Way = 'keys'): Promise<string> {
  await playToWin(page, way);
  await press(page, way, 'C');
  await until(page, 'ended');
  const link = await page.locator('.ending a[href^="/r/"]').getAttribute('href');
  return /^\/r\/([^?]+)/.exec(link ?? '')?.[1] ?? '';
}
