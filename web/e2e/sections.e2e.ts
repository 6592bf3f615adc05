import { expect, test } from 'vitest';
import { makeBot, playRanked } from './bots.ts';
import { base, tab, visitor } from './browser.ts';
import { checkAppearance, devices, injectAxe, visitTimeout } from './appearance.ts';
import { playToClaim } from './game.ts';

interface Guest {
  csrf_token: string;
  account: { username: string };
}

// The pages of players with more to show than in appearance.e2e.ts, each checked by axe.
test.each(devices)('every section for players on %s', { timeout: visitTimeout }, async (name, device) => {
  const way = device.touch ? 'touch' : 'keys';
  const context = await visitor(device);
  await injectAxe(context);
  const page = await tab(context);
  await playToClaim(page, way);
  const me = (await (await context.request.get('/api/me')).json()) as Guest;
  const headers = { 'X-CSRF-Token': me.csrf_token, Origin: base };
  const post = async <T>(path: string, data: object): Promise<T> =>
    (await (await context.request.post(path, { headers, data })).json()) as T;
  const { holdings } = (await (await context.request.get('/api/portfolio')).json()) as {
    holdings: { token_id: number }[];
  };
  const token = holdings[0]?.token_id ?? 0;
  const { team } = await post<{ team: { slug: string } }>('/api/teams', { name: `Pictures ${name}` });
  await post('/api/market/list', { token_id: token, price: 250 });
  const [one, two] = [await makeBot(context, `one_${name}`), await makeBot(await visitor(), `two_${name}`)];
  for (let i = 0; i < 3; i++) await playRanked(one, two);

  await page.goto('/duels');
  await page.getByRole('button', { name: 'Create duel' }).waitFor();
  await checkAppearance(page, `${name}-duels`);
  await page.getByRole('button', { name: 'Create duel' }).click();
  await page.locator('.table[data-status="open"]').waitFor();
  await checkAppearance(page, `${name}-duel-0-open`);
  await page.goto('/duels');
  await page.getByRole('button', { name: 'Start practice' }).click();
  for (let round = 0; round < 60; round++) {
    await page.locator('.table[data-turn="true"], .table[data-status="finished"]').first().waitFor();
    if ((await page.locator('.table').getAttribute('data-status')) === 'finished') break;
    if (round < 2) {
      if (round === 1) await page.locator('[data-testid="round-check"][data-holds="true"]').waitFor();
      await checkAppearance(page, `${name}-duel-${round + 1}-round`);
    }
    const sealed = Number(await page.locator('.table').getAttribute('data-sealed'));
    const button = page.locator(`.table [aria-keyshortcuts="${'RPS'.charAt(round % 3)}"]`);
    await (device.touch ? button.tap() : button.click());
    await page.locator(`.table[data-sealed="${sealed + 1}"]`).waitFor();
  }
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.getByTestId('verdict-of-proof').waitFor();
  await checkAppearance(page, `${name}-duel-3-finished`);

  for (const [title, address, ready] of [
    ['arena', '/arena', 'tbody tr'],
    ['tv', '/tv', '[data-testid="tv"]'],
    ['bot', `/bots/${one.name}`, '[role="img"] canvas'],
    ['player', `/players/${me.account.username}`, 'section'],
    ['market', '/market', 'li[data-listing]'],
    ['token-trade', `/token/${token}`, '.sell'],
    ['portfolio', '/portfolio', 'li[data-token]'],
    ['leaderboard', '/leaderboard', 'tbody tr'],
    ['teams', '/leaderboard?board=teams', 'form'],
    ['season', '/season', '.bar'],
    ['daily', '/daily', 'section'],
    ['achievements', '/achievements', 'progress'],
    ['feed', '/feed', 'section p'],
    ['team', `/t/${team.slug}`, 'li'],
  ] as const) {
    await page.goto(address);
    await page.locator(`main ${ready}`).first().waitFor();
    await page.locator('.tip').waitFor();
    await checkAppearance(page, `${name}-${title}`);
  }
  expect(await page.locator('.error-notice').count()).toBe(0);
});
