import { test } from 'vitest';
import { makeBot } from './bots.ts';
import { phone, tab, visitor } from './browser.ts';

test('names link to profiles, and an unknown bot is reported', async () => {
  const context = await visitor(phone);
  const bot = await makeBot(context, 'profile_bot');
  const page = await tab(context, '/');
  const me = (await (await context.request.get('/api/me')).json()) as { account: { username: string } };
  await page.goto(`/bots/${bot.name}`);
  await page.getByText('The chart appears after two rated duels.').waitFor();
  await page.getByRole('link', { name: me.account.username, exact: true }).click();
  await page.getByRole('heading', { name: me.account.username }).waitFor();
  await page.getByText('This is you.').waitFor();
  await page.goto('/bots/unknown_bot');
  await page.getByText('Not found.').waitFor();
});
