import { expect, test } from 'vitest';
import { desktop, tab, visitor } from './browser.ts';
import { bringAxe, devices, look } from './look.ts';
import { phase, playToClaim, playToWin, press, throwHand, until } from './table.ts';

// Some twenty pages, each read by axe: the longest test on a busy machine.
test.each(devices)('every page on %s', { timeout: 600_000 }, async (name, device) => {
  const context = await visitor(device);
  await bringAxe(context);
  const way = device.touch ? 'touch' : 'keys';
  const page = await tab(context);
  await page.locator('.hands button:enabled').first().waitFor();
  await page.locator('.ladder table').waitFor();
  await look(page, `${name}-play-0-stranger`);
  await throwHand(page, way);
  await look(page, `${name}-play-1-first-throw`);
  await playToWin(page, way);
  await look(page, `${name}-play-2-deciding`);
  await press(page, way, 'G');
  await until(page, 'active');
  await page.locator('.setup summary').click();
  await look(page, `${name}-play-3-active-setup`);
  for (let turn = 0; (await phase(page)) === 'active'; turn++) await throwHand(page, way, turn);
  if ((await phase(page)) === 'deciding') await press(page, way, 'C');
  await until(page, 'ended');
  await look(page, `${name}-play-4-ended`);
  await press(page, way, 'Enter');
  await until(page, 'idle');
  await page.locator('.setup summary').click();
  await look(page, `${name}-play-5-sealed`);
  const run = await playToClaim(page, way);
  await look(page, `${name}-play-6-claimed`);

  const answer = await context.request.get(`/api/runs/${run}`);
  const { run: of } = (await answer.json()) as { run: { account: string; end_tx: string; token_id: number } };
  await page.goto(`/r/${run}`);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByTestId('verdict-of-proof').waitFor();
  await look(page, `${name}-receipt`);
  for (const [title, address, ready] of [
    ['account', '/account', 'a[href^="/token/"]'],
    ['chain', '/chain', '.strip a.block'],
    ['stats', '/chain/stats?by=hour', 'main canvas'],
    ['block', '/block/0', '.good'],
    ['transaction', `/tx/${of.end_tx}`, '.good'],
    ['address', `/address/${of.account}`, 'a.kind'],
    ['token', `/token/${of.token_id}`, 'summary'],
    ['verify', '/verify', '.drop'],
    ['developers', '/developers', 'dl.facts'],
    ['link', '/link', 'form'],
    ['missing', '/block/2000000000', '.trouble'],
    ['not-found', '/nowhere', 'h1'],
  ] as const) {
    await page.goto(address);
    await page.locator(ready).first().waitFor();
    await page.locator('.tip').waitFor();
    await look(page, `${name}-${title}`);
  }
  await page.goto('/verify');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'proof.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
  await page.getByTestId('verdict-of-proof').waitFor();
  await look(page, `${name}-verify-refused`);
});

test('an account page without an account invites to play', async () => {
  const page = await tab(await visitor(), '/account');
  await page.getByRole('link', { name: 'Play', exact: true }).last().click();
  await page.locator('.hands').waitFor();
});

test('the first load is under 60 KB of script, and usable after three answers of the service', async () => {
  const page = await (await visitor()).newPage();
  // What is fetched a while after the table is there does not belong to the first load, however slow the machine is.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const sizes: Promise<number>[] = [];
  const answers: string[] = [];
  page.on('response', (response) => {
    answers.push(response.url());
    if (!response.url().endsWith('.js')) return;
    sizes.push(
      response
        .request()
        .sizes()
        .then((size) => size.responseBodySize),
    );
  });
  await page.goto('/');
  await page.locator('.hands button:enabled').first().waitFor();
  // How soon that is depends on the machine; what the page waits for does not.
  expect(answers.filter((url) => url.includes('/api/')).length, answers.join('\n')).toBeLessThanOrEqual(3);
  expect(answers.length, answers.join('\n')).toBeLessThanOrEqual(24);
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(10_000);
  expect(total).toBeLessThan(60_000);
});

test('what stands on a page is not pushed away by what comes later', async () => {
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
    // What https://web.dev/articles/cls calls good.
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

test('the keyboard goes everywhere: skip link, navigation, headings', async () => {
  const page = await tab(await visitor());
  await page.locator('.hands button:enabled').first().waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the page');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  await page
    .getByRole('navigation', { name: 'Places', exact: true })
    .getByRole('link', { name: 'Chain' })
    .focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Chain', exact: true }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  expect(await page.title()).toBe('Chain · Roshambo');
});

test('the theme follows the system until one is chosen, and the choice survives a reload', async () => {
  const page = await tab(await visitor({ ...desktop, theme: 'dark' }));
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await paper();
  await page.getByRole('button', { name: 'Theme: like the system' }).click();
  const light = await paper();
  expect(light).not.toBe(dark);
  await page.reload();
  expect(await paper()).toBe(light);
  await page.getByRole('button', { name: 'Theme: light' }).click();
  expect(await paper()).toBe(dark);
});

test('nothing moves for those who want no motion', async () => {
  const context = await visitor();
  const page = await tab(context);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await throwHand(page, 'keys');
  const running = await page.evaluate(
    () => document.getAnimations().filter((a) => a.playState === 'running').length,
  );
  expect(running).toBe(0);
});
