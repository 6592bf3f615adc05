import { expect, test } from 'vitest';
import { base, desktop, phone, tab, visitor } from './browser.ts';
import { phase, playToClaim, playToWin, press, throwHand, until } from './table.ts';

test.each([
  ['keys', desktop],
  ['mouse', desktop],
  ['touch', phone],
] as const)('a guest plays with %s until a token is claimed', async (way, device) => {
  const page = await tab(await visitor(device));
  await playToClaim(page, way);
  expect(await page.locator('.ending h2').textContent()).toMatch(/^\w+ claimed$/);
  await page.locator('.ending a[href^="/token/"]').click();
  await page.getByRole('heading', { name: /#\d+/ }).waitFor();
  await page.goto('/account');
  await page.locator('a[href^="/token/"]').waitFor();
});

test('a first visit asks for nothing that is refused; the page knows its guest when it comes again, and in another tab', async () => {
  const context = await visitor();
  const page = await tab(context, 'about:blank');
  const other = await tab(context);
  const refused: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
  });
  for (const address of ['/', '/account', '/duels/', '/portfolio', '/']) {
    await page.goto(address);
    await page.locator('.tip').waitFor();
  }
  await throwHand(page, 'keys');
  expect(refused).toEqual([]);
  await page.getByTestId('balance').waitFor();
  await page.reload();
  await page.getByTestId('balance').waitFor();
  await until(page, 'active', 'deciding', 'ended');
  // Back to a page that the browser has kept from before there was an account.
  await page.goto('/api/docs/');
  await page.goBack();
  await page.getByTestId('balance').waitFor();
  // The other tab was there before, too: it looks when it is looked at.
  await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await other.getByTestId('balance').waitFor();
  expect(refused).toEqual([]);
});

test('going on puts all of it at risk, and the chances on the ladder follow', async () => {
  const page = await tab(await visitor());
  await playToWin(page);
  expect(await page.locator('.ladder tr.here').textContent()).toContain('you are here');
  await press(page, 'keys', 'G');
  await until(page, 'active');
  expect(await page.locator('.ladder tr.next td').last().textContent()).toContain('1 in 2');
  expect(await page.locator('.stakes').textContent()).toMatch(/Lose: the \w+ is gone/);
});

test('a reload loses nothing: sealed, after a tie or a risk, deciding, and over', async () => {
  const page = await tab(await visitor());
  await playToWin(page);
  const sealed = await page.locator('.table header .mono').first().getAttribute('title');
  await page.reload();
  await until(page, 'deciding');
  expect(await page.locator('.table header .mono').first().getAttribute('title')).toBe(sealed);
  await page.locator('[data-testid="seed-check"][data-holds="true"]').waitFor();
  await press(page, 'keys', 'G');
  await until(page, 'active');
  await page.reload();
  await until(page, 'active');
  for (let turn = 0; (await phase(page)) === 'active'; turn++) await throwHand(page, 'keys', turn);
  if ((await phase(page)) === 'deciding') await press(page, 'keys', 'C');
  await until(page, 'ended');
  const title = await page.locator('.ending h2').textContent();
  await page.reload();
  await until(page, 'ended');
  expect(await page.locator('.ending h2').textContent()).toBe(title);
  await press(page, 'keys', 'Enter');
  await until(page, 'idle');
  await page.locator('[data-testid="anchor"] a[href^="/tx/"]', { hasText: /block \d/ }).waitFor();
  await page.reload();
  await until(page, 'idle');
  await page.locator('[data-testid="anchor"]').waitFor();
});

test('two tabs of one player: what happened in the other one is shown, not reported as an error', async () => {
  const context = await visitor();
  const one = await tab(context);
  await playToWin(one);
  const two = await tab(context);
  await until(two, 'deciding');
  await press(two, 'keys', 'C');
  await until(two, 'ended');
  await press(one, 'keys', 'G');
  await until(one, 'ended', 'idle');
  expect(await one.locator('.trouble').count()).toBe(0);
});

test('an envelope that was put in the place of another is shouted; one used up in another tab is not', async () => {
  const context = await visitor();
  const one = await tab(context);
  await playToClaim(one);
  await press(one, 'keys', 'Enter');
  await until(one, 'idle');
  const two = await tab(context);
  await playToClaim(two);
  await throwHand(one, 'keys');
  // Once it has understood what the other tab used up, it keeps the envelope that lies there now.
  await one.reload();
  await expect
    .poll(() =>
      one.evaluate(async () => {
        const me = (await (await fetch('/api/me')).json()) as { next_commitment: { commitment: string } };
        const kept = JSON.parse(localStorage.getItem('roshambo/sealed') ?? '{}') as { commitment: string };
        return kept.commitment === me.next_commitment.commitment;
      }),
    )
    .toBe(true);
  const shouted = one.getByText('That must never happen');
  expect(await shouted.count()).toBe(0);
  // What this browser was shown, it remembers: here, an envelope that no run ever used.
  await one.evaluate(() => {
    const sealed = JSON.parse(localStorage.getItem('roshambo/sealed') ?? '{}') as { commitment: string };
    sealed.commitment = '0'.repeat(64);
    localStorage.setItem('roshambo/sealed', JSON.stringify(sealed));
  });
  await one.reload();
  await shouted.waitFor();
});

test('throws faster than the house takes them wait for their turn', async () => {
  const context = await visitor();
  const one = await tab(context);
  // After a tie the run is open, and after a win it is once one goes on: throw until there is the one or the other.
  for (let turn = 0; (await phase(one)) !== 'active'; turn++) {
    if ((await phase(one)) === 'ended') {
      await press(one, 'keys', 'Enter');
      await until(one, 'idle');
    }
    await throwHand(one, 'keys', turn);
    if ((await phase(one)) !== 'deciding') continue;
    await press(one, 'keys', 'G');
    await until(one, 'active');
  }
  const two = await tab(context);
  await until(two, 'active');
  const throws = Number(await one.locator('.table').getAttribute('data-throws'));
  await one.keyboard.press('r');
  await two.keyboard.press('p');
  await one.locator(`.table[data-throws="${throws + 1}"]`).waitFor();
  await two.locator(`.table:not([data-throws="${throws}"])`).waitFor();
  expect(await two.locator('.trouble').count()).toBe(0);
});

test('the player’s own seed and word go into the run', async () => {
  const page = await tab(await visitor());
  await page.locator('.setup summary').click();
  await page.getByLabel('Your seed').fill('grüße, rook ♜');
  await page.getByLabel('A word for the next throw (optional)').fill('abracadabra');
  await page.locator('.setup summary').click();
  await page.locator('h1').click();
  await throwHand(page, 'mouse');
  await page.getByRole('link', { name: 'Receipt of this run' }).click();
  await page.getByText('grüße, rook ♜').waitFor();
  await page.getByText('with “abracadabra”').waitFor();
});

test('a run can be given up, after asking once', async () => {
  const page = await tab(await visitor());
  await playToWin(page);
  await press(page, 'keys', 'G');
  await until(page, 'active');
  await page.locator('.setup summary').click();
  await page.getByRole('button', { name: 'Give this run up' }).click();
  await page.getByRole('button', { name: 'No, play on' }).click();
  await page.getByRole('button', { name: 'Give this run up' }).click();
  await page.getByRole('button', { name: 'Yes, give up' }).click();
  await until(page, 'ended');
  expect(await page.locator('.ending h2').textContent()).toBe('Given up');
});

test('who has spent everything is told, and gets free coins', async () => {
  const context = await visitor();
  const guest = (await (await context.request.post('/api/guest')).json()) as { csrf_token: string };
  const headers = { 'X-CSRF-Token': guest.csrf_token, Origin: base };
  for (const entry of [...Array<string>(3).fill('free'), ...Array<string>(20).fill('fee')]) {
    const started = await context.request.post('/api/runs', { headers, data: { entry } });
    const { run } = (await started.json()) as { run: { id: string } };
    await context.request.post(`/api/runs/${run.id}/abandon`, { headers });
  }
  const page = await tab(context);
  await page.getByText('Out of entries for now').waitFor();
  await page.getByRole('button', { name: 'Collect 200 free coins' }).click();
  await page.locator('.hands').waitFor();
  expect(await page.getByTestId('balance').textContent()).toMatch(/200/);
  await page.goto('/account');
  expect(
    await page.getByRole('button', { name: /200 more in 3 h 5\d min|200 more in 4 h/ }).isDisabled(),
  ).toBe(true);
});
