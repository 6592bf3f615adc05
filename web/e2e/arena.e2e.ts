import { expect, test } from 'vitest';
import { makeBot, meet } from './bots.ts';
import { phone, tab, visitor } from './browser.ts';

test('bots are ranked; each has a page with its rating, its opponents, and every duel to look at again', async () => {
  const [one, two] = [await makeBot(await visitor(), 'paper_kea'), await makeBot(await visitor(), 'rocky')];
  let last = '';
  for (let i = 0; i < 6; i++) last = i % 3 === 2 ? await meet(two, one) : await meet(one, two);

  const page = await tab(await visitor(), '/arena');
  const rows = page.locator('tbody tr');
  await rows.filter({ hasText: 'rocky' }).waitFor();
  // Bots of other tests may stand among them.
  const names = (await rows.allInnerTexts()).join('\n');
  expect(names.indexOf('paper_kea')).toBeLessThan(names.indexOf('rocky'));
  await rows.getByRole('link', { name: 'paper_kea' }).click();
  await page.getByRole('heading', { name: 'paper_kea' }).waitFor();
  await page
    .getByRole('img', { name: /Rating over 6 duels: from/ })
    .locator('canvas')
    .first()
    .waitFor();
  await page.locator(`a[href="/d/${last}"]`).waitFor();
  await page.getByRole('link', { name: 'rocky' }).first().click();
  await page.getByRole('heading', { name: 'rocky' }).waitFor();
  await page.locator(`a[href="/d/${last}"]`).click();
  await page.getByTestId('replay-step').getByText('Round 3 of 3, open').waitFor();
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.locator('[data-valid="true"]').waitFor();
});

test('names lead to profiles, and what does not exist is said', async () => {
  const context = await visitor(phone);
  const bot = await makeBot(context, 'profile_bot');
  const page = await tab(context, '/');
  const me = (await (await context.request.get('/api/me')).json()) as { account: { username: string } };
  await page.goto(`/bots/${bot.name}`);
  await page.getByText('There is a line to draw after two rated duels.').waitFor();
  await page.getByRole('link', { name: me.account.username, exact: true }).click();
  await page.getByRole('heading', { name: me.account.username }).waitFor();
  await page.getByText('that is you').waitFor();
  await page.goto('/bots/nobody_at_all');
  await page.getByText('There is nothing here.').waitFor();
});
