// The ways to use a control: touch, the keyboard alone, or a mouse with reduced motion.

import type { Locator, Page } from 'playwright-core';
import { desktop, phone, tab, visitor } from './browser.ts';
import type { Way } from './game.ts';

export type Manner = 'touch' | 'keyboard' | 'reduced motion';
export const manners: readonly Manner[] = ['touch', 'keyboard', 'reduced motion'];

/** The way to throw a hand. */
export const wayOf: Readonly<Record<Manner, Way>> = {
  touch: 'touch',
  keyboard: 'keys',
  'reduced motion': 'mouse',
};

/** Opens a page for a new visitor who uses it in one manner. */
export async function visit(manner: Manner, address = '/'): Promise<Page> {
  const page = await tab(await visitor(manner === 'touch' ? phone : desktop), 'about:blank');
  if (manner === 'reduced motion') await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(address);
  return page;
}

/** Enough presses of Tab for every control of a page. */
const mostControls = 200;

/** Moves the focus to a control by Tab alone, from where it is. */
async function reach(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let presses = 0; presses < mostControls; presses++) {
    if (await control.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${String(control)}`);
}

/** Uses a button or a link. */
export async function use(page: Page, manner: Manner, control: Locator): Promise<void> {
  if (manner === 'touch') await control.tap();
  else if (manner === 'reduced motion') await control.click();
  else {
    await reach(page, control);
    await page.keyboard.press('Enter');
  }
}

/** Answers the question "Who plays?" by a tap on a hand. */
export async function becomeGuest(page: Page, manner: Manner): Promise<void> {
  const question = page.getByTestId('who-plays');
  await use(page, manner, question.getByRole('button', { name: 'Paper' }));
  await question.waitFor({ state: 'detached' });
}

/** Writes into a field. */
export async function write(page: Page, manner: Manner, field: Locator, text: string): Promise<void> {
  if (manner !== 'keyboard') await use(page, manner, field);
  else await reach(page, field);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}
