import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { base, data, tab, visitor } from './browser.ts';
import { playToClaim } from './table.ts';

let players = 0;
const newName = (): string => `player_${String(++players)}`;
const password = 'correct horse';

async function fill(page: Page, username: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
}

/** Makes the guest of a page an account of its own. */
async function register(page: Page): Promise<string> {
  const name = newName();
  await page.goto('/account');
  await fill(page, name);
  await page.getByRole('button', { name: 'Make it mine' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  return name;
}

test('a guest becomes an account and keeps everything; signed out and in again it is all there', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  await page.goto('/account');
  const balance = await page.getByTestId('balance').innerText();
  const name = await register(page);
  await page.locator('a[href^="/token/"]').first().waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'No account yet' }).waitFor();
  await page.getByRole('button', { name: 'I have one already' }).click();
  await fill(page, name.toUpperCase());
  await page.getByLabel('Password').fill('wrong horse');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Username or password is wrong').waitFor();
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  expect(await page.getByTestId('balance').innerText()).toBe(balance);
  await page.locator('a[href^="/token/"]').first().waitFor();
});

/** Ends the session of a visitor from elsewhere: the browser keeps its cookie, and the page what it shows. */
async function endSession(context: BrowserContext): Promise<void> {
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const me = (await (await fetch(`${base}/api/me`, { headers: { Cookie: cookies } })).json()) as {
    csrf_token: string;
  };
  const headers = { Cookie: cookies, 'X-CSRF-Token': me.csrf_token };
  expect((await fetch(`${base}/api/auth/logout`, { method: 'POST', headers })).status).toBe(200);
}

test('a guest whose session is over is asked before another account is opened', async () => {
  const context = await visitor();
  const page = await tab(context);
  await playToClaim(page);
  await page.goto('/account');
  const name = newName();
  await fill(page, name);
  await endSession(context);
  const button = page.getByRole('button', { name: 'Make it mine' });
  await button.click();
  await page.getByRole('alert').getByText('Your session is over').waitFor();
  await page.getByRole('heading', { name: 'No account yet' }).waitFor();
  expect(await context.cookies()).toEqual([]);
  // What was typed is still there: the same button opens a new account now.
  expect(await page.getByLabel('Username').inputValue()).toBe(name);
  await button.click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText('None yet.').first().waitFor();
});

test('a visitor with the cookie of an old session registers at once', async () => {
  const context = await visitor();
  await playToClaim(await tab(context));
  await endSession(context);
  const page = await tab(context, '/account');
  await page.getByRole('heading', { name: 'No account yet' }).waitFor();
  const name = newName();
  await fill(page, name);
  await page.getByRole('button', { name: 'Make it mine' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
});

test('what is wrong is said at its field', async () => {
  const page = await tab(await visitor());
  const taken = await register(await tab(await visitor()));
  await page.goto('/account');
  await fill(page, taken);
  await page.getByRole('button', { name: 'Make it mine' }).click();
  await page.getByText('Somebody has this username already').waitFor();
  expect(await page.getByLabel('Username').getAttribute('aria-invalid')).toBe('true');
});

test('renamed, and signed in elsewhere, which is ended from here', async () => {
  const page = await tab(await visitor());
  const before = await register(page);
  const elsewhere = await tab(await visitor(), '/account');
  await elsewhere.getByRole('button', { name: 'I have one already' }).click();
  await fill(elsewhere, before);
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  await elsewhere.getByRole('heading', { name: before, level: 1 }).waitFor();

  await page.reload();
  const name = newName();
  await page.getByLabel('Username').fill(name);
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  const end = page.getByRole('button', { name: 'End', exact: true });
  await end.click();
  await end.waitFor({ state: 'detached' });
  await elsewhere.reload();
  await elsewhere.getByRole('heading', { name: 'No account yet' }).waitFor();
});

/** The newest link that was mailed to an address; without a mail server mails are files. */
async function mailed(to: string): Promise<string> {
  const folder = path.join(data, 'mail');
  let link: string | undefined;
  await expect
    .poll(async () => {
      const files = await readdir(folder).catch(() => []);
      const mails = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
      link = mails
        .filter((mail) => mail.includes(`<${to}>`))
        .map((mail) => /http\S+\/link#\S+/.exec(mail)?.[0])[0];
      return link;
    })
    .toBeTruthy();
  return link ?? '';
}

test('a link by mail signs in once, and only by the press of a button', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  await page.goto('/account');
  const guest = await page.getByRole('heading', { level: 1 }).innerText();
  await page.getByLabel('Email').fill('player@example.org');
  await page.getByRole('button', { name: 'Mail me a link' }).click();
  await page.getByText('Look into your mailbox').waitFor();

  const link = await mailed('player@example.org');
  await page.goto(link);
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
  expect(page.url()).toBe(`${base}/link`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: guest, level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();

  const again = await tab(await visitor(), link);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await again.getByRole('heading', { name: 'does not work any more' }).waitFor();
});

test('a key and a bot are made, shown once, used, and ended', async () => {
  const page = await tab(await visitor());
  await playToClaim(page);
  await page.goto('/developers');
  await page.getByLabel('Label').fill('laptop');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const key = await page.getByTestId('secret').innerText();
  const call = (secret: string): Promise<Response> =>
    fetch(`${base}/api/me`, { headers: { Authorization: `Bearer ${secret}` } });
  expect((await call(key)).status).toBe(200);
  await page.getByRole('region', { name: 'Python' }).getByText(key).waitFor();

  await page.getByLabel('Name').fill(newName().replace('player', 'bot'));
  await page.getByRole('button', { name: 'Make a bot' }).click();
  await page.getByText('The key of bot_').waitFor();
  const bot = await page.getByTestId('secret').nth(1).innerText();
  expect((await call(bot)).status).toBe(200);

  await page.reload();
  await page.getByText('laptop').waitFor();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Yes, revoke' }).click();
  await page.getByText('laptop').waitFor({ state: 'detached' });
  expect((await call(key)).status).toBe(401);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('button', { name: 'Yes, end the old key' }).click();
  await page.getByTestId('secret').waitFor();
  expect((await call(bot)).status).toBe(401);
  expect((await call(await page.getByTestId('secret').innerText())).status).toBe(200);
});
