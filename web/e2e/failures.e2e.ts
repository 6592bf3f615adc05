import { expect, test } from 'vitest';
import { phone, tab, visitor } from './browser.ts';
import { press, throwHand, until } from './game.ts';

test('an offline page reports it, keeps the run, and reconnects', async () => {
  const context = await visitor();
  const page = await tab(context);
  await throwHand(page, 'keys');
  const throws = await page.locator('.table').getAttribute('data-throws');
  await context.setOffline(true);
  await page.getByText('No connection to the server.').waitFor();
  expect(await page.locator('.table').getAttribute('data-throws')).toBe(throws);
  await context.setOffline(false);
  await page.getByText('No connection to the server.').waitFor({ state: 'detached' });
  await until(page, 'active', 'deciding', 'ended');
});

test('a throw without network shows an error', async () => {
  const context = await visitor();
  const page = await tab(context);
  await page.locator('.hands button:enabled').first().waitFor();
  await context.setOffline(true);
  await press(page, 'keys', 'r');
  // The ladder has a notice of its own if its tiers were not loaded yet. Both disappear by themselves.
  const notices = page.locator('.error-notice');
  await notices.filter({ hasText: 'You are offline.' }).first().waitFor();
  await context.setOffline(false);
  await expect.poll(() => notices.count()).toBe(0);
  await throwHand(page, 'keys');
});

test('a rate limit says when the page checks again, and does so by itself', async () => {
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
            retry_after_ms: 9000, // longer than the page waits for an answer by itself
          },
        })
      : route.continue(),
  );
  await press(page, 'keys', 'p');
  const notice = page.locator('.error-notice[data-level="wait"]');
  await notice.getByText('Busy').waitFor();
  await notice.getByText(/Checking again in \d s/).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  refuse = false;
  await notice.waitFor({ state: 'detached' });
  await throwHand(page, 'keys');
});

test('an internal error shows its request ID', async () => {
  const page = await tab(await visitor(phone));
  await page.route('**/api/runs', (route) =>
    route.fulfill({ status: 500, json: { code: 'internal', message: 'x', request_id: 'req-4711' } }),
  );
  await press(page, 'touch', 'R');
  await page.getByText('req-4711').waitFor();
});

test('a changed signing key raises an alarm until the player accepts it', async () => {
  const context = await visitor();
  const page = await tab(context);
  await page.locator('.tip').waitFor();
  await page.evaluate(() => {
    const pin = { origin: 'roshambo-other', key: 'roshambo-other+00000000+AAAA', since: 0 };
    localStorage.setItem('roshambo/pin', JSON.stringify(pin));
  });
  await page.reload();
  await page.getByText('The signing key of this chain has changed').waitFor();
  await page.getByRole('button', { name: 'Trust the new key' }).click();
  await page.getByRole('button', { name: 'Yes, discard the stored checkpoint' }).click();
  await page.reload();
  await page.locator('.tip').waitFor();
  expect(await page.getByText('The signing key of this chain has changed').count()).toBe(0);
});

test('a page whose chunk failed to load appears when the network is back', async () => {
  const context = await visitor();
  const page = await tab(context);
  await page.locator('.tip').waitFor();
  let loads = 0;
  page.on('domcontentloaded', () => loads++);
  await context.setOffline(true);
  await page.getByText('No connection to the server.').waitFor();
  await page.getByRole('link', { name: 'Market', exact: true }).first().click();
  await page.locator('.error-notice', { hasText: 'You are offline.' }).waitFor();
  // Without a network the button has no effect.
  await page.getByRole('button', { name: 'Try again', exact: true }).click();
  await page.locator('.error-notice').waitFor();
  await context.setOffline(false);
  await page.getByRole('heading', { name: 'Market', level: 1 }).waitFor();
  await page.locator('.error-notice').waitFor({ state: 'detached' });
  expect(loads).toBe(0);
});

test('a chunk that a new version removed causes one reload, never a loop', async () => {
  const page = await tab(await visitor());
  await page.locator('.tip').waitFor();
  let [responses, loads] = [0, 0];
  page.on('domcontentloaded', () => loads++);
  page.on('response', (response) => {
    if (loads > 0 && response.url().endsWith('/api/chain/head')) responses++;
  });
  await page.route('**/assets/Market-*.js', (route) =>
    route.fulfill({ status: 404, body: '404 page not found' }),
  );
  await page.getByRole('link', { name: 'Market', exact: true }).first().click();
  await expect.poll(() => loads).toBe(1);
  await page.locator('.error-notice', { hasText: 'could not be loaded' }).waitFor();
  // Every response would trigger another attempt. The head is read when the network is back.
  const back = () => page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect.poll(() => back().then(() => responses)).toBeGreaterThanOrEqual(4);
  expect(loads).toBe(1);
  await page.unroute('**/assets/Market-*.js');
  await page.getByRole('button', { name: 'Try again', exact: true }).click();
  await page.getByRole('heading', { name: 'Market', level: 1 }).waitFor();
});
