import { expect, test } from 'vitest';
import { phone, tab, visitor } from './browser.ts';
import { playToWin, press, throwHand, until } from './table.ts';

test('without network the page says so, keeps the run, and goes on by itself', async () => {
  const context = await visitor();
  const page = await tab(context);
  await throwHand(page, 'keys');
  const throws = await page.locator('.table').getAttribute('data-throws');
  await context.setOffline(true);
  await page.getByText('No connection to the house.').waitFor();
  expect(await page.locator('.table').getAttribute('data-throws')).toBe(throws);
  await context.setOffline(false);
  await page.getByText('No connection to the house.').waitFor({ state: 'detached' });
  await until(page, 'active', 'deciding', 'ended');
});

test('a throw that finds no network is not lost in silence', async () => {
  const context = await visitor();
  const page = await tab(context);
  await page.locator('.hands button:enabled').first().waitFor();
  await context.setOffline(true);
  await press(page, 'keys', 'r');
  await page.locator('.trouble', { hasText: 'You are offline.' }).waitFor();
  await context.setOffline(false);
  await page.locator('.trouble').waitFor({ state: 'detached' });
  await throwHand(page, 'keys');
});

test('too many requests: the wait is counted down, then it goes on', async () => {
  const page = await tab(await visitor());
  await page.locator('.hands button:enabled').first().waitFor();
  let refuse = true;
  await page.route('**/api/runs', (route) =>
    refuse
      ? route.fulfill({
          status: 429,
          headers: { 'Retry-After': '9' },
          json: {
            code: 'rate_limited',
            message: 'Too many requests.',
            request_id: 'r1',
            retry_after_ms: 9000, // long enough to look at the button that waits
          },
        })
      : route.continue(),
  );
  await press(page, 'keys', 'p');
  const again = page.getByRole('button', { name: /Again in \d s/ });
  await again.waitFor();
  expect(await again.isDisabled()).toBe(true);
  refuse = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.trouble').waitFor({ state: 'detached' });
  await throwHand(page, 'keys');
});

test('a fault of the server shows its request id', async () => {
  const page = await tab(await visitor(phone));
  await page.route('**/api/runs', (route) =>
    route.fulfill({ status: 500, json: { code: 'internal', message: 'x', request_id: 'req-4711' } }),
  );
  await press(page, 'touch', 'R');
  await page.getByText('req-4711').waitFor();
});

test('another signing key than the known one is shouted, until the player accepts it', async () => {
  const context = await visitor();
  const page = await tab(context);
  await page.locator('.tip').waitFor();
  await page.evaluate(() => {
    const pin = { origin: 'roshambo-other', key: 'roshambo-other+00000000+AAAA', since: 0 };
    localStorage.setItem('roshambo/pin', JSON.stringify(pin));
  });
  await page.reload();
  await page.getByText('This chain is signed with another key').waitFor();
  await page.getByRole('button', { name: 'trust the new key' }).click();
  await page.getByRole('button', { name: 'Yes: forget what was kept' }).click();
  await page.reload();
  await page.locator('.tip').waitFor();
  expect(await page.getByText('This chain is signed with another key').count()).toBe(0);
});

test('a page whose code could not be fetched appears by itself, with its style, when the network is back', async () => {
  const context = await visitor();
  const page = await tab(context);
  await page.locator('.tip').waitFor();
  let loads = 0;
  page.on('domcontentloaded', () => loads++);
  await context.setOffline(true);
  await page.getByText('No connection to the house.').waitFor();
  await page.getByRole('link', { name: 'Market', exact: true }).first().click();
  await page.locator('.trouble', { hasText: 'You are offline.' }).waitFor();
  // The button is no trap: without a network it leaves the page as it is.
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.trouble').waitFor();
  await context.setOffline(false);
  await page.getByRole('heading', { name: 'Market', level: 1 }).waitFor();
  await page.locator('.trouble').waitFor({ state: 'detached' });
  const styles = await page.evaluate(() => [...document.styleSheets].map(({ href }) => href ?? ''));
  expect(styles.filter((href) => href.includes('/assets/Market-'))).toHaveLength(1);
  expect(loads).toBe(0);
});

test('code that the service does not have any more is fetched by loading the new page, once and never in a loop', async () => {
  const page = await tab(await visitor());
  await page.locator('.tip').waitFor();
  let [answers, loads] = [0, 0];
  page.on('domcontentloaded', () => loads++);
  page.on('response', (response) => {
    if (loads > 0 && response.url().endsWith('/api/chain/head')) answers++;
  });
  await page.route('**/assets/Market-*.js', (route) =>
    route.fulfill({ status: 404, body: '404 page not found' }),
  );
  await page.getByRole('link', { name: 'Market', exact: true }).first().click();
  await expect.poll(() => loads).toBe(1);
  await page.locator('.trouble', { hasText: 'could not be loaded' }).waitFor();
  // Every answer is an occasion to load it again.
  await expect.poll(() => answers).toBeGreaterThanOrEqual(4);
  expect(loads).toBe(1);
  await page.unroute('**/assets/Market-*.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Market', level: 1 }).waitFor();
});

test('a session that ended elsewhere is told, and the next throw opens another one', async () => {
  const context = await visitor();
  const page = await tab(context);
  await playToWin(page);
  await context.clearCookies();
  await press(page, 'keys', 'G');
  await page.locator('.trouble', { hasText: 'Your session is over.' }).waitFor();
  await until(page, 'idle');
  await throwHand(page, 'keys');
  expect(await page.locator('.trouble').count()).toBe(0);
});
