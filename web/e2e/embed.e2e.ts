// Duels and cups in a frame of a page of another site.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, FrameLocator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkAppearance, devices, injectAxe } from './appearance.ts';
import { base, guest, phone, tab, visitor } from './browser.ts';
import { newName, password } from './players.ts';
import { begun, poster, rivals, tie } from './rivals.ts';

/** The page of another site: at each path it frames what the service has there. */
const site = createServer((request, response) => {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><html lang="en"><title>A blog</title><link rel="icon" href="data:,">
    <h1>A blog</h1><iframe src="${base}${request.url ?? ''}" title="A game" width="420" height="520"></iframe></html>`);
});
/** Its address: of another origin, and of another site. */
let elsewhere = '';

beforeAll(async () => {
  await new Promise<void>((done) => site.listen(0, done));
  elsewhere = `http://localhost:${(site.address() as AddressInfo).port}`;
});

afterAll(() => {
  site.close();
  site.closeAllConnections();
});

/** Opens the page of the other site, and returns it with its frame and the faults that the browser reports. */
async function framed(
  context: BrowserContext,
  path: string,
): Promise<{ page: Page; frame: FrameLocator; faults: string[] }> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  await page.goto(elsewhere + path);
  return { page, frame: page.frameLocator('iframe'), faults };
}

/** The state of an embed, which a screen reader announces when it changes. */
const state = (frame: FrameLocator) => frame.getByRole('status').textContent();

test('a framed duel keeps itself up to date, with at most four requests a minute', async () => {
  const sides = await rivals();
  const code = await begun(sides);
  const context = await visitor(phone);
  await context.clock.install();
  let sent = 0;
  let waiting = 0;
  const others: string[] = [];
  context.on('request', (request) => {
    if (request.url() === `${base}/embed/duel/${code}`) {
      sent++;
      waiting++;
    } else if (request.url().startsWith(base)) others.push(request.url());
  });
  const ended = (request: Request) => {
    if (request.url() === `${base}/embed/duel/${code}`) waiting--;
  };
  context.on('requestfinished', ended);
  context.on('requestfailed', ended);
  const { page, frame, faults } = await framed(context, `/embed/duel/${code}`);
  await frame.getByText('Round 1').waitFor();
  await expect.poll(() => waiting).toBe(0);
  await context.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000);

  for (let second = 0; second < 120; second++) {
    await page.clock.runFor(1000);
    await expect.poll(() => waiting).toBe(0);
  }
  expect(sent, 'requests in two minutes').toBeLessThanOrEqual(8);
  expect(sent, 'requests in two minutes').toBeGreaterThanOrEqual(6);

  await tie(code, sides);
  await expect
    .poll(async () => {
      await page.clock.runFor(16_000);
      return state(frame);
    })
    .toBe('Round 2');
  const rows = frame.getByRole('row');
  await expect.poll(() => rows.nth(2).innerText()).toMatch(/1\s+Rock\s+Rock\s+Tie/);
  expect((await rows.nth(2).locator('svg').first().boundingBox())?.width).toBeGreaterThan(20);

  expect((await sides[0](`/api/duels/${code}/resign`)).status()).toBe(200);
  await expect
    .poll(async () => {
      await page.clock.runFor(16_000);
      return state(frame);
    })
    .toMatch(/ won\.$/);
  await expect.poll(() => waiting).toBe(0);
  sent = 0;
  await page.clock.runFor(300_000);
  expect(sent, 'requests after the end').toBe(0);
  expect(others, 'other requests to the service').toEqual([]);
  expect(faults).toEqual([]);
});

test('a frame has nothing of its visitor, and its link opens the real page', async () => {
  const code = await begun(await rivals());
  const context = await guest();
  const { page, frame, faults } = await framed(context, `/embed/duel/${code}`);
  await frame.getByText('Round 1').waitFor();
  const inside = page.frames().find((one) => one.url().startsWith(base));
  const reach = await inside?.evaluate(() => {
    const tried = (read: () => unknown) => {
      try {
        return String(read());
      } catch (error) {
        return (error as Error).name;
      }
    };
    return [self.origin, tried(() => document.cookie), tried(() => localStorage.length)];
  });
  expect(reach).toEqual(['null', 'SecurityError', 'SecurityError']);

  // By the keyboard: the link is all that the frame has to focus.
  const link = frame.getByRole('link', { name: 'Open on Roshambo (new tab)' });
  await expect
    .poll(async () => {
      await page.keyboard.press('Tab');
      return link.evaluate((element) => element === document.activeElement);
    })
    .toBe(true);
  const [opened] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('Enter')]);
  await opened.waitForURL(`${base}/d/${code}`);
  expect(await opened.evaluate(() => [self.origin, self.opener === null])).toEqual([base, true]);
  expect(faults).toEqual([]);
});

test('no other page can be framed', async () => {
  const code = await begun(await rivals());
  const context = await visitor();
  for (const path of ['/', `/d/${code}`]) {
    const { page, faults } = await framed(context, path);
    await expect.poll(() => faults.join('\n')).toMatch(/frame-ancestors 'none'/);
    expect(page.frames().some((frame) => frame.url().startsWith(base))).toBe(false);
  }
});

test('embeds fit their frame, and axe finds nothing', async () => {
  const sides = await rivals();
  const code = await begun(sides);
  await tie(code, sides);
  const secured = await visitor();
  const registers = await poster(secured);
  expect((await registers('/api/auth/register', { username: newName(), password })).status()).toBe(200);
  const host = await poster(secured);
  const made = (await (await host('/api/cups', { by_hand: true, name: 'A class of its own' })).json()) as {
    cup: { number: number };
  };
  const cup = `/api/cups/${made.cup.number}`;
  for (const post of sides) expect((await post(`${cup}/join`)).status()).toBe(200);
  expect((await host(`${cup}/start`)).status()).toBe(200);
  for (const [where, device] of devices) {
    const context = await visitor(device);
    await injectAxe(context);
    for (const [name, path] of [
      ['duel', `/embed/duel/${code}`],
      ['cup', `/embed/cup/${made.cup.number}`],
      ['missing', '/embed/cup/999999'],
    ] as const) {
      const page = await tab(context, path);
      if (name === 'cup')
        await expect
          .poll(async () => {
            await page.reload();
            return page.getByRole('status').textContent();
          })
          .toBe('Round 1 of 3');
      await checkAppearance(page, `embed-${name}-${where}`);
      await page.close();
    }
  }
});
