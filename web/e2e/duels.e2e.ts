import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { base, desktop, phone, share, tab, visitor } from './browser.ts';
import { open, pair, press, round, seal, see, type Round } from './pair.ts';

test('a reload between commit and reveal loses nothing: the envelope opens by itself', async () => {
  const [a, b] = await pair();
  await seal(a, 'p');
  await a.getByText('You sealed paper.').waitFor();
  await a.reload();
  await a.getByText('You sealed paper.').waitFor();
  await a.goto('/');
  await seal(b, 'r');
  // Nobody is there to open it; who comes back does so by coming.
  await b
    .getByText(/is to follow|to be opened/)
    .first()
    .waitFor();
  expect((await see(b)).rounds[0]?.move_a).toBeNull();
  await a.goBack();
  await a.locator('[data-testid="round-check"][data-holds="true"]').waitFor();
  await a.getByTestId('verdict').getByText('You win').waitFor();
  await b.getByTestId('verdict').getByText('You lose').waitFor();
});

// The page may learn that before it has seen the duel go on, or only then: of no try, of the first, of the second.
test.each([0, 1, 2])(
  'a hand whose answer was lost is sealed all the same, and nothing else is said (late: %i)',
  async (late) => {
    const [a, b] = await pair();
    await seal(a, 'r');
    let lost = 0;
    const open = b.locator('.table[data-round="1"] [data-testid="round-check"][data-holds="true"]');
    await b.route('**/commit', async (route) => {
      lost++;
      await route.fetch();
      if (lost === late) await open.waitFor(); // it is found out only then
      await route.abort('connectionreset');
    });
    await press(b, 'p', 'keys');
    await open.waitFor();
    await b.locator('.table[data-turn="true"] .hands button:enabled').first().waitFor();
    expect(lost).toBe(2);
    expect(await b.locator('.trouble').count()).toBe(0);
    await b.unroute('**/commit');
    await round(a, b, 'rp', 2);
  },
);

test('two tabs of one player hold one hand: whichever was sealed first counts', async () => {
  const [a, b] = await pair();
  const second = await tab(a.context(), a.url());
  await second.locator('.table[data-turn="true"]').waitFor();
  await Promise.all([a.keyboard.press('r'), second.keyboard.press('p')]);
  for (const page of [a, second])
    await page.locator('.table[data-turn="false"] .turn', { hasText: /You sealed \w+/ }).waitFor();
  const mine = /You sealed (\w+)/.exec((await a.locator('.turn').textContent()) ?? '')?.[1];
  expect(await second.locator('.turn').textContent()).toContain(`You sealed ${mine ?? '?'}`);
  await seal(b, 's');
  await a.locator('[data-testid="round-check"][data-holds="true"]').waitFor();
  expect(await a.locator('.trouble').count()).toBe(0);
});

test('a hand sealed in another browser is not opened here, and that is said', async () => {
  const [a, b] = await pair();
  await seal(a, 'r');
  await a.evaluate(() => {
    localStorage.clear();
  });
  await a.reload();
  await seal(b, 's');
  await a.getByText('You sealed this hand in another browser').waitFor();
});

test('spectators watch live and see no hand before it is open', async () => {
  const [a, b, link] = await pair();
  const watcher = await tab(await visitor(), link);
  await watcher.locator('.table[data-status="active"]').waitFor();
  const heard: string[] = [];
  watcher.on('response', (response) => {
    if (response.url().includes('/api/duels/'))
      void response.text().then(
        (text) => heard.push(text),
        () => undefined,
      );
  });
  await seal(a, 'r');
  await watcher.locator('[data-side="a"][data-state="sealed"]').waitFor();
  const early = (await see(watcher)).rounds[0];
  expect(early).toMatchObject({ commitment_a: null, move_a: null, salt_a: null });
  // Nor does the opponent.
  expect((await see(b)).rounds[0]).toMatchObject({ commitment_a: null, move_a: null, salt_a: null });
  expect(await watcher.locator('.hands').count()).toBe(0);
  await seal(b, 's');
  await watcher.locator('[data-side="a"][data-state="open"]').waitFor();
  await watcher.locator('[data-testid="round-check"][data-holds="true"]').waitFor();
  for (const text of heard) {
    const { duel } = JSON.parse(text) as { duel: { rounds: (Round & { outcome: string })[] } };
    for (const shown of duel.rounds.filter(({ outcome }) => outcome === 'pending'))
      expect(shown).toMatchObject({ move_a: null, move_b: null, salt_a: null, salt_b: null });
  }
});

test.each([
  ['mouse', desktop],
  ['touch', phone],
] as const)('practice against the sparring bot with the %s, to its end', async (way, device) => {
  const page = await tab(await visitor(device), '/duels');
  await page.getByRole('button', { name: 'Spar with the bot' }).click();
  await page.waitForURL('**/d/*');
  for (let turn = 0; turn < 60; turn++) {
    await page.locator('.table[data-turn="true"], .table[data-status="finished"]').first().waitFor();
    if ((await page.locator('.table').getAttribute('data-status')) === 'finished') break;
    await seal(page, 'RPS'.charAt(turn % 3), way);
  }
  await page.getByRole('button', { name: 'Spar again' }).waitFor();
});

test('a finished duel is replayed step by step, verified, and its proof downloaded and verified elsewhere', async () => {
  const [a, b, link] = await pair(10);
  for (const [i, keys] of ['rs', 'rp', 'ss', 'rs', 'rs'].entries()) await round(a, b, keys, i + 1);
  const page = await tab(await visitor(), link);
  await page.getByTestId('replay-step').getByText('Round 5 of 5, open').waitFor();
  await page.locator('li[data-round="1"] button').click();
  await page.getByTestId('replay-step').getByText('Round 1 of 5, open').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.getByTestId('replay-step').getByText('Round 1 of 5, sealed').waitFor();
  await page.locator('[data-side="a"][data-state="sealed"]').waitFor();
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
  await page.getByTestId('replay-step').getByText('Round 2 of 5, open').waitFor();
  await page.getByTestId('verdict').getByText('The same hand').waitFor({ state: 'detached' });
  await page.locator('[data-testid="round-check"][data-holds="true"]').waitFor();
  await page.getByRole('button', { name: 'Play it again' }).click();
  await page.getByTestId('replay-step').getByText('Round 3 of 5').waitFor();

  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.locator('[data-valid="true"]').waitFor();
  await page.locator('li[data-check="payout"][data-result="pass"]').waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'proof.json' }).click();
  const proof = await readFile(await (await saving).path(), 'utf8');

  await page.goto('/verify');
  const give = (text: string): Promise<void> =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'duel.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await give(proof);
  await page.locator('[data-valid="true"]').waitFor();
  await page.locator(`a[href="${link.slice(base.length)}"]`).waitFor();
  await give(proof.replace('move_a\\":\\"rock', 'move_a\\":\\"paper'));
  await page.locator('li[data-check="commitments"][data-result="fail"]').waitFor();
});

test('an open duel is found in the lobby, joined by its code, taken back by its owner', async () => {
  const a = await tab(await visitor());
  const link = await open(a);
  const code = link.slice(-8);
  expect(await share(a)).toBe(link);

  const b = await tab(await visitor(), '/duels');
  const row = b.getByRole('region', { name: 'Looking for an opponent' }).locator(`a[href="/d/${code}"]`);
  await row.waitFor();
  await b.getByLabel('Code or link').fill(code.toLowerCase());
  await b.getByRole('button', { name: 'Go there' }).click();
  await b.getByRole('button', { name: 'Join the duel' }).waitFor();
  await a.getByRole('button', { name: 'Take it back' }).click();
  await a.getByRole('heading', { name: 'Taken back' }).first().waitFor();
  // Who looks on sees it too, without an error.
  await b.getByRole('heading', { name: 'Taken back' }).first().waitFor();
  await b.goto('/duels');
  await b.getByText('Nobody is waiting').or(b.locator('section li')).first().waitFor();
  await expect.poll(() => row.count()).toBe(0);
});

test('what cannot be is said plainly: no such duel, not enough coins', async () => {
  const page = await tab(await visitor(), '/d/00000000');
  await page.getByText('There is nothing here.').waitFor();
  await page.goto('/duels');
  await page.getByLabel('Stake of each side').fill('999999');
  await page.getByRole('button', { name: 'Open a duel' }).click();
  await page.locator('[aria-invalid="true"]').waitFor();
});
