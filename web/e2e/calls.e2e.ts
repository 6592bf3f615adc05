// How many calls of the API the page needs: for a first visit, for a game, and while it is idle.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { base, phone, tab, visitor } from './browser.ts';
import { phase, press, throwHand, until } from './game.ts';
import { open as openDuel } from './duel.ts';
import { everyPage, open, type Address } from './pages.ts';
import { newName } from './players.ts';
import { begun, poster, rivals, tie } from './rivals.ts';
import { serve, waitTimeout } from './server.ts';

/** Records the calls of a browser's pages from now on, and how many wait for their answer. */
class Calls {
  list: string[] = [];
  #waiting = 0;

  constructor(context: BrowserContext) {
    const isCall = (url: string) => new URL(url).pathname.startsWith('/api/');
    // The stream and long polls wait for what others do.
    const isHeld = (request: Request) =>
      new URL(request.url()).pathname === '/api/events' || /\bwait=/.test(request.headers()['prefer'] ?? '');
    context.on('request', (request) => {
      // Pages of the API document are no calls.
      if (!isCall(request.url()) || request.isNavigationRequest()) return;
      this.list.push(`${request.method()} ${request.url().replace(base, '')}`);
      if (!isHeld(request)) this.#waiting++;
    });
    const ended = (request: Request) => {
      if (isCall(request.url()) && !isHeld(request) && !request.isNavigationRequest()) this.#waiting--;
    };
    context.on('requestfinished', ended);
    context.on('requestfailed', ended);
  }

  /** Waits until every call has its answer. */
  async answered(page: Page): Promise<void> {
    do {
      await expect.poll(() => this.#waiting, { timeout: waitTimeout, interval: 10 }).toBe(0);
      await page.evaluate(() => 0); // the page has read the answer, and may ask again
    } while (this.#waiting > 0);
  }

  /** Lets a page's fake clock run, in steps that its calls are answered in. */
  async pass(
    page: Page,
    seconds: number,
    each: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<void> {
    const step = 5;
    for (let at = 0; at < seconds; at += step) {
      await each();
      await page.clock.runFor(1000 * step);
      await this.answered(page);
    }
  }
}

/** Waits until the chain has a block for every transaction. */
async function sealed(context: BrowserContext): Promise<void> {
  const pending = async () => {
    const answer = await context.request.get('/api/chain/head');
    return ((await answer.json()) as { head: { pending: number } }).head.pending;
  };
  await expect.poll(pending).toBe(0);
}

test('a first visit needs at most 12 calls before its first throw, and a game at most 4', async () => {
  const context = await visitor(phone);
  const calls = new Calls(context);
  const stream = context.waitForEvent('request', (request) => request.url().includes('/api/events'));
  const page = await tab(context);
  // The visitor reads all of the page, with what happens elsewhere.
  await stream;
  await page.getByRole('heading', { name: 'On TV' }).waitFor();
  await calls.answered(page);
  expect(calls.list.length, calls.list.join('\n')).toBeLessThanOrEqual(12);

  for (let game = 0; game < 4; game++) {
    await sealed(context);
    if (game > 0) await page.getByTestId('anchor').getByText('Recorded in').waitFor();
    await calls.answered(page);
    calls.list = [];
    const began = performance.now();
    const unlocks = page.waitForResponse('**/api/achievements');
    let throws = 0;
    do {
      await throwHand(page, 'touch', throws++);
    } while ((await phase(page)) === 'active');
    if ((await phase(page)) === 'deciding') await press(page, 'touch', 'C');
    await until(page, 'ended');
    await unlocks;
    await calls.answered(page);
    await press(page, 'touch', 'Enter');
    await until(page, 'idle');
    await calls.answered(page);
    // The newest block, TV, feed and duels follow the events of all players, so a game's share of them has no fixed
    // number: with the stream, which the first game opens anew, they are 4 a minute, as on an idle page.
    const ofAll = / \/api\/(chain\/head|tv|feed|duels\?)/;
    const others = calls.list.filter((call) => ofAll.test(call));
    // A block that was sealed just before the commitment arrives after it: the page asks again with the next one.
    const again = (call: string, n: number) => call.includes('/chain/tx/') && calls.list.indexOf(call) < n;
    const own = calls.list.filter((call, n) => !ofAll.test(call) && !again(call, n));
    const minutes = Math.ceil((performance.now() - began) / 60_000);
    if (game > 0) expect(others.length, calls.list.join('\n')).toBeLessThanOrEqual(4 * (minutes + 1));
    // A tie needs a throw more. The first game also opens the account and its stream, and reads the block of its commitment.
    expect(own.length, calls.list.join('\n')).toBeLessThanOrEqual(4 + throws - 1 + (game === 0 ? 3 : 0));
  }
});

/** Notes in the pages of a context each call that they send, with the page's own time in milliseconds. */
async function noteSent(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const sent: [at: number, url: string][] = [];
    const fetched = globalThis.fetch;
    globalThis.fetch = (url, options) => {
      sent.push([performance.now(), new Request(url).url]);
      return fetched(url, options);
    };
    globalThis.EventSource = class extends EventSource {
      constructor(url: string | URL) {
        sent.push([performance.now(), String(url)]);
        super(url);
      }
    };
    Object.assign(globalThis, { sent });
  });
}

/** Returns the calls that a page has sent after a time of its own. */
function sentAfter(page: Page, time: number): Promise<string[]> {
  return page.evaluate((time) => {
    const { sent } = globalThis as unknown as { sent: [at: number, url: string][] };
    return sent.filter(([at, url]) => at > time && url.includes('/api/')).map(([, url]) => url);
  }, time);
}

/** Refuses the stream of a context, as a service does whose streams are all taken. */
async function withoutStream(context: BrowserContext): Promise<void> {
  await context.route('**/api/events*', (route) =>
    route.fulfill({ status: 429, json: { code: 'too_many_streams', message: 'Too many streams.' } }),
  );
}

test.each([true, false])(
  'each page sends at most 4 calls a minute while it is idle (stream: %s)',
  { timeout: 1_200_000 },
  async (streamed) => {
    const player = await visitor(phone);
    const page = await tab(player);
    const pages = await everyPage(page, player);
    const waiting: Address = [
      'open-duel',
      new URL(await openDuel(page)).pathname,
      '.table[data-status="open"]',
    ];
    await page.close();
    const asPlayer = await poster(player);
    const { team } = (await (await asPlayer('/api/teams', { name: `Team ${newName()}` })).json()) as {
      team: { slug: string };
    };
    const sides = await rivals();
    const over = await begun(sides);
    await sides[0](`/api/duels/${over}/resign`);
    const more: Address[] = [
      ['team', `/t/${team.slug}`, 'h1'],
      ['finished-duel', `/d/${over}`, '.table[data-status="finished"]'],
      ['active-duel', '', '.table[data-status="active"]'],
    ];
    const found: string[] = [];
    for (const [name, of, ready] of [waiting, ...pages, ...more]) {
      // The duel on TV, and a spectator's duel.
      const code = await begun(sides);
      const address: Address = [name, of || `/d/${code}`, ready];
      const context = await visitor(phone);
      await context.addCookies(await player.cookies());
      if (!streamed) await withoutStream(context);
      await context.clock.install();
      await noteSent(context);
      const calls = new Calls(context);
      const shown = await tab(context, 'about:blank');
      await open(shown, address);
      await context.clock.pauseAt((await shown.evaluate(() => Date.now())) + 1000);
      await calls.pass(shown, 60); // what a page loads late, and the end of what it waits for
      const since = await shown.evaluate(() => performance.now());
      // Meanwhile others play: a duel, the lobby, the feed and the chain change all the time.
      await calls.pass(shown, 60, async () => {
        await tie(code, sides);
        const { duel } = (await (await sides[0]('/api/duels', { listed: true })).json()) as {
          duel: { id: string };
        };
        await sides[0](`/api/duels/${duel.id}/cancel`);
      });
      await sides[1](`/api/duels/${code}/resign`);
      const sent = await sentAfter(shown, since);
      expect(sent).not.toEqual([]);
      if (sent.length > 4) found.push(`${address[0]}: ${sent.length}: ${sent.join(', ')}`);
      await context.close();
    }
    expect(found).toEqual([]);
  },
);

test('six new visitors at one address: six results, none with a message', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roshambo-six-'));
  const options = ['--house-bots=false', '--rate-limit', '240', '--trusted-proxies', '127.0.0.1/32'];
  const server = await serve(inject('binary'), folder, '0', options);
  try {
    const refused: string[] = [];
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        const context = await visitor(phone, server.base);
        await context.setExtraHTTPHeaders({ 'X-Forwarded-For': '203.0.113.7' });
        context.on('response', (answer) => {
          if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
        });
        const page = await tab(context);
        await throwHand(page, 'touch');
        expect(await page.locator('.error-notice').count()).toBe(0);
      }),
    );
    expect(refused).toEqual([]);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
