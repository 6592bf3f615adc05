import { expect, test } from 'vitest';
import { checkAppearance, injectAxe } from './appearance.ts';
import { base, desktop, phone, tab, visitor } from './browser.ts';
import { phase, playToClaim, playToWin, press, throwHand, throwsOf, until } from './game.ts';

test.each([
  ['keys', desktop],
  ['mouse', desktop],
  ['touch', phone],
] as const)('a guest plays with %s and claims a token', async (way, device) => {
  const page = await tab(await visitor(device));
  await playToClaim(page, way);
  expect(await page.locator('.ending h2').textContent()).toMatch(/^\w+ claimed$/);
  await page.locator('.ending a[href^="/token/"]').click();
  await page.getByRole('heading', { name: /#\d+/ }).waitFor();
  await page.goto('/account');
  await page.locator('a[href^="/token/"]').waitFor();
});

test('a first visit sends no request that fails; the guest is known after a reload and in another tab', async () => {
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
  // Back to a page that the browser cached before the account existed.
  await page.goto('/api/docs/');
  await page.goBack();
  await page.getByTestId('balance').waitFor();
  // The other tab also predates the account: it reloads when it becomes visible.
  await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await other.getByTestId('balance').waitFor();
  expect(refused).toEqual([]);
});

test('risking a tier updates the chances on the ladder', async () => {
  const page = await tab(await visitor());
  await playToWin(page);
  expect(await page.locator('.ladder tr.here').textContent()).toContain('you are here');
  await press(page, 'keys', 'G');
  await until(page, 'active');
  expect((await page.locator('.ladder tr.next td').last().textContent())?.trim()).toBe('2');
  expect(await page.locator('.stakes').textContent()).toMatch(/Lose: the \w+ is gone/);
});

test('a reload restores every phase: idle, active, deciding and ended', async () => {
  const page = await tab(await visitor());
  await playToWin(page);
  const sealed = await page.locator('[data-testid="fingerprint"] .mono').getAttribute('title');
  await page.reload();
  await until(page, 'deciding');
  expect(await page.locator('[data-testid="fingerprint"] .mono').getAttribute('title')).toBe(sealed);
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

test('two tabs of one player: a change in one tab causes no error in the other', async () => {
  const context = await visitor();
  const one = await tab(context);
  await playToWin(one);
  const two = await tab(context);
  await until(two, 'deciding');
  await press(two, 'keys', 'C');
  await until(two, 'ended');
  await press(one, 'keys', 'G');
  await until(one, 'ended', 'idle');
  expect(await one.locator('.error-notice').count()).toBe(0);
});

test('a replaced commitment raises an alarm; one used in another tab does not', async () => {
  const context = await visitor();
  const one = await tab(context);
  await playToClaim(one);
  await press(one, 'keys', 'Enter');
  await until(one, 'idle');
  const two = await tab(context);
  await playToClaim(two);
  await throwHand(one, 'keys');
  // After it has traced the other tab's run, it stores the current commitment.
  await one.reload();
  await expect
    .poll(() =>
      one.evaluate(async () => {
        const me = (await (await fetch('/api/me')).json()) as { next_commitment: { commitment: string } };
        const stored = JSON.parse(localStorage.getItem('roshambo/sealed') ?? '[]') as {
          commitment: string;
        }[];
        return stored.at(-1)?.commitment === me.next_commitment.commitment;
      }),
    )
    .toBe(true);
  const alarm = one.getByText('This must never happen');
  expect(await alarm.count()).toBe(0);
  // A stored commitment that no run has used.
  await one.evaluate(() => {
    const sealed = JSON.parse(localStorage.getItem('roshambo/sealed') ?? '[]') as { commitment: string }[];
    for (const one of sealed) one.commitment = '0'.repeat(64);
    localStorage.setItem('roshambo/sealed', JSON.stringify(sealed));
  });
  await one.reload();
  await alarm.waitFor();
  // It stays, although the current commitment is stored now.
  await one.reload();
  await alarm.waitFor();
});

test('throws ahead of the minimum spacing wait', async () => {
  const context = await visitor();
  const one = await tab(context);
  // Throw until the run is active again after a tie, or after a risked win.
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
  // Either throw may be the first to arrive, and the other one then is the next, or of no effect after the end.
  for (const page of [one, two]) await page.locator(`.table:not([data-throws="${throws}"])`).waitFor();
  expect(await two.locator('.error-notice').count()).toBe(0);
});

test('a guest is created by a tap on a hand, and by nothing else', async () => {
  const page = await tab(await visitor());
  const posts: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && posts.push(new URL(request.url()).pathname));
  await page.locator('.hands button:enabled').first().waitFor();
  await page.getByRole('heading', { name: 'On TV' }).waitFor(); // more than a second later
  for (let x = 100; x < 160; x += 10) await page.mouse.move(x, 200);
  await page.locator('h1').click();
  for (const key of ['x', 'Enter', 'Escape', 'Tab']) await page.keyboard.press(key);
  await page.goto('/duels');
  await page.getByRole('button', { name: 'Create duel' }).click();
  await page.getByTestId('who-plays').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Create duel' }).waitFor();
  await page.goto('/');
  await page.locator('.hands button:enabled').first().waitFor();
  expect(posts).toEqual([]);
  await throwHand(page, 'mouse');
  expect(posts).toEqual(['/api/guest', '/api/runs']);
});

test('a refused guest account is requested once, by the throw', async () => {
  const page = await tab(await visitor(), 'about:blank');
  let requests = 0;
  await page.route('**/api/guest*', (route) => {
    requests++;
    return route.fulfill({
      status: 429,
      json: { code: 'rate_limited', message: 'Too many requests.', request_id: 'r1', retry_after_ms: 60_000 },
    });
  });
  await page.goto('/');
  await page.locator('.hands button:enabled').first().click();
  await page.locator('.error-notice[data-level="wait"]').waitFor();
  expect(requests).toBe(1);
});

test.each([
  ['key', desktop],
  ['touch', phone],
] as const)(
  'a countdown precedes the result, and a %s skips it without another effect',
  async (way, device) => {
    const page = await tab(await visitor(device), 'about:blank');
    await page.clock.install();
    await page.goto('/');
    await page.locator('.hands button:enabled').first().waitFor();
    await page.clock.pauseAt(Date.now() + 60_000);
    const posts: string[] = [];
    page.on(
      'request',
      (request) => request.method() === 'POST' && posts.push(new URL(request.url()).pathname),
    );
    const answer = page.waitForResponse((response) => response.url().endsWith('/api/runs'));
    const rock = page.locator('.hands button').first();
    await (way === 'key' ? page.keyboard.press('r') : rock.tap());
    await page.getByTestId('verdict').getByText('Rock').waitFor();
    // The request does not wait for the countdown.
    await answer;
    await page.clock.runFor(360);
    await page.getByTestId('verdict').getByText('Scissors').waitFor();
    expect(await throwsOf(page)).toBe(0);
    await (way === 'key' ? page.keyboard.press('p') : rock.tap());
    await page.locator('.table[data-throws="1"]').waitFor();
    expect(posts.filter((path) => path.endsWith('/throw'))).toEqual([]);
    expect(await throwsOf(page)).toBe(1);
  },
);

test('with reduced motion there is no countdown', async () => {
  const page = await tab(await visitor(), 'about:blank');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.clock.install();
  await page.goto('/');
  await page.locator('.hands button:enabled').first().waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.keyboard.press('r');
  await page.locator('.table[data-throws="1"]').waitFor();
});

test('the hashes unfold on demand, and stay so after a reload', async () => {
  const page = await tab(await visitor());
  await throwHand(page, 'keys');
  const check = page.getByTestId('seed-check');
  await check.getByText('Checked: the house was fair').waitFor();
  expect(await page.getByTestId('fingerprint').isVisible()).toBe(false);
  await check.locator('summary').click();
  await page.getByTestId('fingerprint').getByRole('button', { name: 'Copy the fingerprint' }).waitFor();
  await page.getByRole('button', { name: 'Copy the seed 1' }).waitFor();
  await page.reload();
  await page.getByTestId('fingerprint').getByRole('button').waitFor();
});

test('an achievement is reported once, with a link', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  const toast = page.getByTestId('toast').filter({ hasText: 'Unlocked: ' }).first();
  await toast.waitFor();
  await toast.getByRole('link').click();
  await page.getByRole('heading', { name: 'Achievements', level: 1 }).waitFor();
});

test('a claimed token of the highest tier stops the page until the player continues', async () => {
  const page = await tab(await visitor());
  await page.route('**/claim', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { run: { claimable_tier: object } };
    body.run.claimable_tier = { tier: 16, material: 'Stardust', value: 3145728 };
    await route.fulfill({ response, json: body });
  });
  await playToClaim(page);
  const dialog = page.getByRole('dialog', { name: 'Stardust claimed' });
  await dialog.waitFor();
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.waitFor({ state: 'detached' });
  await until(page, 'ended');
});

test('a phone shows the next steps above the hands, and every button above the bottom bar', async () => {
  for (const size of [phone, { ...phone, width: 320, height: 700 }]) {
    const page = await tab(await visitor(size));
    await playToWin(page, 'touch');
    await page.evaluate(() => {
      window.scrollTo(0, 0);
    });
    const bottom = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0);
    };
    expect(await page.locator('.rungs').textContent()).toMatch(/cleared.*1 in 2.*1 in 4/s);
    expect(await bottom('.rungs')).toBeLessThan(await bottom('.hands[role="group"]'));
    const bar = await page.getByRole('navigation', { name: 'Main, bottom bar' }).boundingBox();
    expect(await bottom('.choice')).toBeLessThan(bar?.y ?? 0);
    await page.context().close();
  }
});

test('client seed and entropy are part of the run', async () => {
  const page = await tab(await visitor());
  await page.locator('.setup summary').click();
  await page.getByLabel('Your seed').fill('grüße, rook ♜');
  await page.getByLabel('Entropy for the next throw (optional)').fill('abracadabra');
  await page.locator('.setup summary').click();
  await page.locator('h1').click();
  await throwHand(page, 'mouse');
  await page.getByRole('link', { name: 'Receipt of this run' }).click();
  await page.getByText('grüße, rook ♜').waitFor();
  await page.getByText('with “abracadabra”').waitFor();
});

test.each([desktop, phone])(
  'every throw has a fresh text, which a reload between storing and sending does not change',
  async (device) => {
    const context = await visitor(device);
    await injectAxe(context);
    const page = await tab(context);
    const way = device.touch ? 'touch' : 'keys';
    const sent: { client_seed?: string; entropy: string }[] = [];
    let lost = true;
    // The request is lost after the page has stored its texts; the second one arrives.
    await page.route(/\/api\/runs(\/[^/]+\/throw)?$/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent.push(route.request().postDataJSON() as (typeof sent)[number]);
      return lost ? route.abort() : route.continue();
    });
    for (const n of [1, 2, 3]) {
      lost = true;
      const before = sent.length;
      await press(page, way, 'R');
      // The page sends a request without an answer again, and a third time a second later if no reload is before that.
      await expect.poll(() => sent.length).toBeGreaterThanOrEqual(before + 2);
      await page.reload();
      await page.locator('.table[data-settled="true"]').waitFor();
      await page.locator('.setup summary').click();
      await page.getByTestId('texts-fixed').waitFor();
      if (n === 1) await checkAppearance(page, 'texts-fixed');
      expect(await page.getByLabel('Entropy for the next throw (optional)').inputValue()).toBe(
        sent[before]?.entropy,
      );
      await page.locator('.setup summary').click();
      lost = false;
      await throwHand(page, way);
      const texts = sent.slice(before).map(({ client_seed, entropy }) => [client_seed, entropy]);
      expect(texts.length).toBeGreaterThanOrEqual(3);
      expect(texts).toEqual(texts.map(() => [sent[before]?.client_seed, sent[before]?.entropy]));
      if ((await phase(page)) === 'deciding') {
        await press(page, way, 'G');
        await until(page, 'active');
      }
      if ((await phase(page)) === 'ended') {
        await press(page, way, 'Enter');
        await until(page, 'idle');
      }
    }
    expect(new Set(sent.map(({ entropy }) => entropy)).size).toBe(3);
    for (const { entropy } of sent) expect(entropy).toMatch(/^[0-9a-f]{16}$/);
    expect(await page.locator('[data-fault]').count()).toBe(0);
  },
);

test('a run is abandoned after a confirmation', async () => {
  const page = await tab(await visitor());
  await playToWin(page);
  await press(page, 'keys', 'G');
  await until(page, 'active');
  await page.locator('.setup summary').click();
  await page.getByRole('button', { name: 'Abandon run' }).click();
  await page.getByRole('button', { name: 'Keep playing' }).click();
  await page.getByRole('button', { name: 'Abandon run' }).click();
  await page.getByRole('button', { name: 'Yes, abandon' }).click();
  await until(page, 'ended');
  expect(await page.locator('.ending h2').textContent()).toBe('Abandoned');
});

test('a player without coins sees the reason and collects coins', async () => {
  const context = await visitor();
  const guest = (await (await context.request.post('/api/guest')).json()) as { csrf_token: string };
  const headers = { 'X-CSRF-Token': guest.csrf_token, Origin: base };
  for (const entry of [...Array<string>(3).fill('free'), ...Array<string>(20).fill('fee')]) {
    const started = await context.request.post('/api/runs', { headers, data: { entry } });
    const { run } = (await started.json()) as { run: { id: string } };
    await context.request.post(`/api/runs/${run.id}/abandon`, { headers });
  }
  const page = await tab(context);
  await page.getByText('You cannot start a run right now').waitFor();
  await page.getByRole('button', { name: 'Collect 200 bound coins' }).click();
  await page.locator('.hands').waitFor();
  expect(await page.getByTestId('balance').textContent()).toMatch(/200/);
  await page.goto('/account');
  expect(
    await page
      .getByRole('button', { name: /200 bound coins in 3 h 5\d min|200 bound coins in 4 h/ })
      .isDisabled(),
  ).toBe(true);
});
