import { test } from 'vitest';
import { makeBot } from './bots.ts';
import { phone, tab, visitor } from './browser.ts';

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
