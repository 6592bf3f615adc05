import { expect, test } from 'vitest';
import { desktop, tab, visitor } from './browser.ts';
import { checkAppearance, devices, injectAxe, visitTimeout } from './appearance.ts';
import { everyPage, open, type Address } from './pages.ts';
import { phase, playToClaim, playToWin, press, throwHand, until } from './game.ts';

// Each page is checked by axe: the slowest test. sections.e2e.ts checks the pages of players with more to
// show.
test.each(devices)('every page on %s', { timeout: visitTimeout }, async (name, device) => {
  const context = await visitor(device);
  await injectAxe(context);
  const way = device.touch ? 'touch' : 'keys';
  const page = await tab(context);
  await page.locator('.hands button:enabled').first().waitFor();
  await page.locator('.ladder table').waitFor();
  await checkAppearance(page, `${name}-play-0-new-visitor`);
  await throwHand(page, way);
  await checkAppearance(page, `${name}-play-1-first-throw`);
  await playToWin(page, way);
  await checkAppearance(page, `${name}-play-2-deciding`);
  await press(page, way, 'G');
  await until(page, 'active');
  await page.locator('.setup summary').click();
  await checkAppearance(page, `${name}-play-3-active-setup`);
  for (let turn = 0; (await phase(page)) === 'active'; turn++) await throwHand(page, way, turn);
  if ((await phase(page)) === 'deciding') await press(page, way, 'C');
  await until(page, 'ended');
  await checkAppearance(page, `${name}-play-4-ended`);
  await press(page, way, 'Enter');
  await until(page, 'idle');
  await page.locator('.setup summary').click();
  await checkAppearance(page, `${name}-play-5-sealed`);
  const run = await playToClaim(page, way);
  await checkAppearance(page, `${name}-play-6-claimed`);

  await page.goto(`/r/${run}`);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByTestId('verdict-of-proof').waitFor();
  await checkAppearance(page, `${name}-receipt`);
  const operation: Address = ['reference-open', '/api/docs#throw', 'details[open] h4'];
  for (const address of [...(await everyPage(page, context)), operation]) {
    await open(page, address);
    await checkAppearance(page, `${name}-${address[0]}`);
  }
  await page.goto('/verify');
  await page
    .locator('.drop input[type=file]')
    .setInputFiles({ name: 'proof.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
  await page.getByTestId('verdict-of-proof').waitFor();
  await checkAppearance(page, `${name}-verify-refused`);
});

test('the account page without an account links to the game', async () => {
  const page = await tab(await visitor(), '/account');
  await page.getByRole('link', { name: 'Play', exact: true }).last().click();
  await page.locator('.hands').waitFor();
});

test('a link to another query of the page on display changes the page, and back restores it', async () => {
  const page = await tab(await visitor(), '/leaderboard?board=week');
  const chosen = (name: string) => page.getByRole('button', { name, pressed: true }).waitFor();
  await chosen('This week');
  await page.getByRole('button', { name: 'Duels', exact: true }).click();
  await chosen('Duels');
  expect(page.url()).toContain('?board=duels');
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: '/leaderboard?board=teams' });
    document.querySelector('main')?.append(link);
    link.click();
  });
  await chosen('Teams');
  await page.goBack();
  await chosen('Duels');
});

test('pages have no layout shift while they load', async () => {
  const context = await visitor();
  await context.addInitScript(() => {
    const shifts = { sum: 0 };
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
        };
        if (!hadRecentInput) shifts.sum += value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const page = await tab(context);
  const expectNone = async (name: string, ready: string) => {
    await page.locator(ready).first().waitFor();
    await page.locator('.tip').waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    const sum = await page.evaluate(() => (window as unknown as { shifts: { sum: number } }).shifts.sum);
    // The limit for "good" of https://web.dev/articles/cls.
    expect(sum, `${name}: cumulative layout shift`).toBeLessThan(0.1);
  };
  await expectNone('a first visit', '.hands button:enabled');
  await playToClaim(page);
  for (const [address, ready] of [
    ['/', '.ladder table'],
    ['/account', '.more'],
    ['/arena', '#table'],
    ['/chain', '.key'],
    ['/chain/stats', 'main canvas'],
  ] as const) {
    await page.goto(address);
    await expectNone(address, ready);
  }
});

test('keyboard navigation: skip link, sections, headings', async () => {
  const page = await tab(await visitor());
  await page.locator('.hands button:enabled').first().waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  await page
    .getByRole('navigation', { name: 'Main', exact: true })
    .getByRole('link', { name: 'Chain' })
    .focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Chain', exact: true }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  expect(await page.title()).toBe('Chain · Roshambo');
});

test('the theme follows the system until the user chooses one, and the choice survives a reload', async () => {
  const page = await tab(await visitor({ ...desktop, theme: 'dark' }));
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await background();
  const menu = page.getByLabel('Settings', { exact: true });
  await menu.click();
  await page.getByRole('button', { name: 'Theme: system' }).click();
  const light = await background();
  expect(light).not.toBe(dark);
  await page.reload();
  expect(await background()).toBe(light);
  await menu.click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  expect(await background()).toBe(dark);
});

test('sound is off until the player switches it on, and the choice survives a reload', async () => {
  const page = await tab(await visitor());
  const menu = page.getByLabel('Settings', { exact: true });
  await menu.click();
  await page.getByRole('button', { name: 'Sound: off' }).click();
  await page.getByRole('button', { name: 'Sound: on' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Sound: on' }).waitFor({ state: 'hidden' });
  await page.reload();
  await throwHand(page, 'keys');
  await menu.click();
  await page.getByRole('button', { name: 'Sound: on' }).click();
  await page.getByRole('button', { name: 'Sound: off' }).waitFor();
});

test('notifications are switched in the settings, and the choice survives a reload', async () => {
  const context = await visitor();
  await context.grantPermissions(['notifications']);
  const page = await tab(context);
  const menu = page.getByLabel('Settings', { exact: true });
  await menu.click();
  await page.getByText('while this page is hidden').waitFor();
  await page.getByRole('button', { name: 'Notifications: on' }).click();
  await page.getByRole('button', { name: 'Notifications: off' }).waitFor();
  await page.reload();
  await menu.click();
  await page.getByRole('button', { name: 'Notifications: off' }).click();
  await page.getByRole('button', { name: 'Notifications: on' }).waitFor();
});

test('no animation runs with reduced motion', async () => {
  const context = await visitor();
  const page = await tab(context);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await throwHand(page, 'keys');
  const running = await page.evaluate(
    () => document.getAnimations().filter((a) => a.playState === 'running').length,
  );
  expect(running).toBe(0);
});
