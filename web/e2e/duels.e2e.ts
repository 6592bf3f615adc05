import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { base, desktop, guest, phone, tab, visitor } from './browser.ts';
import { open, pair, press, ready, round, seal, see, type Round } from './duel.ts';

test('a reload between commit and reveal loses nothing: the page reveals the hand', async () => {
  const [a, b] = await pair();
  await seal(a, 'p');
  await a.getByText(/You sealed: paper/i).waitFor();
  await a.reload();
  await a.getByText(/You sealed: paper/i).waitFor();
  await a.goto('/');
  await seal(b, 'r');
  // The hand stays sealed while its page is closed. Reopening the page reveals it.
  await b
    .getByText(/Revealed\. Waiting|Time to reveal/)
    .first()
    .waitFor();
  expect((await see(b)).rounds[0]?.move_a).toBeNull();
  await a.goBack();
  await a.locator('[data-testid="round-check"][data-holds="true"]').waitFor();
  await a.getByTestId('verdict').getByText('You win').waitFor();
  await b.getByTestId('verdict').getByText('You lose').waitFor();
});

// The failure may precede the duel's progress or follow it: for no attempt, or for one of the ten.
test.each([0, 1, 2, 10])('a lost response to a commit causes no error (late: %i)', async (late) => {
  const [a, b] = await pair();
  await seal(a, 'r');
  let lost = 0;
  const decided = b.locator('.table[data-round="1"] [data-testid="round-check"][data-holds="true"]');
  await b.route('**/commit', async (route) => {
    lost++;
    await route.fetch();
    if (lost === late) await decided.waitFor(); // the failure follows the progress
    await route.abort('connectionreset');
  });
  await press(b, 'p', 'keys');
  await decided.waitFor();
  await b.locator('.table[data-turn="true"] .hands button:enabled').first().waitFor();
  expect(lost).toBe(10);
  expect(await b.locator('.error-notice').count()).toBe(0);
  await b.unroute('**/commit');
  await round(a, b, 'rp', 2);
});

test('two tabs of one player: the first sealed hand counts', async () => {
  const [a, b] = await pair();
  const second = await tab(a.context(), a.url());
  await second.locator(ready).waitFor();
  await Promise.all([a.keyboard.press('r'), second.keyboard.press('p')]);
  for (const page of [a, second])
    await page.locator('.table[data-turn="false"] .round-actions', { hasText: /You sealed: \w+/ }).waitFor();
  const mine = /You sealed: (\w+)/.exec((await a.locator('.round-actions').textContent()) ?? '')?.[1];
  expect(await second.locator('.round-actions').textContent()).toContain(`You sealed: ${mine ?? '?'}`);
  await seal(b, 's');
  await a.locator('[data-testid="round-check"][data-holds="true"]').waitFor();
  expect(await a.locator('.error-notice').count()).toBe(0);
});

test('a hand sealed in another browser cannot be revealed here, and the page reports it', async () => {
  const [a, b] = await pair();
  await seal(a, 'r');
  await a.evaluate(() => {
    localStorage.clear();
  });
  await a.reload();
  await seal(b, 's');
  await a.getByText('You sealed this hand in another browser').waitFor();
});

test('spectators see no hand before it is revealed', async () => {
  const [a, b, link] = await pair();
  const watcher = await tab(await visitor(), link);
  await watcher.locator('.table[data-status="active"]').waitFor();
  const responses: string[] = [];
  watcher.on('response', (response) => {
    if (response.url().includes('/api/duels/'))
      void response.text().then(
        (text) => responses.push(text),
        () => undefined,
      );
  });
  await seal(a, 'r');
  await watcher.locator('[data-side="a"][data-state="sealed"]').waitFor();
  const early = (await see(watcher)).rounds[0];
  expect(early).toMatchObject({ commitment_a: null, move_a: null, salt_a: null });
  // The opponent sees no more.
  expect((await see(b)).rounds[0]).toMatchObject({ commitment_a: null, move_a: null, salt_a: null });
  expect(await watcher.locator('.hands').count()).toBe(0);
  await seal(b, 's');
  await watcher.locator('[data-side="a"][data-state="open"]').waitFor();
  await watcher.locator('[data-testid="round-check"][data-holds="true"]').waitFor();
  for (const text of responses) {
    const { duel } = JSON.parse(text) as { duel: { rounds: (Round & { outcome: string })[] } };
    for (const shown of duel.rounds.filter(({ outcome }) => outcome === 'pending'))
      expect(shown).toMatchObject({ move_a: null, move_b: null, salt_a: null, salt_b: null });
  }
});

test.each([
  ['mouse', desktop],
  ['touch', phone],
] as const)('practice against the sparring bot with the %s, to its end', async (way, device) => {
  const page = await tab(await guest(device), '/duels');
  await page.getByRole('button', { name: 'Start practice' }).click();
  await page.waitForURL('**/d/*');
  for (let turn = 0; turn < 60; turn++) {
    await page.locator('.table[data-turn="true"], .table[data-status="finished"]').first().waitFor();
    if ((await page.locator('.table').getAttribute('data-status')) === 'finished') break;
    await seal(page, 'RPS'.charAt(turn % 3), way);
  }
  await page.getByRole('button', { name: 'Practise again' }).waitFor();
});

test.each([
  ['mouse', desktop],
  ['touch', phone],
] as const)('a double press (%s) never seals the next hand, nor starts another duel', async (way, device) => {
  const context = await guest(device);
  const page = await tab(context, '/duels');
  await page.getByRole('button', { name: 'Start practice' }).click();
  await page.waitForURL('**/d/*');
  // The test controls the page's clock.
  await page.clock.install();
  await page.reload();
  await page.locator(ready).waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  const commits: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && !request.url().endsWith('/reveal')) commits.push(request.url());
  });
  const table = page.locator('.table');
  for (let n = 1; (await table.getAttribute('data-status')) === 'active'; n++) {
    await page.clock.runFor(600);
    await page.locator(ready).waitFor();
    const box = await page.locator('.hands button').first().boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    const tap = () => (way === 'mouse' ? page.mouse.click(x, y) : page.touchscreen.tap(x, y));
    await tap();
    // The sparring bot answers at once: the hands of the next round appear in the same place.
    await page
      .locator('.table[data-turn="true"][data-settled="false"], .table[data-status="finished"]')
      .first()
      .waitFor();
    await tap();
    await page.keyboard.press('p');
    await page.keyboard.press('Enter');
    await page.clock.runFor(300);
    await tap();
    expect(commits).toHaveLength(n);
  }
  await page.getByRole('button', { name: 'Practise again' }).waitFor();
});

test('a finished duel is replayed and verified, and its downloaded proof verifies on the page for proofs', async () => {
  const [a, b, link] = await pair(10);
  for (const [i, keys] of ['rs', 'rp', 'ss', 'rs', 'rs'].entries()) await round(a, b, keys, i + 1);
  const page = await tab(await visitor(), link);
  await page.getByTestId('replay-step').getByText('Round 5 of 5, revealed').waitFor();
  await page.locator('li[data-round="1"] button').click();
  await page.getByTestId('replay-step').getByText('Round 1 of 5, revealed').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.getByTestId('replay-step').getByText('Round 1 of 5, sealed').waitFor();
  await page.locator('[data-side="a"][data-state="sealed"]').waitFor();
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
  await page.getByTestId('replay-step').getByText('Round 2 of 5, revealed').waitFor();
  await page.getByTestId('verdict').getByText('Same hand').waitFor({ state: 'detached' });
  await page.locator('[data-testid="round-check"][data-holds="true"]').waitFor();
  await page.getByRole('button', { name: 'Play replay' }).click();
  await page.getByTestId('replay-step').getByText('Round 3 of 5').waitFor();

  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.locator('[data-valid="true"]').waitFor();
  await page.locator('li[data-check="payout"][data-result="pass"]').waitFor({ state: 'attached' });
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'proof.json' }).click();
  const proof = await readFile(await (await saving).path(), 'utf8');

  await page.goto('/verify');
  const upload = (text: string): Promise<void> =>
    page
      .locator('.drop input[type=file]')
      .setInputFiles({ name: 'duel.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await upload(proof);
  await page.locator('[data-valid="true"]').waitFor();
  await page.locator(`a[href="${link.slice(base.length)}"]`).waitFor();
  await upload(proof.replace('move_a\\":\\"rock', 'move_a\\":\\"paper'));
  await page.locator('li[data-check="commitments"][data-result="fail"]').waitFor();
});

test('an open duel is in the lobby, opens by its code, and is cancelled by its creator', async () => {
  const a = await tab(await guest());
  const link = await open(a, 0, true);
  const code = link.slice(-8);
  // Wait before the click, as the confirmation is visible only briefly.
  const copied = a.getByRole('button', { name: 'Copied' }).waitFor();
  await Promise.all([copied, a.getByRole('button', { name: 'Copy link' }).click()]);
  expect(await a.evaluate(() => navigator.clipboard.readText())).toBe(link);

  const b = await tab(await visitor(), '/duels');
  const row = b.getByRole('region', { name: 'Open challenges' }).locator(`a[href="/d/${code}"]`);
  await row.waitFor();
  await b.getByLabel('Code or link').fill(code.toLowerCase());
  await b.getByRole('button', { name: 'Open duel' }).click();
  await b.getByRole('button', { name: 'Join duel' }).waitFor();
  await a.getByRole('button', { name: 'Cancel duel' }).click();
  await a.getByRole('heading', { name: 'Cancelled' }).first().waitFor();
  // Other visitors see it, too, without an error.
  await b.getByRole('heading', { name: 'Cancelled' }).first().waitFor();
  await b.goto('/duels');
  await b.getByText('No open challenges').or(b.locator('section li')).first().waitFor();
  await expect.poll(() => row.count()).toBe(0);
});

test('an unknown duel and an unaffordable stake are reported', async () => {
  const page = await tab(await guest(), '/d/00000000');
  await page.getByText('Not found.').waitFor();
  await page.goto('/duels');
  await page.getByLabel('Stake per player').fill('999999');
  await page.getByRole('button', { name: 'Create duel' }).click();
  await page.locator('[aria-invalid="true"]').waitFor();
});
