// Automatic checks of the pages' appearance, and screenshots with PICTURES=1.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { desktop, phone, type Device } from './browser.ts';

const pictures = path.resolve(import.meta.dirname, '../test-results');
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Injects axe into every page. The init script bypasses the Content-Security-Policy, which forbids other scripts. */
export async function injectAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: await readFile(axe, 'utf8') });
}

/** Keeps screenshots for manual review; no test reads them. */
const keepsPictures = Boolean(process.env.PICTURES);
/** Milliseconds for a visit of every page. */
export const visitTimeout = keepsPictures ? 1_800_000 : 600_000;

/** A size and its themes, checked in one visit. */
interface View extends Device {
  themes: readonly ('light' | 'dark')[];
}

const narrow: Device = { width: 320, height: 640 };
const both = ['light', 'dark'] as const;

/**
 * Returns the views of a visit. A visit with the narrowest phone also checks the common phone size. Pictures show all
 * of them in both themes, and each phone's visit at 320 pixels too, whose fit budget.e2e.ts checks in each run.
 */
function views(page: Page): View[] {
  const { width, height } = page.viewportSize() ?? desktop;
  const narrowest: View[] = keepsPictures && width <= phone.width ? [{ ...narrow, themes: both }] : [];
  if (width >= phone.width) return [{ width, height, themes: both }, ...narrowest];
  // The narrowest phone needs a check of its layout only, not of its colours.
  return [
    { width, height, themes: keepsPictures ? both : ['light'] },
    { ...phone, themes: both },
    ...narrowest,
  ];
}

/** Returns the texts that have no room for a word: the browser breaks them after each letter. */
async function columnsOfLetters(page: Page): Promise<string[]> {
  return page.locator('main :is(dt, dd, th, td, p, li)').evaluateAll((all) =>
    all
      .filter((e) => {
        const size = parseFloat(getComputedStyle(e).fontSize);
        return e.clientWidth < 2 * size && e.clientHeight > 4 * size && e.textContent.trim().length > 6;
      })
      .map((e) => e.textContent),
  );
}

/**
 * Checks in each size and theme that the page does not scroll sideways, has room for its texts, and has no serious axe
 * violation.
 */
export async function checkAppearance(page: Page, name: string): Promise<void> {
  const visited = page.viewportSize() ?? desktop;
  for (const view of views(page)) {
    if (view.width !== visited.width) await page.setViewportSize(view);
    for (const colorScheme of view.themes) {
      // Reduced motion, as axe would measure intermediate colours of an animation.
      await page.emulateMedia({ reducedMotion: 'reduce', colorScheme });
      const picture = `${name}-${view.width}-${colorScheme}`;
      await finishAnimations(page);
      if (keepsPictures) await screenshot(page, picture);
      await expectNoViolations(page, picture, colorScheme === 'light');
    }
    const beyond = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(beyond, `${name}: scrolls sideways at ${view.width}`).toBeLessThanOrEqual(0);
    expect(await columnsOfLetters(page), `${name}: a letter a line at ${view.width}`).toEqual([]);
  }
  await page.setViewportSize(visited);
  await page.emulateMedia({ reducedMotion: 'no-preference', colorScheme: 'light' });
}

/** Finishes or cancels all animations. */
async function finishAnimations(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame(); // the frame in which the new theme or size starts animations
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime === Infinity) animation.cancel();
      else animation.finish();
    await frame();
  });
}

async function screenshot(page: Page, picture: string): Promise<void> {
  await page.screenshot({
    path: path.join(pictures, `${picture}.png`),
    fullPage: true,
    animations: 'disabled',
  });
}

/** Runs axe: all rules once, and only color-contrast in the other theme. */
async function expectNoViolations(page: Page, picture: string, everything: boolean): Promise<void> {
  // The rule about locked orientation needs the style sheets (preload). They are the same for every size, so the first
  // size loads them.
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

/** The devices on which the tests visit every page. */
export const devices: [string, Device][] = [
  ['desktop', desktop],
  ['phones', { ...phone, width: 360, height: 640 }],
];
