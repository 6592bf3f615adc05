import { expect, test } from 'vitest';
import { makeBot } from './bots.ts';
import { base, guest, tab, visitor } from './browser.ts';
import { open } from './duel.ts';
import { mailed } from './mails.ts';
import { endSession, fill, makeKey, newName, password, register, statuses } from './players.ts';
import { playToClaim } from './game.ts';

test('a guest with an ended session confirms before another account is created', async () => {
  const context = await visitor();
  const page = await tab(context);
  await playToClaim(page);
  await page.goto('/account');
  const name = newName();
  await fill(page, name);
  await endSession(context);
  const button = page.getByRole('button', { name: 'Save account' });
  await button.click();
  await page.getByRole('alert').getByText('Your session has ended').waitFor();
  await page.getByRole('heading', { name: 'You were ' }).waitFor();
  expect(await context.cookies()).toEqual([]);
  // The typed input is still there, and the same button now creates a new account.
  expect(await page.getByLabel('Username').inputValue()).toBe(name);
  await button.click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText('No tokens yet.').first().waitFor();
});

test('a visitor with the cookie of an ended session registers at once', async () => {
  const context = await visitor();
  await playToClaim(await tab(context));
  await endSession(context);
  const page = await tab(context, '/account');
  await page.getByRole('heading', { name: 'You were ' }).waitFor();
  await page.getByRole('button', { name: 'New account' }).click();
  const name = newName();
  await fill(page, name);
  await page.getByRole('button', { name: 'Save account' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
});

test('an error message is at its field', async () => {
  const page = await tab(await guest());
  const taken = await register(await tab(await visitor()));
  await page.goto('/account');
  await fill(page, taken);
  await page.getByRole('button', { name: 'Save account' }).click();
  await page.getByText('This name is taken.').waitFor();
  expect(await page.getByLabel('Username').getAttribute('aria-invalid')).toBe('true');
});

test('an account is renamed, and ends its session in another browser', async () => {
  const page = await tab(await visitor());
  const before = await register(page);
  const elsewhere = await tab(await visitor(), '/account');
  await fill(elsewhere, before);
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  await elsewhere.getByRole('heading', { name: before, level: 1 }).waitFor();

  await page.reload();
  const name = newName();
  await page.getByLabel('Username').fill(name);
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  const end = page.getByRole('button', { name: 'End session', exact: true });
  await end.click();
  await end.waitFor({ state: 'detached' });
  await elsewhere.getByRole('heading', { name: /^You were / }).waitFor(); // without a reload
});

test('after another player has signed in, no tab shows what is of the one before', async () => {
  const next = await register(await tab(await visitor()));
  const duel = await tab(await visitor());
  await playToClaim(duel);
  await register(duel);
  const link = new URL(await open(duel)).pathname;
  const [lobby, tokens, account] = await Promise.all(
    ['/duels', '/portfolio', '/account'].map((path) => tab(duel.context(), path)),
  );
  if (!lobby || !tokens || !account) throw new Error('no tabs');
  const [mine, token] = [lobby.locator(`a[href="${link}"]`), tokens.locator('main a[href^="/token/"]')];
  await mine.first().waitFor();
  await token.first().waitFor();
  await duel.getByRole('button', { name: 'Cancel duel' }).waitFor();

  await account.getByRole('button', { name: 'Sign out' }).click();
  await account.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  await fill(account, next);
  await account.getByRole('button', { name: 'Sign in', exact: true }).click();
  await account.getByRole('heading', { name: next, level: 1 }).waitFor();
  await duel.getByRole('button', { name: 'Join duel' }).waitFor(); // without a reload
  await mine.first().waitFor({ state: 'detached' });
  await token.first().waitFor({ state: 'detached' });
});

test('a session that ends before the stream of a page has opened ends on that page', async () => {
  const page = await tab(await visitor());
  const name = await register(page);
  const context = await visitor();
  let open: (() => void) | undefined;
  const ended = new Promise<void>((done) => (open = done));
  await context.route('**/api/events*', async (route) => {
    await ended;
    await route.continue();
  });
  const elsewhere = await tab(context, '/account');
  await fill(elsewhere, name);
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  await elsewhere.getByRole('heading', { name, level: 1 }).waitFor();
  await page.reload();
  const end = page.getByRole('button', { name: 'End session', exact: true });
  await end.click();
  await end.waitFor({ state: 'detached' });
  open?.();
  await elsewhere.getByRole('heading', { name: `You were ${name}` }).waitFor();
});

test('a link that was requested too long after the sign-in says what to do, and is not confirmed again', async () => {
  const page = await tab(await visitor());
  await page.route('**/api/auth/magic-link/redeem', (route) =>
    route.fulfill({
      status: 403,
      json: { code: 'sign_in_required', message: 'x', request_id: 'req-4711' },
    }),
  );
  await page.goto('/link#token');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { name: 'This link cannot add the address' }).waitFor();
  expect(await page.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
  await page.locator('#main').getByRole('link', { name: 'your account page' }).click();
  await page.waitForURL('/account');
});

test('an emailed link saves the guest’s account once, after the press of a button, and says so', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  await page.goto('/account');
  const guest = await page.getByRole('heading', { level: 1 }).innerText();
  await page.getByLabel('Email').fill('player@example.org');
  await page.getByRole('button', { name: 'Email me a link' }).click();
  await page.getByText('This service has no mail server').waitFor();

  const link = await mailed('player@example.org');
  await page.goto(link);
  await page.getByRole('heading', { name: 'Confirm your link' }).waitFor();
  await page.getByText(`it adds your email address to ${guest}`).waitFor();
  expect(page.url()).toBe(`${base}/link`);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { name: guest, level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();

  const again = await tab(await visitor(), link);
  await again.getByText('it signs in to the account that has the address, or opens one').waitFor();
  await again.getByRole('button', { name: 'Confirm' }).click();
  await again.getByRole('heading', { name: 'no longer valid' }).waitFor();
});

test('a registration ends the keys that the guest does not keep', async () => {
  const page = await tab(await guest());
  const kept = await makeKey(page, 'my-laptop');
  const other = await makeKey(page, 'a-stranger');
  await page.goto('/account');
  await page.getByRole('button', { name: 'Save this account' }).click();
  const name = newName();
  await fill(page, name);
  await page.getByRole('checkbox', { name: 'my-laptop' }).check();
  await page.getByRole('button', { name: 'Save account' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  expect(await statuses(kept, other)).toEqual([200, 401]);
});

test('a change of the password ends the keys that the player does not keep, and bots’ keys', async () => {
  const page = await tab(await visitor());
  await register(page);
  const kept = await makeKey(page, 'my-laptop');
  const other = await makeKey(page, 'a-stranger');
  const bot = await makeBot(page.context(), newName().replace('player', 'bot'));
  await page.reload();
  const keys = page.getByRole('group', { name: 'Keys end, too' });
  await keys.getByRole('checkbox', { name: `Bot ${bot.name}` }).waitFor();
  expect(await keys.getByRole('checkbox').count()).toBe(3);
  expect(await keys.getByRole('checkbox', { checked: true }).count()).toBe(0);
  await keys.getByRole('checkbox', { name: 'my-laptop' }).check();
  await page.getByLabel('New password').fill('battery staple');
  await page.getByRole('button', { name: 'Change password' }).click();
  await keys.getByRole('checkbox', { name: 'a-stranger' }).waitFor({ state: 'detached' }); // without a reload
  expect(await statuses(kept, other, bot.key)).toEqual([200, 401, 401]);
  await keys.getByRole('checkbox', { name: 'my-laptop', checked: false }).waitFor();
  expect(await keys.getByRole('checkbox').count()).toBe(1);
});

test('later than 10 minutes after signing in, a change of the password asks for the current one', async () => {
  const page = await tab(await visitor());
  await register(page);
  const current = page.getByLabel('Current password');
  await page.getByLabel('New password').waitFor();
  expect(await current.count()).toBe(0);
  await page.route('**/api/mailboxes', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as object;
    await route.fulfill({ response, json: { ...answer, recent_until: new Date(0).toISOString() } });
  });
  await page.reload();
  await current.waitFor();
  await page.getByText('You signed in more than 10 minutes ago.').first().waitFor();
  await page.getByLabel('New password').fill('battery staple');
  await page.getByRole('button', { name: 'Change password' }).click(); // not sent without it
  expect(await page.getByLabel('New password').inputValue()).toBe('battery staple');
  await current.fill(password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect.poll(() => page.getByLabel('New password').inputValue()).toBe('');
});

test('the end of all other sessions ends keys, which no list of the page has afterwards', async () => {
  const page = await tab(await visitor());
  const name = await register(page);
  const elsewhere = await tab(await visitor(), '/account');
  await fill(elsewhere, name);
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  await elsewhere.getByRole('heading', { name, level: 1 }).waitFor();
  const kept = await makeKey(page, 'my-laptop');
  const other = await makeKey(page, 'a-stranger');
  await page.reload();
  const lists = page.getByRole('group', { name: 'Keys end, too' });
  await lists.nth(1).getByRole('checkbox', { name: 'a-stranger' }).waitFor(); // that of the password
  await lists.first().getByRole('checkbox', { name: 'my-laptop' }).check();
  await page.getByRole('button', { name: 'End all other sessions' }).click();
  await elsewhere.getByRole('heading', { name: /^You were / }).waitFor();
  await page.getByRole('checkbox', { name: 'a-stranger' }).first().waitFor({ state: 'detached' });
  expect(await statuses(kept, other)).toEqual([200, 401]);
  await lists.getByRole('checkbox', { name: 'my-laptop' }).waitFor();
});
