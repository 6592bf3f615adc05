import { expect, test } from 'vitest';
import { call, makeBot } from './bots.ts';
import { guest, phone, tab, visitor } from './browser.ts';
import { ready } from './duel.ts';
import { newName } from './players.ts';

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
  // A bot has one profile, and Back does not lead to it again.
  await page.goto(`/players/${bot.name}`);
  await page.waitForURL(`**/bots/${bot.name}`);
  await page.goBack();
  await page.waitForURL('**/bots/unknown_bot');
});

test('the owner of a bot says what it is, lets others challenge it, and keeps quiet hours', async () => {
  const context = await guest();
  const bot = await makeBot(context, newName().replace('player', 'bot'));
  const page = await tab(context, `/bots/${bot.name}`);
  const form = page.getByRole('region', { name: 'Your bot' }).locator('form', { hasText: 'Description' });
  await form.getByLabel('Version').fill('1.4.2');
  await form.getByLabel('Description').fill('It beats your last move.');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByTestId('words').getByText('Version 1.4.2').waitFor();
  const other = await tab(await guest(phone), `/bots/${bot.name}`);
  const words = other.getByTestId('words');
  await words.getByText('Version 1.4.2').waitFor();
  await words.getByText('It beats your last move.').waitFor();
  expect(await other.getByRole('region', { name: 'Your bot' }).count(), 'the form of a visitor').toBe(0);
  await other.getByText('This bot takes no challenges.').waitFor();
  const challenge = other.getByRole('button', { name: `Challenge ${bot.name}` });
  expect(await challenge.count()).toBe(0);

  const settings = page.getByTestId('challenge-settings');
  const says = page.getByTestId('challengeable');
  await settings.getByLabel('Challenges are taken from').selectOption({ label: 'all players' });
  await settings.getByRole('button', { name: 'Save' }).click();
  await says.getByText('The bot has ten minutes to accept it.').waitFor();
  await other.reload();
  await challenge.tap();
  await other.locator('.table[data-status="open"]').waitFor();
  const { duels } = await call<{ duels: { id: string }[] }>(bot, '/api/duels?for_me=true');
  expect(duels.map(({ id }) => `/d/${id}`)).toEqual([new URL(other.url()).pathname]);
  await call(bot, `/api/duels/${duels[0]?.id ?? ''}/join`, {});
  await other.locator(ready).waitFor();
  await call(bot, `/api/duels/${duels[0]?.id ?? ''}/resign`, {});

  // Quiet hours around now, in the time of the browser.
  const hours = [-2, 2].map((hours) => new Date(Date.now() + hours * 3_600_000));
  const [from, until] = hours.map((time) => time.toTimeString().slice(0, 5));
  await settings.getByLabel('Quiet hours from').fill(from ?? '');
  await settings.getByLabel('until').fill(until ?? '');
  await settings.getByRole('button', { name: 'Save' }).click();
  await says.getByText('This bot has quiet hours now.').waitFor();
  const { challenges } = await call<{ challenges: object }>(bot, '/api/duels/challenges');
  const [quiet_from, quiet_to] = hours.map((time) => time.toISOString().slice(11, 16));
  expect(challenges).toEqual({ takes: 'all', quiet_from, quiet_to });
  await other.goto(`/bots/${bot.name}`);
  await other.getByText('This bot has quiet hours now.').waitFor();
  expect(await challenge.count()).toBe(0);

  // The form shows what is stored, and takes it back.
  await page.reload();
  await expect.poll(() => settings.getByLabel('Quiet hours from').inputValue()).toBe(from);
  await settings.getByLabel('Quiet hours from').fill('');
  await settings.getByLabel('until').fill('');
  await settings.getByRole('button', { name: 'Save' }).click();
  await says.getByText('The bot has ten minutes to accept it.').waitFor();
});
