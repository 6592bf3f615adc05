// Pictures of pages, kept to be looked at, and what can be checked of looks without eyes.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { desktop, phone, type Device } from './browser.ts';

const pictures = path.resolve(import.meta.dirname, '../test-results');
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Brings axe into every page: the page's own policy forbids scripts from elsewhere, and axe comes with the test. */
export async function bringAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: await readFile(axe, 'utf8') });
}

/** Keeps a picture in each theme, and checks what can be checked of looks: nothing sideways, nothing serious for axe. */
export async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of themes(page)) {
    // Colours in the middle of a motion are nobody's colours.
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme });
    const picture = `${name}-${colorScheme}`;
    await page.screenshot({
      path: path.join(pictures, `${picture}.png`),
      fullPage: true,
      animations: 'disabled',
    });
    await expectNothingSerious(page, picture, colorScheme === 'light');
  }
  const beyond = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(beyond, `${name}: scrolls sideways`).toBeLessThanOrEqual(0);
  await page.emulateMedia({ reducedMotion: 'no-preference', colorScheme: 'light' });
}

/** Both themes; the narrowest phone's once: what it may get wrong is the room, not the colours. */
function themes(page: Page): ('light' | 'dark')[] {
  return (page.viewportSize()?.width ?? 0) < phone.width ? ['light'] : ['light', 'dark'];
}

/** Asks axe: everything once, and in the other theme what themes change. */
async function expectNothingSerious(page: Page, picture: string, everything: boolean): Promise<void> {
  const results = await page.evaluate(
    async (options) => {
      const { axe } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
      return axe.run(options);
    },
    everything ? {} : { runOnly: ['color-contrast'] },
  );
  const serious = results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
  expect(serious, `${picture}: axe`).toEqual([]);
}

/** Every kind of device, and the narrowest phone. */
export const devices: [string, Device][] = [desktop, phone, { ...phone, width: 360, height: 640 }].map(
  (device) => [String(device.width), device],
);
