// Playing runs through the page: read the state, act, wait for the new state.

import type { Page } from 'playwright-core';

export type Phase = 'idle' | 'active' | 'deciding' | 'ended';

/** The input device for a hand. */
export type Way = 'keys' | 'mouse' | 'touch';

const hands = ['rock', 'paper', 'scissors'] as const;

/** Returns the phase, once the page knows it: before that, a run that ended earlier looks like none. */
export async function phase(page: Page): Promise<Phase> {
  return (await page.locator('.play:not(.unsettled) .table').getAttribute('data-phase')) as Phase;
}

/** Waits until the run is in one of the phases. */
export async function until(page: Page, ...phases: Phase[]): Promise<void> {
  const any = phases.map((name) => `.table[data-phase="${name}"]`).join(', ');
  await page.locator(any).waitFor();
}

/** Presses a key, or the button with that shortcut, once the page accepts input. */
export async function press(page: Page, way: Way, key: string): Promise<void> {
  await page.locator('.table[data-settled="true"]').waitFor();
  if (way === 'keys') {
    await page.keyboard.press(key);
    return;
  }
  const button = page.locator(`.table [aria-keyshortcuts="${key}"]`);
  await (way === 'mouse' ? button.click() : button.tap());
}

/** Waits until a hand can be thrown. A player without entries collects free coins first. */
async function ready(page: Page): Promise<void> {
  const hand = page.locator('.hands button:enabled:not([aria-disabled])').first();
  const coins = page.locator('.out-of-entries button:enabled');
  await hand.or(coins).first().waitFor();
  if (await coins.isVisible()) await coins.click();
  await hand.waitFor();
}

/** Throws a hand and waits for its outcome and for the check of its seed. */
export async function throwHand(page: Page, way: Way, turn = 0): Promise<void> {
  await ready(page);
  const before = await throwsOf(page);
  await press(page, way, (hands[turn % 3] ?? 'rock').charAt(0).toUpperCase());
  await page.locator(`.table[data-throws="${before + 1}"]`).waitFor();
  await page.locator('[data-testid="seed-check"][data-holds="true"]').waitFor();
}

/** Returns the number of throws of the current run. */
export async function throwsOf(page: Page): Promise<number> {
  return Number(await page.locator('.table').getAttribute('data-throws'));
}

/** Plays until a throw wins a tier; after a lost run it starts another one. */
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
