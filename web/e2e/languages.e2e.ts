// The page in each of its languages: all texts are translated, and they fit into the narrowest window.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { languages, type Catalog } from '../src/text/language.ts';
import { base, phone, tab, visitor } from './browser.ts';
import { overflowing } from './fit.ts';
import { until } from './game.ts';
import { everyPage, open } from './pages.ts';

/** Returns the English texts whose translation differs, without those that are a word of the language, too. */
function english(language: string): Set<string> {
  const file = path.join(import.meta.dirname, `../src/text/catalog/${language}.json`);
  const catalog = JSON.parse(readFileSync(file, 'utf8')) as Catalog;
  const translations = new Set(Object.values(catalog));
  return new Set(Object.keys(catalog).filter((key) => !translations.has(key)));
}

/** Returns the texts of a page, without code. */
function texts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [document.title.split(' · ')[0] ?? ''];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!node.parentElement?.closest('code, pre, script')) found.push((node.textContent ?? '').trim());
    return found;
  });
}

const translated = Object.keys(languages).filter((language) => language !== 'en');

test.each(translated)('every page in %s', { timeout: 600_000 }, async (language) => {
  const context = await visitor({ ...phone, width: 320, height: 640 });
  const page = await tab(context);
  const pages = await everyPage(page, context);
  await page.evaluate((code) => {
    localStorage.setItem('language', code);
  }, language);
  const untranslated = english(language);
  const faults: string[] = [];
  for (const address of pages) {
    await open(page, address);
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    // The reference shows the document of the API, which is in English.
    const left =
      address[0] === 'reference' ? [] : (await texts(page)).filter((text) => untranslated.has(text));
    faults.push(...[...left, ...(await overflowing(page))].map((fault) => `${address[1]}: ${fault}`));
  }
  expect(faults).toEqual([]);
});

test.each(translated)(
  'no page in %s scrolls sideways with text of 200 %',
  { timeout: 600_000 },
  async (language) => {
    // The browser's own setting; 640 pixels of it have the room of 320 pixels with usual text.
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--blink-settings=defaultFontSize=32'],
    });
    try {
      const context = await browser.newContext({ baseURL: base, viewport: { width: 640, height: 800 } });
      const page = await context.newPage();
      await page.goto('/');
      const pages = await everyPage(page, context);
      await page.evaluate((code) => {
        localStorage.setItem('language', code);
      }, language);
      const faults: string[] = [];
      for (const address of pages) {
        await open(page, address);
        faults.push(...(await overflowing(page)).map((fault) => `${address[1]}: ${fault}`));
      }
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);

test('a visitor whose browser speaks German plays in German, and switches to English', async () => {
  const context = await visitor();
  await context.addInitScript(() => {
    Object.defineProperty(navigator, 'languages', { value: ['de-CH', 'en'] });
  });
  const page = await tab(context, base);
  await page.getByRole('button', { name: 'Papier' }).waitFor();
  await page.keyboard.press('p');
  await until(page, 'active', 'deciding', 'ended');
  await page.getByLabel('Einstellungen', { exact: true }).click();
  await page.getByLabel('Sprache der Seite').first().selectOption('English');
  await page.getByRole('link', { name: 'Market' }).first().waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
});
