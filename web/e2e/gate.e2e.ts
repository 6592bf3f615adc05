// The browser tests of the gate: one journey for each section of the page, in one browser against one service. The
// other files run at night.

import { readFile } from 'node:fs/promises';
import type { BrowserContext, Locator, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { makeBot, playRanked } from './bots.ts';
import { base, desktop, guest, phone, tab, visitor } from './browser.ts';
import { join, open, pair, ready, round } from './duel.ts';
import { mailed } from './mails.ts';
import { balance, fill, newName, password, register, winner } from './players.ts';
import { drop, verdict } from './proofs.ts';
import { phase, playToClaim, press, throwHand, throwsOf, until } from './game.ts';

interface RunLinks {
  commit_tx: string;
  start_tx: string;
  end_tx: string;
  account: string;
  token_id: number;
}

async function json<T>(context: BrowserContext, address: string): Promise<T> {
  return (await (await context.request.get(address)).json()) as T;
}

/** A bounding box on the screen. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

function noBox(): never {
  throw new Error('the element has no bounding box');
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

test('play: a new visitor throws with the first key, without a form, and claims a token', async () => {
  const page = await tab(await visitor());
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await throwHand(page, 'keys');
  const posts = sent.filter((call) => call.startsWith('POST'));
  expect(posts.map((call) => call.replace(/\/runs\/[^/]+/, '/runs/…'))).toEqual([
    'POST /api/guest',
    'POST /api/runs',
  ]);
  expect(await page.getByTestId('verdict').textContent()).toMatch(/You win|You lose|Tie/);
  expect(await page.getByTestId('balance').textContent()).toMatch(/1,000/);
  await page.getByTestId('seed-check').locator('summary').click();
  expect(await page.getByTestId('seed-check').innerText()).toMatch(
    /hashes to .* the fingerprint on the envelope/s,
  );
  await page.locator('.act').focus(); // on the summary, Enter would fold the hashes
  await playToClaim(page, 'keys');
  expect(await page.locator('.ending h2').textContent()).toMatch(/^\w+ claimed$/);
  await page.locator('.ending a[href^="/token/"]').click();
  await page.getByRole('heading', { name: /#\d+/ }).waitFor();
  await page.getByRole('link', { name: 'Won', exact: true }).waitFor();
});

test('play: a first visit needs at most 12 requests, and three API responses, before the first throw', async () => {
  const page = await (await visitor()).newPage();
  // A paused clock excludes delayed prefetches from the first load on any machine. A test of package web counts bytes.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto('/');
  await page.locator('.hands button:enabled').first().waitFor();
  expect(requests.filter((url) => url.includes('/api/')).length, requests.join('\n')).toBeLessThanOrEqual(3);
  expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(12);
});

test.each([
  ['mouse', desktop],
  ['touch', phone],
] as const)('play: a double press on a hand (%s), or Enter, never risks a tier', async (way, device) => {
  const context = await visitor(device);
  // The test controls the page's clock.
  await context.clock.install();
  await context.clock.pauseAt(Date.now() + 60_000);
  const page = await tab(context);
  const hands = page.locator('.hands button');
  const tap = async (at: Box) => {
    const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
    await (way === 'mouse' ? page.mouse.click(x, y) : page.touchscreen.tap(x, y));
  };
  const boxes = async (of: Locator): Promise<Box[]> =>
    Promise.all((await of.all()).map(async (one) => (await one.boundingBox()) ?? noBox()));
  let before: Box[];
  for (;;) {
    await page.locator('.hands button:enabled:not([aria-disabled])').first().waitFor();
    await hands.first().scrollIntoViewIfNeeded();
    before = await boxes(hands);
    const throws = await throwsOf(page);
    await tap(before[0] ?? noBox());
    // The page repeats an early throw by its clock, so the clock advances in small steps.
    const thrown = async () => {
      await page.clock.runFor(80);
      return throwsOf(page);
    };
    await expect.poll(thrown).toBe(throws + 1);
    if ((await phase(page)) === 'deciding') break;
    // A second tap at once. After a loss it has no effect; after a tie it would be the next throw.
    const lost = (await phase(page)) === 'ended';
    if (lost) await tap(before[0] ?? noBox());
    await page.clock.runFor(600);
    if (!lost) continue;
    expect(await phase(page)).toBe('ended');
    await press(page, 'keys', 'Enter');
    await until(page, 'idle');
  }
  // The buttons that claim and risk never overlap the hands.
  const choices = page.locator('.choice button');
  for (const choice of await boxes(choices))
    for (const hand of before) expect(overlap(choice, hand), JSON.stringify({ choice, hand })).toBe(false);
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
  for (const hand of before) await tap(hand);
  // For 600 ms the page ignores all input.
  for (const choice of await boxes(choices)) await tap(choice);
  for (const key of ['r', 'c', 'g', 'Enter']) await page.keyboard.press(key);
  await page.clock.runFor(500);
  for (const choice of await boxes(choices)) await tap(choice);
  for (const key of ['c', 'g', 'Enter']) await page.keyboard.press(key);
  expect([await phase(page), sent]).toEqual(['deciding', []]);
  await page.clock.runFor(100);
  // Enter on the risk button has no effect; elsewhere it claims.
  await page.locator('.choice [aria-keyshortcuts="G"]').focus();
  await page.keyboard.press('Enter');
  expect([await phase(page), sent]).toEqual(['deciding', []]);
  await page.locator('.act').focus();
  await page.keyboard.press('Enter');
  await until(page, 'ended');
  expect(sent.map((url) => new URL(url).pathname.replace(/\/runs\/[^/]+/, '/runs/…'))).toEqual([
    '/api/runs/…/claim',
  ]);
});

test('duels: two players join by a link, play for a stake, with a tie, and verify the duel', async () => {
  const [a, b] = await pair(100);
  await expect.poll(() => balance(a)).toBe(900);
  await round(a, b, 'rr', 1);
  await a.getByTestId('verdict').getByText('Tie').waitFor();
  for (const [i, keys] of ['rs', 'pr', 'sp'].entries()) await round(a, b, keys, i + 2);
  await a.getByRole('heading', { name: 'You won the duel' }).first().waitFor();
  await b.getByRole('heading', { name: 'You lost the duel' }).first().waitFor();
  await a.getByTestId('score').getByText('3 to 0').waitFor({ state: 'attached' });
  expect(await b.getByTestId('score').textContent()).toContain('0 to 3');
  await expect.poll(() => balance(a)).toBe(1100);
  await expect.poll(() => balance(b)).toBe(900);
  // Finished duels leave no stored hands.
  expect(await a.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('hand/')))).toEqual(
    [],
  );
  await b.getByRole('button', { name: 'Verify', exact: true }).click();
  await b.locator('[data-valid="true"]').waitFor();
  await b.locator('li[data-check="payout"][data-result="pass"]').waitFor({ state: 'attached' });
  for (const page of [a, b]) expect(await page.locator('.error-notice').count()).toBe(0);
});

test('arena: bots are ranked, and each has a page with rating, opponents and replays', async () => {
  const [one, two] = [await makeBot(await visitor(), 'paper_kea'), await makeBot(await visitor(), 'rocky')];
  let last = '';
  for (let i = 0; i < 3; i++) last = i === 1 ? await playRanked(two, one) : await playRanked(one, two);

  const page = await tab(await visitor(), '/arena');
  const rows = page.getByRole('region', { name: 'Ratings' }).locator('tbody tr');
  await rows.filter({ hasText: 'rocky' }).waitFor();
  // Bots of other tests may be in the list.
  const names = (await rows.allInnerTexts()).join('\n');
  expect(names.indexOf('paper_kea')).toBeLessThan(names.indexOf('rocky'));
  await rows.getByRole('link', { name: 'paper_kea' }).click();
  await page.getByRole('heading', { name: 'paper_kea' }).waitFor();
  await page
    .getByRole('img', { name: /Rating over 3 duels: from/ })
    .locator('canvas')
    .first()
    .waitFor();
  await page.locator(`a[href="/d/${last}"]`).waitFor();
  await page.getByRole('link', { name: 'rocky' }).first().click();
  await page.getByRole('heading', { name: 'rocky' }).waitFor();
  await page.locator(`a[href="/d/${last}"]`).click();
  await page.getByTestId('replay-step').getByText('Round 3 of 3, revealed').waitFor();
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.locator('[data-valid="true"]').waitFor();
});

test('market: a token is listed, found, bought, and shows its ownership history', async () => {
  const [seller, token] = await winner();
  const had = await balance(seller); // winning a token may have cost entry fees
  await seller.goto(`/token/${token}`);
  await seller.getByLabel('Price').fill('120');
  await seller.getByText('You receive 117; the fee of 3 is destroyed.').waitFor();
  await seller.getByRole('button', { name: 'List for sale' }).click();
  await seller.getByRole('button', { name: 'Cancel listing' }).waitFor();

  const buyer = await tab(await guest(), '/market');
  await buyer.getByLabel('Sort by').selectOption('newest');
  const card = buyer.locator('li[data-listing]', { hasText: `#${token}` });
  await card.waitFor();
  expect(buyer.url()).toContain('sort=newest');
  await card.getByRole('button', { name: 'Buy' }).click();
  await card.getByRole('button', { name: 'Cancel' }).click();
  await card.getByRole('button', { name: 'Buy' }).click();
  await card.getByRole('button', { name: 'Buy for 120' }).click();
  await card.waitFor({ state: 'detached' });
  await expect.poll(() => balance(buyer)).toBe(880);

  await buyer.goto(`/token/${token}`);
  await buyer.getByRole('heading', { name: 'Sell your token' }).waitFor();
  await buyer.getByRole('link', { name: 'Bought', exact: true }).waitFor();
  await buyer.getByRole('link', { name: 'Won', exact: true }).waitFor();
  await seller.reload();
  await expect.poll(() => balance(seller)).toBe(had + 117);
});

test('portfolio: the house buys a token, and its page shows the sale at once', async () => {
  const [page, token] = await winner();
  await page.goto('/portfolio');
  const row = page.locator(`li[data-token="${token}"]`);
  await row.getByRole('button', { name: 'Sell' }).click();
  await row.getByRole('button', { name: 'Get an offer from the house' }).click();
  await row.getByText('Expires in').waitFor();
  await row.getByRole('button', { name: 'Decline' }).click();
  await row.getByRole('button', { name: 'Get an offer from the house' }).click();
  await row.getByRole('button', { name: 'Decline' }).click();

  // The token's page shows the sale without a reload, both pending and in a block.
  await page.goto(`/token/${token}`);
  await page.getByRole('button', { name: 'Get an offer from the house' }).click();
  const before = await balance(page);
  const answer = page.waitForResponse('**/api/buyback/*/respond');
  // The page asks while the sale is pending, and gets that answer only when it shows the block of the sale.
  await expect.poll(() => page.getByText('pending').count()).toBe(0);
  const late: Promise<void>[] = [];
  const hold = async (route: Route) => {
    const response = await route.fetch();
    const { tx_hash } = (await (await answer).json()) as { tx_hash: string };
    const sealed = async () =>
      (await json<{ transaction: { height: number | null } }>(page.context(), `/api/chain/tx/${tx_hash}`))
        .transaction.height;
    await expect.poll(sealed).not.toBeNull();
    const shown = async () => Number((await page.locator('.tip .number').innerText()).replaceAll(/\D/g, ''));
    await expect.poll(shown).toBeGreaterThanOrEqual((await sealed()) ?? Infinity);
    await route.fulfill({ response });
  };
  await page.route(`**/api/chain/token/${token}`, (route) => void late.push(hold(route)), { times: 1 });
  await page.getByRole('button', { name: /^Sell for/ }).click();
  const { offer, tx_hash } = (await (await answer).json()) as { offer: { price: number }; tx_hash: string };
  const end = page.locator('[data-end="bought_back"]');
  await end.locator(`a[href="/tx/${tx_hash}"]`, { hasText: 'Bought back' }).waitFor();
  expect(await end.innerText()).toMatch(new RegExp(`by the house\\s+for\\s+${offer.price}`));
  await page.getByText('none, bought back by the house').waitFor();
  await Promise.all(late);
  expect(late).toHaveLength(1);
  await end.getByText('pending').waitFor({ state: 'detached' });
  expect(await balance(page)).toBe(before + offer.price);
  await page.goto('/portfolio');
  await page.getByText('No tokens yet.').waitFor();
  expect(await row.count()).toBe(0);
});

test('rankings: a new visitor can read all boards, season, achievements and feed', async () => {
  const page = await tab(await visitor(), '/leaderboard');
  for (const board of ['This week', 'Today', 'Teams', 'Duels', 'Bots', 'All time']) {
    await page.getByRole('button', { name: board, exact: true }).click();
    await page.getByRole('region', { name: board }).locator('table, p').first().waitFor();
  }
  await page.goto('/season');
  await page.getByText(/days? left/).waitFor();
  await page.goto('/achievements');
  await page.getByText(/^0 of \d+ unlocked/).waitFor();
  await page.goto('/feed');
  await page.getByRole('region', { name: 'Recent events' }).waitFor();
  expect(await page.locator('.error-notice').count()).toBe(0);
});

test('chain: block, transaction, address and token link to each other, and the browser verifies them', async () => {
  const context = await visitor();
  const page = await tab(context);
  const id = await playToClaim(page);
  const { run } = await json<{ run: RunLinks }>(context, `/api/runs/${id}`);

  await page.goto(`/tx/${run.end_tx}`);
  await page.getByText('Your browser verified this').waitFor();
  await page.getByRole('link', { name: /^block / }).click();
  await page.getByRole('heading', { name: /^Block / }).waitFor();
  await page.getByText('Your browser verified this').waitFor();
  const height = Number(/\d+$/.exec(page.url())?.[0]);
  const { block } = await json<{ block: { hash: string } }>(context, `/api/chain/blocks/${height}`);

  await page.goto(`/block/${block.hash}`);
  await page.getByRole('heading', { name: `Block ${height}` }).waitFor();
  await page.getByRole('link', { name: `Previous block: ${height - 1}`, exact: true }).click();
  await page.getByRole('heading', { name: `Block ${height - 1}` }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: `Block ${height}` }).waitFor();

  await page.goto(`/address/${run.account}`);
  await page.getByRole('heading', { name: 'Your address' }).waitFor();
  await page.getByRole('link', { name: 'New account' }).waitFor();
  await page.locator(`a[href="/token/${run.token_id}"]`).first().click();
  await page.getByRole('img', { name: `token ${run.token_id}` }).waitFor();
  await page.getByRole('link', { name: 'Receipt of the run' }).click();
  await page.getByRole('heading', { name: /claimed/ }).waitFor();
});

test('verify: a downloaded proof verifies offline, and a tampered one fails with the name of the check', async () => {
  const page = await tab(await visitor());
  const run = await playToClaim(page);
  await page.goto(`/r/${run}`);
  // Until the run's end is in a block its proof is pending, which a required key refuses.
  await expect
    .poll(async () => {
      const response = await page.request.get(`${new URL(page.url()).origin}/api/runs/${run}/proof`);
      return ((await response.json()) as { end: { height: number | null } | null }).end?.height ?? null;
    })
    .not.toBeNull();
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'proof.json' }).click();
  const file = await (await saving).path();
  const proof = await readFile(file, 'utf8');

  await page.getByRole('link', { name: 'offline' }).click();
  await page.getByRole('heading', { name: 'Verify a proof' }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.context().setOffline(true);
  await page
    .locator('.drop input[type=file]')
    .setInputFiles({ name: 'proof.json', mimeType: 'application/json', buffer: Buffer.from(proof) });
  // The page sends entropy with each throw: the moves follow from it, and only the player knows the text that
  // was sent.
  expect(await verdict(page)).toMatchObject({ valid: true, results: { seeds: 'pass', moves: 'note' } });

  const tampered: [string, string, (text: string) => string][] = [
    [
      'seeds',
      'a seed',
      (text) =>
        text.replace(
          /(seed\\":\\")([0-9a-f])/,
          (_, before: string, digit: string) => before + (digit === '0' ? '1' : '0'),
        ),
    ],
    ['outcomes', 'an outcome', (text) => text.replace('outcome\\":\\"win', 'outcome\\":\\"tie')],
    [
      'cleared',
      'the steps',
      (text) => text.replace(/"cleared":(\d+)/, (_, n: string) => `"cleared":${Number(n) + 1}`),
    ],
    ['format', 'half of the file', (text) => text.slice(0, text.length / 2)],
    ['format', 'everything', () => 'hello'],
  ];
  for (const [check, what, change] of tampered) {
    const changed = change(proof);
    expect(changed, what).not.toBe(proof);
    await drop(page, changed);
    await page.locator(`li[data-check="${check}"][data-result="fail"]`).waitFor();
    expect((await verdict(page)).valid, what).toBe(false);
  }

  await drop(page, proof);
  await page.locator('[data-valid="true"]').waitFor();
  await page.locator('.key summary').click();
  await page.getByLabel('Required verifier key').fill('other+6daf5554+AVlG2PtQSr5IP5Zn');
  await page.getByLabel('Required verifier key').blur();
  await page.locator('li[data-check="checkpoint"][data-result="fail"]').waitFor();
  await page.context().setOffline(false);
});

test('developers: a key and a bot are created, shown once, used and revoked', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  await page.goto('/developers');
  await page.getByLabel('Label').fill('laptop');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = await page.getByTestId('secret').innerText();
  const call = (secret: string): Promise<Response> =>
    fetch(`${base}/api/me`, { headers: { Authorization: `Bearer ${secret}` } });
  expect((await call(key)).status).toBe(200);
  await page.getByRole('region', { name: 'Python' }).getByText(key).waitFor();

  await page.getByLabel('Name').fill(newName().replace('player', 'bot'));
  await page.getByRole('button', { name: 'Create bot' }).click();
  await page.getByText('Key for bot_').waitFor();
  const bot = await page.getByTestId('secret').nth(1).innerText();
  expect((await call(bot)).status).toBe(200);

  await page.reload();
  await page.getByText('laptop').waitFor();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Yes, revoke' }).click();
  await page.getByText('laptop').waitFor({ state: 'detached' });
  expect((await call(key)).status).toBe(401);
  await page.getByRole('button', { name: 'Rotate key' }).click();
  await page.getByRole('button', { name: 'Yes, revoke the old key' }).click();
  await page.getByTestId('secret').waitFor();
  expect((await call(bot)).status).toBe(401);
  expect((await call(await page.getByTestId('secret').innerText())).status).toBe(200);
});

test('API reference: found, linked, and tried with a key of one’s own', async () => {
  const context = await visitor();
  const page = await tab(context);
  await playToClaim(page);
  const { csrf_token } = await json<{ csrf_token: string }>(context, '/api/me');
  const made = await context.request.post('/api/keys', {
    headers: { 'X-CSRF-Token': csrf_token, Origin: base },
    data: { label: 'reference' },
  });
  const { secret } = (await made.json()) as { secret: string };
  await page.goto('/developers');
  await page.getByRole('link', { name: 'interactive documentation' }).click();
  await page.getByRole('heading', { name: 'API', level: 1 }).waitFor();
  expect(await page.title()).toBe('API · Roshambo');
  await page.getByLabel('Find a call').fill('get /api/me');
  const card = page.locator('details#getMe');
  await card.locator('summary').first().click();
  await card.getByRole('button', { name: 'Try it' }).click();
  // Without a key the call is anonymous, also in a browser with a session.
  await card.getByRole('button', { name: 'Send' }).click();
  await card.getByTestId('try-status').getByText('401').waitFor();
  await page.getByLabel('Your key').fill(secret);
  await card.getByRole('button', { name: 'Send' }).click();
  await card.getByTestId('try-status').getByText('200').waitFor();
  const answer = await card.getByRole('region', { name: 'Answer of getMe' }).innerText();
  expect(JSON.parse(answer)).toMatchObject({ account: { kind: 'guest' } });
  expect(await card.innerText()).not.toContain(secret);
  // A link to one call opens it.
  await page.goto('/api/docs#throw');
  await page.locator('details#throw').getByRole('heading', { name: 'Body' }).waitFor();
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'Developers' }).click();
  await page.getByRole('heading', { name: 'Developers', level: 1 }).waitFor();
});

test('account: a registered guest keeps everything, also after signing out and in', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  await page.goto('/account');
  const balance = await page.getByTestId('balance').innerText();
  const name = await register(page);
  await page.locator('a[href^="/token/"]').first().waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: `You were ${name}` }).waitFor();
  await fill(page, name.toUpperCase());
  await page.getByLabel('Password').fill('wrong horse');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText(/username or password/i).waitFor();
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  expect(await page.getByTestId('balance').innerText()).toBe(balance);
  await page.locator('a[href^="/token/"]').first().waitFor();
});

test('account forms: password, email addresses, export and deletion', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  await page.goto('/account');
  await page.getByLabel('Password').fill('Qwertyuiop');
  await page.getByText('10,000 most common passwords').waitFor();
  const name = await register(page);
  await page.getByText('10,000 most common passwords').waitFor({ state: 'detached' });

  // Within 10 minutes of registering, no form asks for the current password.
  await page.getByLabel('New password').fill('battery staple');
  expect(await page.getByLabel('Current password').count()).toBe(0);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect.poll(() => page.getByLabel('New password').inputValue()).toBe('');

  const address = `${name}@example.org`;
  await page.getByLabel('Add an email address').fill(address);
  await page.getByRole('button', { name: 'Send confirmation link' }).click();
  await page.getByText('This service has no mail server').waitFor();
  await page.goto(await mailed(address));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  const remove = page.getByRole('button', { name: `Remove ${address}` });
  await remove.waitFor();

  const file = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export my data' }).click();
  expect(await readFile(await (await file).path(), 'utf8')).toContain(address);
  await remove.click();
  await remove.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Delete my account' }).click();
  await page.getByRole('button', { name: 'Yes, delete this account' }).click();
  await page.getByRole('heading', { name: 'No account yet' }).waitFor();
  await fill(page, name);
  await page.getByLabel('Password').fill('battery staple');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Username or password is wrong').waitFor();
});

test('duel: two friends by a private link, to the end, a rematch with swapped sides, and a resignation', async () => {
  const [a, b] = [await tab(await guest(desktop), '/duels'), await tab(await guest(phone), '/duels')];
  const link = await open(a, 20);
  await a.getByTestId('local-link').waitFor(); // a phone cannot open the address of the test
  await b.goto('/duels');
  await b.getByText('No open challenges').waitFor(); // the invitation is private
  await join(b, link);
  await a.locator(ready).waitFor();
  for (const page of [a, b]) await page.getByTestId('presence').getByText('is here').waitFor();
  for (let n = 1; n <= 3; n++) await round(a, b, 'rs', n);
  await a.locator('.table[data-status="finished"][data-settled="true"]').waitFor();
  await b.locator('.table[data-status="finished"][data-settled="true"]').waitFor();
  await b.getByRole('button', { name: /^Rematch/ }).tap();
  // The answer to the acceptance arrives when the event has already led to the new duel.
  const next = (url: URL): boolean => url.href !== link;
  await a.route('**/rematch', async (route) => {
    const response = await route.fetch({ timeout: 0 });
    await a.waitForURL(next);
    await route.fulfill({ response });
  });
  const accepted = a.waitForResponse('**/rematch');
  await a.getByRole('button', { name: /^Accept rematch/ }).click();
  await accepted;
  for (const page of [a, b]) {
    await page.waitForURL(next);
    await page.locator(ready).waitFor();
  }
  expect(a.url()).toBe(b.url());
  const code = a.url().slice(-8);
  const { duel } = await json<{ duel: { you: string; stake: number } }>(b.context(), `/api/duels/${code}`);
  expect(duel).toMatchObject({ you: 'a', stake: 20 });

  // Elsewhere the header and the title say whose turn it is.
  await a.getByRole('link', { name: 'Market' }).first().click();
  await a.getByTestId('your-turn').waitFor();
  expect(await a.title()).toMatch(/^● Your turn · /);
  await a.getByTestId('your-turn').click();
  await a.locator(ready).waitFor();
  expect(await a.title()).not.toMatch(/Your turn/);

  // A double tap neither resigns nor loses the way back; the second button does, after its pause.
  await b.getByRole('button', { name: 'Resign…' }).dblclick();
  expect(await b.locator('.table').getAttribute('data-status')).toBe('active');
  await b
    .locator('.resign[data-settled="true"]')
    .getByRole('button', { name: 'Resign', exact: true })
    .click();
  await a.getByRole('heading', { name: 'Your opponent resigned' }).waitFor();
  await b.getByRole('heading', { name: 'You resigned' }).waitFor();
  await b.close();
  await a.getByTestId('presence').getByText(/left/).waitFor();
});
