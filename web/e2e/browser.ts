// One Chromium per test file, and a fresh profile for each player.

import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { waitTimeout } from './server.ts';

const servers = inject('servers');
/** This worker's server: its address without a trailing slash, and its data folder. */
export const { base, data } = servers[Number(process.env.VITEST_POOL_ID) - 1] ?? noServer();

function noServer(): never {
  throw new Error(`no server for worker ${String(process.env.VITEST_POOL_ID)} of ${servers.length}`);
}

export interface Device {
  width: number;
  height: number;
  theme?: 'light' | 'dark';
  /** A phone, with touch in place of a mouse. */
  touch?: boolean;
  /** The page may install its service worker, whose requests no test can intercept. */
  worker?: boolean;
}
export const desktop: Device = { width: 1440, height: 900 };
export const phone: Device = { width: 390, height: 844, touch: true };

let browser: Browser | undefined;
/** The site of each open profile. */
const contexts = new Map<BrowserContext, string>();
let faults: string[] = [];

/** Allowed console errors: the page reports failed requests to the player itself, and most tests block its worker. */
const expected = /^Failed to load resource|^Service Worker registration blocked by Playwright/;

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    timeout: waitTimeout,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
});

/** Closes a profile. An answer that a test intercepts at that moment is lost, which is no fault. */
async function close(context: BrowserContext): Promise<void> {
  for (const routed of [context, ...context.pages()])
    await routed.unrouteAll({ behavior: 'ignoreErrors' }).catch(() => undefined); // the test has closed it
  await context.close();
}

afterEach(async () => {
  await Promise.all([...contexts.keys()].map(close));
  contexts.clear();
  const reported = faults;
  faults = [];
  expect(reported, 'errors in the browser').toEqual([]);
});

afterAll(async () => {
  await browser?.close();
});

/** Returns a new browser profile: a new visitor. */
export async function visitor(device: Device = desktop, site = base): Promise<BrowserContext> {
  if (!browser) throw new Error('the browser is not running');
  const context = await browser.newContext({
    baseURL: site,
    viewport: { width: device.width, height: device.height },
    colorScheme: device.theme ?? 'light',
    hasTouch: device.touch ?? false,
    isMobile: device.touch ?? false,
    serviceWorkers: device.worker ? 'allow' : 'block',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(waitTimeout);
  contexts.set(context, site);
  return context;
}

/** Returns a browser profile with a guest account, as after a first throw. */
export async function guest(device: Device = desktop, site = base): Promise<BrowserContext> {
  const context = await visitor(device, site);
  expect((await context.request.post('/api/guest')).status()).toBe(200);
  return context;
}

/** Presses the share button in a browser without a share sheet, and returns the copied link. */
export async function share(page: Page): Promise<string> {
  // Wait before the click, as the confirmation is visible only briefly.
  const copied = page.getByRole('button', { name: 'Copied' }).waitFor();
  await Promise.all([copied, page.getByRole('button', { name: 'Share' }).click()]);
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Opens a tab. Errors in it, and requests to other sites, fail the test. */
export async function tab(context: BrowserContext, address = '/'): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    const bad = message.type() === 'error' || message.type() === 'warning';
    if (bad && !expected.test(message.text())) faults.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${contexts.get(context) ?? base}/`) && !url.startsWith('blob:'))
      faults.push(`request to another site: ${url}`);
  });
  await page.goto(address);
  return page;
}
