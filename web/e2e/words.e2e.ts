// The first screen says little, and what it says is needed: what tokens are for, and what to do next.

import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { base, desktop, phone, tab, visitor } from './browser.ts';
import { playToClaim, press, until } from './game.ts';
import { visibleWords } from './words.ts';

/** Names of players, as long as the service's own. */
const [ann, bob, house] = ['swift-newt-363782', 'quiet-lynx-204117', 'house-mirror'];

/**
 * Fills the lists of what happens elsewhere with the longest that they usually hold: a duel between people on TV, the
 * player's rank in the daily challenge, and five moments, or none, and then results between bots.
 */
async function busy(context: BrowserContext, moments: number): Promise<void> {
  const change = (path: string, with_: (answer: Record<string, unknown>) => Record<string, unknown>) =>
    context.route(path, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: with_((await response.json()) as Record<string, unknown>) });
    });
  const time = new Date(Date.now() - 120_000).toISOString();
  const player = (username: string, kind = 'person') => ({
    username,
    kind,
    address: null,
    short_address: null,
  });
  const event = {
    kind: 'streak',
    time,
    username: ann,
    address: null,
    short_address: null,
    streak: 12,
    medals: [],
    duel_id: null,
  };
  const duel = (n: number) => ({
    id: `AAAAAAA${n}`,
    kind: 'ranked',
    status: 'finished',
    a: player(ann, 'bot'),
    b: player(house, 'bot'),
    wins: { a: 3, b: 1 },
    winner: 'a',
    voided: null,
    finished_at: time,
  });
  await change('**/api/tv*', () => ({ duel: { a: player(ann), b: player(bob) }, live: true, viewers: 12 }));
  const played = { streak: 12, available: false, attempt: { status: 'claimed' }, row: { rank: 17 } };
  await change('**/api/daily*', (answer) => ({ ...answer, me: played, total: 41, yesterday: { total: 40 } }));
  await change('**/api/feed*', (answer) => ({
    ...answer,
    events: [1, 2, 3, 4, 5].slice(0, moments).map((id) => ({ ...event, id })),
  }));
  await change('**/api/duels?*', (answer) => ({ ...answer, duels: [1, 2, 3, 4, 5].map(duel) }));
}

/** Checks the number of words of the first screen once all of it has arrived. A mark alone, as a comma, is no word. */
async function expectFew(page: Page, limit: number, purpose: RegExp): Promise<void> {
  await page.locator('.hands button:enabled').first().waitFor();
  await page.locator('.ladder table').waitFor();
  await page.locator('.tip').waitFor();
  await page.locator('.alive section').first().waitFor();
  await page.evaluate(() => {
    window.scrollTo(0, 0);
  });
  const words = await visibleWords(page);
  console.log(`${words.length} words, at most ${limit}: ${words.join(' ')}`);
  expect(words.length, words.join(' ')).toBeLessThanOrEqual(limit);
  // The count would be low as well if it missed words.
  for (const word of ['Rock', 'Clay', 'House']) expect(words).toContain(word);
  expect(words.join(' ')).toMatch(purpose);
}

test.each([
  ['phone', 5, phone, 120],
  ['desktop', 5, desktop, 160],
  ['desktop', 0, desktop, 160],
] as const)('the first screen on a %s with %i moments has few words', async (_, moments, device, limit) => {
  const context = await visitor(device);
  await busy(context, moments);
  const page = await tab(context);
  await expectFew(page, limit, /A win earns a token: sell it for coins, or burn it to start higher\./);
  await playToClaim(page, device.touch ? 'touch' : 'keys');
  await press(page, device.touch ? 'touch' : 'keys', 'Enter');
  await until(page, 'idle');
  await page.reload();
  await expectFew(page, limit, /Your tokens: sell one for coins or burn one to start higher\./);
  // A paid entry has prices.
  const { csrf_token } = (await (await context.request.get('/api/me')).json()) as { csrf_token: string };
  const headers = { 'X-CSRF-Token': csrf_token, Origin: base };
  for (;;) {
    const started = await context.request.post('/api/runs', { headers, data: { entry: 'free' } });
    if (!started.ok()) break;
    const { run } = (await started.json()) as { run: { id: string } };
    await context.request.post(`/api/runs/${run.id}/abandon`, { headers });
  }
  await page.reload();
  await page.locator('.hands .price').first().waitFor();
  await expectFew(page, limit, /Your tokens: sell one for coins or burn one to start higher\./);
});
