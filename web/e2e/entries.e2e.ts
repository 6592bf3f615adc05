// What the page shows follows the selected entry: a paid one names its coins, and one that burns names its token.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { checkAppearance, injectAxe } from './appearance.ts';
import { base, desktop, phone, tab, visitor } from './browser.ts';
import { phase, press, throwHand, until } from './game.ts';
import { winner } from './players.ts';

/** Opens the settings of the next run and selects its entry. */
async function enter(page: Page, entry: string): Promise<void> {
  await page.locator('.setup summary').click();
  await page.locator('.setup select').selectOption(entry);
}

test.each([desktop, phone])(
  'a token is burned only after it was selected and confirmed, and by its name',
  async (device) => {
    const [own, token] = await winner();
    const context = own.context();
    await injectAxe(context);
    const page = await tab(context);
    await page.setViewportSize({ width: device.width, height: device.height });
    await press(page, 'keys', 'Enter');
    await until(page, 'idle');
    const { token: won } = (await (await context.request.get(`/api/chain/token/${token}`)).json()) as {
      token: { tier: number; material: string };
    };
    const sent: { entry: string; token_id?: number }[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/runs'))
        sent.push(request.postDataJSON() as (typeof sent)[number]);
    });

    await enter(page, 'burn');
    await page.getByText('Choose and confirm the token to burn below').waitFor();
    expect(await page.locator('.hands button').first().isDisabled()).toBe(true);
    await page.locator('main').click({ position: { x: 2, y: 2 } }); // keys in a select choose its options
    await page.keyboard.press('r');

    await page.locator('.tokens label', { hasText: `#${token}` }).click();
    const burn = page.getByTestId('burn');
    await burn.getByText(`Burn ${won.material} #${token} with your next throw?`).waitFor();
    expect(await burn.textContent()).toContain(`Lose: the ${won.material} is gone.`);
    expect(await page.locator('.ladder tr.here').textContent()).toContain(won.material);
    expect((await page.locator('.ladder tr.next td').last().textContent())?.trim()).toBe('2');
    expect(await page.locator('.hands button').first().isDisabled()).toBe(true);
    await checkAppearance(page, `burn-${device.width}`);
    expect(sent).toEqual([]);

    await burn.getByRole('button', { name: `Yes, burn ${won.material} #${token}` }).click();
    await page.locator('.hands button:enabled').first().waitFor();
    expect(await page.locator('.hands .price').first().textContent()).toBe(`burns ${won.material} #${token}`);
    await throwHand(page, 'keys');
    expect(sent).toMatchObject([{ entry: 'burn', token_id: token }]);
    for (let turn = 1; (await phase(page)) === 'active'; turn++) await throwHand(page, 'keys', turn);
    if ((await phase(page)) === 'ended') {
      expect(await page.locator('.ending').textContent()).toMatch(
        new RegExp(`You lost the ${won.material}: base value [\\d,]+, house pays [\\d,]+\\.`),
      );
      await press(page, 'keys', 'Enter');
      await until(page, 'idle');
      // The next run burns nothing.
      expect(await page.locator('.setup summary').textContent()).not.toContain('burn');
    }
  },
);

test('a paid entry names its coins on the hands, and after the loss', async () => {
  const context = await visitor();
  const guest = (await (await context.request.post('/api/guest')).json()) as { csrf_token: string };
  const headers = { 'X-CSRF-Token': guest.csrf_token, Origin: base };
  for (let n = 0; n < 3; n++) {
    const started = await context.request.post('/api/runs', { headers, data: { entry: 'free' } });
    const { run } = (await started.json()) as { run: { id: string } };
    await context.request.post(`/api/runs/${run.id}/abandon`, { headers });
  }
  const page = await tab(context);
  for (;;) {
    await page.locator('.hands button:enabled:not([aria-disabled]) .price').first().waitFor();
    expect(await page.locator('.hands .price').allTextContents()).toEqual([
      '50 coins',
      '50 coins',
      '50 coins',
    ]);
    expect(await page.locator('.stakes').textContent()).toContain('Lose: 50 coins are gone.');
    expect(await page.locator('.ladder').textContent()).toContain(
      'On average a run for 50 coins returns 38 coins from the house, or 48 in base value.',
    );
    for (let turn = 0; turn === 0 || (await phase(page)) === 'active'; turn++)
      await throwHand(page, 'keys', turn);
    if ((await phase(page)) === 'ended') break;
    await press(page, 'keys', 'C');
    await until(page, 'ended');
    await press(page, 'keys', 'Enter');
    await until(page, 'idle');
  }
  expect(await page.locator('.ending').textContent()).toContain('You lost 50 coins.');

  // The record has the expected returns beside the observed one, in base value and at the house's price.
  await page.goto('/chain/record');
  const returns = page.getByTestId('returns');
  await expect
    .poll(async () => {
      await page.reload();
      await page.getByTestId('record').waitFor();
      return returns.count();
    })
    .toBe(1);
  const row = (name: string) => returns.getByRole('row', { name }).getByRole('cell').allTextContents();
  expect(await row('Expected of entry fees')).toEqual(['96.00', '76.00']);
  expect(await row('Expected of burned tokens')).toEqual(['100.00', '80.00']);
  const [inBase, pays] = (await row('Observed')).map((text) => Number(text.replace(/,/g, '')));
  expect(pays).toBeCloseTo(0.8 * (inBase ?? NaN), 1);
});
