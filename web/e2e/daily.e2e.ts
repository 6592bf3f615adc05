// The daily challenge: its result, and yesterday's best run.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { base, phone, tab, visitor } from './browser.ts';
import { phase, press, throwHand, until } from './game.ts';
import { serve } from './server.ts';

test('the daily run ends with a rank, a line to share and the time until the next one', async () => {
  const page = await tab(await visitor(phone));
  await page.getByTestId('daily-open').tap();
  await page.getByText('Every player has seeds of their own').waitFor();
  await page.getByRole('button', { name: 'Play today’s run' }).tap();
  await page.locator('.setup').getByText('the daily challenge').waitFor();
  let turn = 0;
  do {
    await throwHand(page, 'touch', turn++);
    expect(await page.getByTestId('daily-open').isVisible()).toBe(false);
  } while ((await phase(page)) === 'active');
  if ((await phase(page)) === 'deciding') await press(page, 'touch', 'C');
  await until(page, 'ended');
  await page.locator('.ending').getByRole('link', { name: 'See your result of today' }).tap();

  const card = page.getByTestId('daily-card');
  // The ranking follows the run by some milliseconds; the card waits for it.
  await card.getByText(/^\d+ of \d+ so far$/).waitFor();
  await page.locator('tr.me').getByText('you').waitFor();
  await card.getByText('1 day', { exact: true }).waitFor();
  expect(await card.getByTestId('next-daily').innerText()).toMatch(/^in \d+ (h|min|s)/);
  const link = await card.getByRole('link', { name: 'Receipt of this run' }).getAttribute('href');
  const line = await card.getByTestId('share-line').innerText();
  expect(line).toMatch(/^Roshambo daily, .* · (.* claimed|Lost .*) · \d+ throws? · rank \d+ of \d+$/);
  const copied = card.getByRole('button', { name: 'Copied' }).waitFor();
  await Promise.all([copied, card.getByRole('button', { name: 'Share' }).tap()]);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${line} ${base}${link}`);
  expect(await page.getByTestId('daily-open').isVisible()).toBe(false);
});

test('yesterday’s best run is replayed at human pace, at once with reduced motion, and verified', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roshambo-daily-'));
  // The history of a demo has a yesterday.
  const server = await serve(inject('binary'), folder, '0', ['--demo', '--house-bots=false']);
  try {
    const page = await tab(await visitor(phone, server.base), '/daily');
    const answer = await page.request.get('/api/daily');
    interface Winner {
      name: string;
      run_id: string;
      throws: number;
    }
    const { yesterday } = (await answer.json()) as { yesterday: { winners: Winner[] } };
    const [best] = yesterday.winners;
    if (!best) throw new Error('the demo has no daily runs of yesterday');
    const replay = page.getByTestId('run-replay');
    const steps = 2 * best.throws;
    const step = async () => Number(await replay.getAttribute('data-step'));
    expect(await replay.getAttribute('data-steps')).toBe(String(steps));
    await page.getByTestId('yesterdays-best').getByRole('link', { name: best.name }).waitFor();
    expect(await step()).toBe(0);
    await replay.getByRole('button', { name: 'Play replay' }).tap();
    await expect.poll(step).toBe(steps - 1);
    await replay.getByRole('button', { name: 'Play replay' }).waitFor(); // the replay has ended
    await replay.getByRole('button', { name: 'Previous step' }).tap();
    expect(await step()).toBe(steps - 2);
    await replay.getByText(`Throw ${best.throws} of ${best.throws}, sealed`).waitFor();

    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.reload();
    await replay.getByText(`Throw ${best.throws} of ${best.throws}, revealed`).waitFor();
    expect(await replay.getByRole('button', { name: 'Play replay' }).count()).toBe(0);
    await replay.getByRole('link', { name: 'Verify this run' }).tap();
    await page.waitForURL(`**/r/${best.run_id}?verify`);
    await page.getByTestId('verdict-of-proof').waitFor();
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
