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

/** Keeps a picture, and checks what can be checked of looks: nothing sideways, nothing serious for axe. */
export async function look(page: Page, name: string): Promise<void> {
  // Colours in the middle of a motion are nobody's colours.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true, animations: 'disabled' });
  const beyond = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(beyond, `${name}: scrolls sideways`).toBeLessThanOrEqual(0);
  const results = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: () => Promise<AxeResults> } };
    return axe.run();
  });
  const serious = results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
  expect(serious, `${name}: axe`).toEqual([]);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
}

/** Every kind of device and theme; the narrowest phone once: what it may get wrong is the room, not the colours. */
export const devices: [string, Device][] = [desktop, phone].flatMap((device) =>
  (['light', 'dark'] as const).map((theme): [string, Device] => [
    `${device.width}-${theme}`,
    { ...device, theme },
  ]),
);
devices.push(['360-light', { ...phone, width: 360, height: 640 }]);
