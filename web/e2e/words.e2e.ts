// The first screen says little, and what it says is needed: what tokens are for, and what to do next.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { desktop, phone, tab, visitor } from './browser.ts';
import { playToClaim, press, until } from './game.ts';
import { visibleWords } from './words.ts';

/** Checks the number of words of the first screen, once everything in it has arrived. */
async function expectFew(page: Page, limit: number, purpose: RegExp): Promise<void> {
  await page.locator('.hands button:enabled').first().waitFor();
  await page.locator('.ladder table').waitFor();
  await page.locator('.tip').waitFor();
  await page.locator('.alive section').first().waitFor();
  await page.evaluate(() => {
    window.scrollTo(0, 0);
  });
  const words = await visibleWords(page);
  console.log(`${words.length} words, at most ${limit}: ${words.join(' ')}`);
  expect(words.length, words.join(' ')).toBeLessThanOrEqual(limit);
  // The count would be low as well if it missed words.
  for (const word of ['Rock', 'Clay', 'House']) expect(words).toContain(word);
  expect(words.join(' ')).toMatch(purpose);
}

test.each([
  ['phone', phone, 120],
  ['desktop', desktop, 160],
] as const)('the first screen on a %s has few words', async (_, device, limit) => {
  const page = await tab(await visitor(device));
  await expectFew(page, limit, /A win earns a token: sell it for coins, or burn it to start higher\./);
  await playToClaim(page, device.touch ? 'touch' : 'keys');
  await press(page, device.touch ? 'touch' : 'keys', 'Enter');
  await until(page, 'idle');
  await page.reload();
  // A mark alone, as the comma after a link, is no word.
  await expectFew(page, limit, /Your tokens: sell one for coins or burn one to start higher\./);
});
