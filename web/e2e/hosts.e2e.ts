// Cups of hosts: the private link, for people and for bots, the host's buttons, and the view for a projector.

import type { BrowserContext } from 'playwright-core';
import { expect, test } from 'vitest';
import { checkAppearance, injectAxe } from './appearance.ts';
import { makeBot, type Bot } from './bots.ts';
import { base, guest, phone, tab, visitor } from './browser.ts';
import { overflowing } from './fit.ts';
import { newName, password } from './players.ts';
import { poster } from './rivals.ts';

/** Sends a POST of one player, and returns its status. */
type Send = (to: string, data?: object) => Promise<number>;

async function asGuest(context: BrowserContext): Promise<Send> {
  const post = await poster(context);
  return async (to, data) => (await post(to, data)).status();
}

function asBot({ key }: Bot): Send {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return async (to, data = {}) =>
    (await fetch(base + to, { method: 'POST', headers, body: JSON.stringify(data) })).status;
}

async function nameOf(context: BrowserContext): Promise<string> {
  const me = (await (await context.request.get('/api/me')).json()) as { account: { username: string } };
  return me.account.username;
}

interface Cup {
  context: BrowserContext;
  number: number;
  code: string;
}

/** Opens a private cup, all against all, which a host with a new account starts by hand. */
async function hosted(terms: object): Promise<Cup> {
  const context = await visitor();
  expect(await (await asGuest(context))('/api/auth/register', { username: newName(), password })).toBe(200);
  const post = await poster(context);
  const opened = await post('/api/cups', {
    private: true,
    by_hand: true,
    play: false,
    system: 'round_robin',
    ...terms,
  });
  const { cup, code } = (await opened.json()) as { cup: { number: number }; code: string };
  return { context, number: cup.number, code };
}

interface State {
  games: { a: string; b: string | null; duel: string | null; a_points: number | null }[];
  table: { address: string; username: string }[];
}

/** Waits for the one duel that goes on in a cup, and returns its code and the names of its sides. */
async function running({ context, number }: Cup): Promise<{ duel: string; a: string; b: string }> {
  let found = { duel: '', a: '', b: '' };
  await expect
    .poll(async () => {
      const { games, table } = (await (await context.request.get(`/api/cups/${number}`)).json()) as State;
      const game = games.find(({ duel, a_points }) => duel !== null && a_points === null);
      const name = (address: string | null) => table.find((row) => row.address === address)?.username ?? '';
      if (game) found = { duel: game.duel ?? '', a: name(game.a), b: name(game.b) };
      return found.duel;
    })
    .not.toBe('');
  return found;
}

test('a private cup is joined by its link or its code; its host removes a player, starts it and ends it', async () => {
  const cup = await hosted({});
  const { number, code } = cup;
  const host = await tab(cup.context, `/cups/${number}`);
  const controls = host.getByRole('region', { name: 'You are the host' });
  await controls.getByText(code, { exact: true }).waitFor();
  const copied = controls.getByRole('button', { name: 'Copied' }).waitFor();
  await Promise.all([copied, controls.getByRole('button', { name: 'Copy the invitation' }).click()]);
  const link = await host.evaluate(() => navigator.clipboard.readText());
  expect(link).toBe(`${base}/cups/${number}#${code}`);

  const players = new Map<string, Send>();
  const contexts = [await guest(phone), await guest(phone), await guest(phone), await guest(phone)];
  for (const context of contexts) players.set(await nameOf(context), await asGuest(context));
  const [invited, typing, ...others] = contexts;
  if (!invited || !typing) throw new Error('no guests');
  for (const context of others)
    expect(await (await asGuest(context))(`/api/cups/${number}/join`, { code })).toBe(200);
  const one = await tab(invited, link);
  await one.getByRole('button', { name: 'Join the cup' }).tap();
  await one.getByText('You are in.').waitFor();
  const two = await tab(typing, `/cups/${number}`);
  await two.getByLabel('Code').fill('00000000');
  await two.getByRole('button', { name: 'Join the cup' }).tap();
  await two.locator('.error-notice').waitFor();
  await two.getByLabel('Code').fill(code.toLowerCase());
  await two.getByRole('button', { name: 'Join the cup' }).tap();
  await two.getByText('You are in.').waitFor();
  await host.getByText('4 players').waitFor(); // without a reload

  // The player who is removed is told so, and cannot join again.
  const removed = await nameOf(typing);
  await controls.getByRole('combobox').selectOption({ label: removed });
  await controls.getByRole('button', { name: 'Remove' }).click();
  await host.getByText('3 players').waitFor();
  expect(await host.getByRole('region', { name: 'Players' }).getByText(removed).count()).toBe(0);
  await two.getByRole('button', { name: 'Join the cup' }).tap();
  await two.locator('.error-notice').waitFor();

  await controls.getByRole('button', { name: 'Start now' }).click();
  await host.getByText('Round 1 of 3').waitFor();
  await controls.getByRole('button', { name: 'End the cup…' }).click();
  await controls.getByRole('button', { name: 'Yes, end it after this round' }).click();
  await controls.getByRole('button', { name: 'End the cup…' }).waitFor();
  const { duel, a, b } = await running(cup);
  expect(await players.get(a)?.(`/api/duels/${duel}/resign`)).toBe(200);
  await host.getByText(/ won$/).waitFor();
  expect(await host.getByText(/ won$/).innerText()).toContain(b);
  await controls.waitFor({ state: 'detached' });
  await host.getByRole('region', { name: 'Round 1' }).waitFor();
  expect(await host.getByRole('region', { name: 'Round 2' }).count(), 'a round after the end').toBe(0);
});

test('the link of a private cup for bots has the commands with which a bot joins it', async () => {
  const { number, code } = await hosted({ kind: 'bots' });
  const owner = await tab(await visitor(phone), `/cups/${number}#${code}`);
  const link = `${base}/cups/${number}#${code}`;
  const bot = `roshambo bot --url ${base} --exec "python3 my.py" --cup '${link}'`;
  await owner.getByText(bot, { exact: true }).waitFor();
  const call = owner.locator('p', { hasText: `--json '{"code":"${code}"}' ${base}/api/cups/${number}/join` });
  const copied = call.locator('.copied').waitFor();
  await Promise.all([copied, call.getByRole('button', { name: 'Copy the command' }).click()]);
  expect(await owner.evaluate(() => navigator.clipboard.readText())).toBe(await call.innerText());
  expect(await overflowing(owner)).toEqual([]);

  const other = await tab(await visitor(phone), `/cups/${number}`);
  await other.getByText('its host gives you the code').waitFor();
  expect(await other.getByText('roshambo bot').count()).toBe(0);
  await other.getByLabel('Code').fill(code);
  await other.getByText(bot, { exact: true }).waitFor();
});

test('the projector shows pairings, results as they come, the table and the time of the next round', async () => {
  // A step takes so long that no deadline passes.
  const cup = await hosted({ kind: 'bots', move_seconds: 300, name: newName().replace('player', 'Class') });
  const { context, number, code } = cup;
  await injectAxe(context);
  const projector = await tab(context, `/cups/${number}/live`);
  const screen = projector.locator('.screen');
  const players = new Map<string, Send>();
  for (let n = 0; n < 3; n++) {
    const bot = await makeBot(await visitor(phone), newName().replace('player', 'bot'));
    players.set(bot.name, asBot(bot));
    expect(await asBot(bot)(`/api/cups/${number}/join`, { code })).toBe(200);
  }
  await screen.getByText('3 players').waitFor();
  for (const name of players.keys()) await screen.getByText(name).waitFor();
  expect(await projector.locator('a, button, select, input').count(), 'controls of the projector').toBe(0);

  const host = await tab(context, `/cups/${number}`);
  const controls = host.getByRole('region', { name: 'You are the host' });
  const starts = screen.getByRole('timer').getByText('Starts in').waitFor();
  await Promise.all([starts, controls.getByRole('button', { name: 'Start now' }).click()]);
  await screen.getByText('Round 1 of 3').waitFor();
  const pairs = screen.locator('ul > li');
  await expect.poll(() => pairs.count()).toBe(2);
  await pairs.getByText('bye').waitFor();
  const { duel, a, b } = await running(cup);
  const pair = pairs.filter({ hasText: a });
  expect(await pair.innerText()).toMatch(new RegExp(`^${a}\\s+–\\s+${b}$`));

  await controls.getByRole('button', { name: 'Pause before the next round' }).click();
  await screen.getByText('Paused').waitFor();
  expect(await players.get(b)?.(`/api/duels/${duel}/resign`)).toBe(200);
  await expect.poll(() => pair.innerText()).toMatch(new RegExp(`^${a}\\s+1 : 0\\s+${b}$`));
  const row = (name: string) => screen.locator('ol > li').filter({ hasText: name });
  await expect.poll(() => row(a).innerText()).toMatch(new RegExp(`^1\\s+${a}\\s+1$`));
  await expect.poll(() => row(b).innerText()).toMatch(new RegExp(`^3\\s+${b}\\s+0$`));
  expect(await screen.locator('a, button, input, select, textarea, summary, [tabindex="0"]').count()).toBe(0);
  const size = (selector: string) =>
    projector.locator(selector).evaluate((one) => parseFloat(getComputedStyle(one).fontSize));
  expect(await size('.screen ol'), 'large type for few').toBeGreaterThan(2 * (await size('body')));
  await checkAppearance(projector, 'projector');

  const next = screen.getByRole('timer').getByText('Next pairings in').waitFor();
  await Promise.all([next, controls.getByRole('button', { name: 'Resume' }).click()]);
  await screen.getByText('Round 2 of 3').waitFor();
  await controls.getByRole('button', { name: 'End the cup…' }).click();
  await controls.getByRole('button', { name: 'Yes, end it after this round' }).click();
  await controls.getByRole('button', { name: 'End the cup…' }).waitFor();
  const last = await running(cup);
  expect(await players.get(last.a)?.(`/api/duels/${last.duel}/resign`)).toBe(200);
  await screen.getByText(/ won$/).waitFor();
  await controls.waitFor({ state: 'detached' });
});

/** The answer of the API on a cup of sixty that is in its first round, of which every third game is over. */
function ofSixty(number: number): object {
  const address = (i: number) => `player-${i}`;
  const time = new Date().toISOString();
  const open = { private: false, house_bots: false, by_hand: true, paused: false, replay_missed: false };
  const cup = {
    ...{
      number,
      ...open,
      kind: 'bots',
      status: 'running',
      name: 'Class 7b',
      hidden_reason: null,
      creator: null,
    },
    ...{
      created_at: time,
      starts_at: time,
      ended_at: null,
      players: 60,
      rounds: 7,
      round: 1,
      system: 'swiss',
    },
    ...{ seats: 64, move_seconds: 30, winners: [] },
  };
  const table = Array.from({ length: 60 }, (_, i) => ({
    ...{ rank: i + 1, username: `a-program-of-${i + 1}`, short_address: address(i), address: address(i) },
    ...{ kind: 'bot', points: 0, buchholz: 0, out: false },
  }));
  const games = Array.from({ length: 30 }, (_, i) => {
    const points = i % 3 === 0 ? 1 : null;
    return {
      ...{ round: 1, board: i + 1, a: address(2 * i), b: address(2 * i + 1), duel: `DUEL-${i}` },
      ...{ a_points: points, b_points: points },
    };
  });
  const viewer = { host: false, code: null, you: null, your_duel: null };
  return { cup, table, games, ...viewer, next_at: null, seed: null, final: null };
}

test.each([
  [1920, 1080, 1],
  [1280, 720, 2],
])('a projector of %i × %i shows each pairing of a class of sixty', async (width, height, least) => {
  const number = 1_000_000;
  const context = await visitor({ width, height });
  await context.route(`**/api/cups/${number}`, (route) => route.fulfill({ json: ofSixty(number) }));
  const projector = await tab(context, `/cups/${number}/live`);
  const calm = least > 1; // pages turn also for those who want no motion
  if (calm) await projector.emulateMedia({ reducedMotion: 'reduce' });
  await projector.locator('ul > li').first().waitFor();
  /** What the screen shows, and how much of it is beyond an edge or cut. */
  const look = () =>
    projector.evaluate(() => {
      const text = (selector: string) =>
        [...document.querySelectorAll<HTMLElement>(selector)].map((one) =>
          one.innerText.replace(/\s+/g, ' '),
        );
      const all = [...document.querySelectorAll('.screen, .screen *:not(.unseen)')];
      const beyond = all.filter((one) => {
        const { right, bottom } = one.getBoundingClientRect();
        const cut = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
        return right > innerWidth + 1 || bottom > innerHeight + 1 || cut;
      });
      return {
        pairs: text('ul > li'),
        rows: text('ol > li'),
        pages: document.querySelector('header')?.innerText.match(/Page \d+ of (\d+)/)?.[1] ?? '1',
        beyond: beyond.map((one) => `${one.tagName} ${one.textContent}`),
      };
    });
  const [pairs, rows, beyond] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const first = await look();
  expect(Number(first.pages)).toBeGreaterThanOrEqual(least);
  if (calm) expect(first.pairs[0], 'a pairing that goes on').toContain('–');
  await expect
    .poll(async () => {
      const now = await look();
      for (const pair of now.pairs) pairs.add(pair);
      for (const row of now.rows) rows.add(row);
      for (const one of now.beyond) beyond.add(one);
      return [pairs.size, rows.size];
    })
    .toEqual([30, 60]);
  expect([...beyond]).toEqual([]);
});

test('the host cancels a cup before its start', async () => {
  const { context, number } = await hosted({});
  const host = await tab(context, `/cups/${number}`);
  const controls = host.getByRole('region', { name: 'You are the host' });
  await controls.getByRole('button', { name: 'End the cup…' }).click();
  await controls.getByRole('button', { name: 'Yes, cancel the cup' }).click();
  await host.getByText('Cancelled:').waitFor();
  await controls.waitFor({ state: 'detached' });
});
