// The page states its situation: the account in use after the end of a session, that it waits, and where the
// player was.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makeBot, playRanked } from './bots.ts';
import { base, desktop, guest, phone, tab, visitor } from './browser.ts';
import { pair } from './duel.ts';
import { playToClaim, playToWin, press, throwHand, until } from './game.ts';
import { endSession, fill, newName, register } from './players.ts';
import { becomeGuest } from './ways.ts';

/** Records the calls of a page from now on. */
function record(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname}`);
  });
  return calls;
}

const banner = (page: Page) => page.getByTestId('session-ended');

test('a session ended in another tab: the page keeps the name, stands still, and signs in again', async () => {
  const context = await visitor();
  const other = await tab(context);
  const name = await register(other);
  const page = await tab(context, 'about:blank');
  await page.clock.install();
  await page.goto('/duels');
  await page.getByTestId('balance').waitFor();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await banner(page).getByText(`You were ${name}.`).waitFor();
  const calls = record(page);
  await page.clock.runFor(600_000);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.clock.runFor(60_000);
  expect(calls).toEqual([]);
  // Another page is a visitor's page, and the visitor still has the choice.
  await page.getByRole('link', { name: 'Market', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Market', level: 1 }).waitFor();
  await page.reload();
  await banner(page).getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: `You were ${name}` }).waitFor();
  await fill(page, name);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await banner(page).waitFor({ state: 'detached' });
  // The other tab follows.
  await other.getByRole('heading', { name, level: 1 }).waitFor();
});

test('after the end of a session nothing is thrown before the choice to go on as a new guest', async () => {
  const context = await visitor(phone);
  const page = await tab(context);
  await playToClaim(page, 'touch');
  await press(page, 'touch', 'Enter');
  await until(page, 'idle');
  const former = await page.locator('.me').getAttribute('title');
  await endSession(context);
  await banner(page).waitFor(); // the stream says so
  const calls = record(page);
  await press(page, 'touch', 'R');
  const question = page.getByTestId('who-plays');
  await question.getByText('a guest has no password').waitFor();
  expect(calls).toEqual([]);
  await question.getByRole('button', { name: 'Go on as a new guest' }).tap();
  await question.waitFor({ state: 'detached' });
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([]);
  await throwHand(page, 'touch');
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual(['POST /api/guest', 'POST /api/runs']);
  expect(await page.locator('.me').getAttribute('title')).not.toBe(former);
});

test('a visitor who joins a duel becomes a guest by a tap on a hand; a guest can still sign in', async () => {
  const a = await tab(await guest(), '/duels');
  await a.getByRole('button', { name: 'Create duel' }).click();
  await a.waitForURL('**/d/*');
  const b = await tab(await visitor(phone), a.url());
  const calls = record(b);
  await b.getByRole('button', { name: 'Join duel' }).tap();
  await b.getByTestId('who-plays').getByRole('heading', { name: 'Who plays?' }).waitFor();
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([]);
  await becomeGuest(b, 'touch');
  await b.locator('.table[data-status="active"]').waitFor();
  await b.getByRole('banner').getByRole('link', { name: 'Sign in' }).tap();
  await b.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
});

test('a busy service is a wait with a countdown, and no alarm', async () => {
  const page = await tab(await visitor(), 'about:blank');
  let busy = true;
  const refused = {
    status: 429,
    headers: { 'Retry-After': '4' },
    json: { code: 'rate_limited', message: 'Too many requests.', request_id: 'r1', retry_after_ms: 4000 },
  };
  for (const path of ['**/api/market*', '**/api/chain/head', '**/log/**'])
    await page.route(path, (route) => (busy ? route.fulfill(refused) : route.continue()));
  await page.goto('/market');
  for (const wait of [page.getByTestId('busy'), page.locator('.error-notice[data-level="wait"]').first()])
    await wait.getByText(/Checking again in \d+ s/).waitFor();
  expect(await page.locator('[role="alert"], [data-fault]').count()).toBe(0);
  expect(await page.getByText('could not be checked').count()).toBe(0);
  busy = false;
  await page.getByTestId('busy').waitFor({ state: 'detached' });
  await page.locator('.error-notice').first().waitFor({ state: 'detached' });
  await page.locator('.tip').waitFor();
});

test('Back finds a list at its place, without a call for it', { timeout: 600_000 }, async () => {
  const [one, two] = [newName(), newName()].map((name) => name.replace('player', 'bot'));
  const bots = [
    await makeBot(await visitor(), one ?? ''),
    await makeBot(await visitor(), two ?? ''),
  ] as const;
  for (let n = 0; n < 3; n++) await playRanked(...bots);
  // Two bots have three rated duels a day. pages.test.ts has longer lists.
  const page = await tab(await visitor(phone), `/bots/${one ?? ''}`);
  const rows = page.locator('a.outcome');
  await expect.poll(() => rows.count()).toBe(3);
  await rows.nth(2).evaluate((row) => {
    row.scrollIntoView({ block: 'center' });
  });
  const y = await page.evaluate(() => scrollY);
  expect(y).toBeGreaterThan(100);
  await rows.nth(2).tap();
  await page.waitForURL('**/d/*');
  await page.getByTestId('replay-step').waitFor();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  const calls = record(page);
  await page.goBack();
  await page.getByRole('heading', { name: one ?? '', level: 1 }).waitFor();
  await expect.poll(() => rows.count()).toBe(3);
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(y);
  expect(calls.filter((call) => call.endsWith('/duels'))).toEqual([]);
});

test('the footer leads to short pages, which the service and search engines know', async () => {
  const page = await tab(await visitor(phone));
  const sitemap = await (await fetch(`${base}/sitemap.xml`)).text();
  for (const title of ['Rules', 'Help', 'Privacy', 'Terms']) {
    const path = `/${title.toLowerCase()}`;
    await page.goto('/verify');
    await page.getByRole('contentinfo').getByRole('link', { name: title, exact: true }).tap();
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
    expect(await page.title()).toBe(`${title} · Roshambo`);
    const answer = await fetch(base + path);
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining(`<title>${title} · `),
    ]);
    expect(sitemap).toContain(`${path}</loc>`);
  }
  await page.goto('/privacy');
  await page.getByText('Press “Delete my account”').waitFor();
});

test('at 400 % zoom, bars take at most a fifth of the window', async () => {
  const page = await tab(await guest({ ...desktop, width: 320, height: 256 }));
  await page.getByTestId('balance').waitFor();
  const taken = () =>
    page.evaluate(() => {
      const bars = [...document.querySelectorAll('header, body nav, .banners, [data-fault]')];
      const heights = bars.map((bar) => {
        const { top, bottom } = bar.getBoundingClientRect();
        const inside = Math.min(bottom, innerHeight) - Math.max(top, 0);
        const stays = ['fixed', 'sticky'].includes(getComputedStyle(bar).position);
        return stays || bar.querySelector('.brand') ? Math.max(0, inside) : 0;
      });
      return heights.reduce((sum, height) => sum + height, 0) / innerHeight;
    });
  expect(await taken()).toBeLessThanOrEqual(0.2);
  const scroll = () =>
    page.evaluate(() => {
      scrollTo(0, 500);
    });
  await scroll();
  expect(await taken()).toBe(0);
  // An alarm and a banner are there to be read, and scroll away with the page.
  await page.evaluate(() => {
    const shown = { key: 'k', note: '{"n":1}', at: Date.now() };
    localStorage.setItem('roshambo/alarm', JSON.stringify({ fault: 'check', kept: null, shown }));
  });
  await page.reload();
  await page.locator('[data-fault="check"]').waitFor();
  await page.context().setOffline(true);
  await page.getByTestId('offline').waitFor();
  expect(await taken()).toBeLessThanOrEqual(0.2);
  await scroll();
  expect(await taken()).toBeLessThanOrEqual(0.2);
  await page.context().setOffline(false);
});

test('a player who is offline in a duel is told the clock, and in a run that it is saved', async () => {
  const [a] = await pair();
  await a.context().setOffline(true);
  const offline = a.getByTestId('offline');
  await offline.getByText(/The clock of your duel goes on: \d+ s/).waitFor();
  expect(await offline.getByText('Your run is saved').count()).toBe(0);
  await a.context().setOffline(false);
  await offline.waitFor({ state: 'detached' });

  const context = await visitor();
  const page = await tab(context);
  await playToWin(page);
  await context.setOffline(true);
  await page.getByTestId('offline').getByText('Your run is saved.').waitFor();
  await context.setOffline(false);
});
