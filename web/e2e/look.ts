// What can be checked of looks without eyes; and with PICTURES=1 pictures of pages, for eyes.

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

/** Pictures for whoever wants to look at them: no test reads them. */
const keepsPictures = Boolean(process.env.PICTURES);

/** What is looked at in one visit: sizes, and the themes of each. */
interface View extends Device {
  themes: readonly ('light' | 'dark')[];
}

const both = ['light', 'dark'] as const;

/** The narrowest phone is visited, and seen at the size of the usual one besides: the same pages, with more room. */
function views(page: Page): View[] {
  const { width, height } = page.viewportSize() ?? desktop;
  if (width >= phone.width) return [{ width, height, themes: both }];
  // What the narrowest one may get wrong is the room, not the colours.
  return [
    { width, height, themes: ['light'] },
    { ...phone, themes: both },
  ];
}

/** Checks what can be checked of looks: nothing sideways, nothing serious for axe, in each size and theme. */
export async function look(page: Page, name: string): Promise<void> {
  const visited = page.viewportSize() ?? desktop;
  for (const view of views(page)) {
    if (view.width !== visited.width) await page.setViewportSize(view);
    for (const colorScheme of view.themes) {
      // Colours in the middle of a motion are nobody's colours.
      await page.emulateMedia({ reducedMotion: 'reduce', colorScheme });
      const picture = `${name}-${view.width}-${colorScheme}`;
      await settle(page);
      if (keepsPictures) await keep(page, picture);
      await expectNothingSerious(page, picture, colorScheme === 'light');
    }
    const beyond = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(beyond, `${name}: scrolls sideways at ${view.width}`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize(visited);
  await page.emulateMedia({ reducedMotion: 'no-preference', colorScheme: 'light' });
}

/** Ends what still moves. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame(); // in which motions begin that the theme or the size has caused
    for (const motion of document.getAnimations())
      if (motion.effect?.getComputedTiming().endTime === Infinity) motion.cancel();
      else motion.finish();
    await frame();
  });
}

async function keep(page: Page, picture: string): Promise<void> {
  await page.screenshot({
    path: path.join(pictures, `${picture}.png`),
    fullPage: true,
    animations: 'disabled',
  });
}

/** Asks axe: everything once, and in the other theme what themes change. */
async function expectNothingSerious(page: Page, picture: string, everything: boolean): Promise<void> {
  // Whether a rule of the style sheets forbids to turn a phone needs them read again (preload): they are the same ones
  // for every size, and read at the first.
  const preload = everything && (page.viewportSize()?.width ?? 0) === desktop.width;
  const results = await page.evaluate(
    async (options) => {
      const { axe } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
      return axe.run(options);
    },
    { resultTypes: ['violations'], preload, ...(everything ? {} : { runOnly: ['color-contrast'] }) },
  );
  const serious = results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
  expect(serious, `${picture}: axe`).toEqual([]);
}

/** The kinds of device whose every page is visited. */
export const devices: [string, Device][] = [
  ['desktop', desktop],
  ['phones', { ...phone, width: 360, height: 640 }],
];
