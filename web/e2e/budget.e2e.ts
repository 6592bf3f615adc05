// The page's budgets: bytes, requests and times of a first visit over a slow network, layout shift and fit of every
// page. Times depend on the machine, so this file runs at night alone.

import { chromium, type BrowserContext, type CDPSession, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { injectAxe } from './appearance.ts';
import { base, desktop, guest, phone, tab, visitor } from './browser.ts';
import { press, until } from './game.ts';
import { overflowing } from './fit.ts';
import { everyPage, open, type Address } from './pages.ts';
import { begun, rivals, tie } from './rivals.ts';
import { waitTimeout } from './server.ts';

/** Networks by round-trip time in milliseconds and rate in kbit/s. */
const mobile = { latency: 400, rate: 1600 };
const slow3G = { latency: 400, rate: 400 };
const waits = { timeout: waitTimeout };

async function throttle(page: Page, { latency, rate }: typeof mobile): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: (rate * 1000) / 8,
    uploadThroughput: (rate * 1000) / 8,
  });
  return session;
}

/** Records layout shifts, largest paints and the first press from the start of each document. */
async function observe(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const seen = { shift: 0, paint: 0, pressed: 0, moved: [] as string[] };
    Object.assign(window, { seen });
    for (const kind of ['pointerdown', 'keydown'])
      addEventListener(kind, ({ timeStamp }) => (seen.pressed ||= timeStamp), { capture: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const shift = entry as PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
          sources: { node: Node | null }[];
        };
        if (shift.hadRecentInput) continue;
        seen.shift += shift.value;
        const names = shift.sources.map(({ node }) =>
          node instanceof Element
            ? `${node.tagName}.${String(node.getAttribute('class')).slice(0, 30)}`
            : String(node?.nodeName),
        );
        seen.moved.push(`${shift.value.toFixed(3)}: ${names.join(', ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) seen.paint = startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
  });
}

interface Seen {
  shift: number;
  paint: number;
  pressed: number;
  moved: string[];
}

function seenBy(page: Page): Promise<Seen> {
  return page.evaluate(() => (window as unknown as { seen: Seen }).seen);
}

test.each([
  ['phone', phone],
  ['desktop', desktop],
] as const)('a first visit over a slow mobile network (%s)', async (name, device) => {
  // The largest duel that TV can show: its rounds have the longest salts.
  const sides = await rivals();
  const onTV = await begun(sides);
  for (let round = 0; round < 58; round++) await tie(onTV, sides, '\u0001'.repeat(496));
  const context = await visitor(device);
  await observe(context);
  const page = await context.newPage();
  const session = await throttle(page, mobile);
  const transferred = new Map<string, number>();
  const urls = new Map<string, string>();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    transferred.set(urls.get(requestId) ?? requestId, encodedDataLength),
  );
  await page.goto('/');
  await page.locator('.hands button:enabled:not([aria-disabled])').first().waitFor();
  const requests = [...urls.values()];
  const playable = await page.evaluate(() => performance.now());
  const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);
  const bytes = sum([...transferred].filter(([url]) => /\.(js|css)$/.test(url)).map(([, size]) => size));
  const { paint } = await seenBy(page);
  // The tap on a hand opens the account and starts the run.
  await page.locator('.table[data-settled="true"]').waitFor();
  const answered = page.waitForResponse('**/api/runs');
  await press(page, device.touch ? 'touch' : 'keys', 'R');
  await answered;
  // By the page's own clock: the browser's driver takes a tenth of a second on a loaded machine.
  const throwTime = await (
    await page.waitForFunction(() => {
      const { pressed } = (window as unknown as { seen: Seen }).seen;
      const run = performance.getEntriesByType('resource').find(({ name }) => name.endsWith('/api/runs'));
      return run && (run as PerformanceResourceTiming).responseEnd - pressed;
    })
  ).jsonValue();
  await until(page, 'active', 'deciding', 'ended');
  await expect.poll(() => [...transferred.keys()].some((url) => url.includes('/api/tv')), waits).toBe(true);
  const all = sum([...transferred.values()]);
  console.log(
    `${name}: ${requests.length} requests and ${bytes} bytes of script and style before the first throw is possible ` +
      `after ${Math.round(playable)} ms, ${all} bytes in all after it; largest paint ${Math.round(paint)} ms; throw ${Math.round(throwTime ?? NaN)} ms`,
  );
  expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(12);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(75_000);
  expect(all).toBeLessThanOrEqual(150_000);
  expect(paint).toBeGreaterThan(0);
  expect(paint, 'largest paint').toBeLessThan(1200);
  expect(throwTime, 'time from the press to the answer').toBeGreaterThan(800);
  expect(throwTime, 'time from the press to the answer').toBeLessThan(1000);
  const { duel } = (await (await context.request.get(`${base}/api/tv`)).json()) as {
    duel: { id: string } | null;
  };
  expect(duel?.id, 'TV was on').toBe(onTV);
  await sides[0](`/api/duels/${onTV}/resign`);
});

test.each([
  ['phone', phone],
  ['desktop', desktop],
] as const)(
  'every page has a layout shift under 0.05 over slow 3G (%s)',
  { timeout: 600_000 },
  async (name, device) => {
    const context = await visitor(device);
    await observe(context);
    const page = await tab(context);
    const pages = await everyPage(page, context);
    await throttle(page, slow3G);
    const shifted: string[] = [];
    for (const address of pages) {
      await open(page, address);
      const { shift, moved } = await seenBy(page);
      if (shift >= 0.05) shifted.push(`${name} ${address[1]}: ${shift.toFixed(3)} (${moved.join('; ')})`);
    }
    expect(shifted).toEqual([]);
  },
);

/** Returns the elements that are wider than the window. */
/** Checks that no page scrolls sideways in windows of these widths. */
async function expectFit(page: Page, context: BrowserContext, widths: number[], text: string): Promise<void> {
  const pages = await everyPage(page, context);
  const wide: string[] = [];
  for (const address of pages) {
    await open(page, address);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      const found = await overflowing(page);
      if (found.length > 0) wide.push(`${address[1]} at ${width}${text}: ${found.join(' ')}`);
    }
  }
  expect(wide).toEqual([]);
}

test('no page scrolls sideways at 320 pixels', { timeout: 600_000 }, async () => {
  const context = await visitor({ ...phone, width: 320, height: 640 });
  await expectFit(await tab(context), context, [320], '');
});

test('no page scrolls sideways with text of 200 %', { timeout: 600_000 }, async () => {
  // The browser's own setting, by which media queries in rem count too.
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--blink-settings=defaultFontSize=32'],
  });
  try {
    const context = await browser.newContext({ baseURL: base, viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto('/');
    expect(await page.evaluate(() => getComputedStyle(document.body).fontSize)).toBe('30px');
    await expectFit(page, context, [640, 1280], ' with text of 200 %');
  } finally {
    await browser.close();
  }
});

test('axe finds nothing on any page', { timeout: 600_000 }, async () => {
  const context = await visitor(phone);
  await injectAxe(context);
  const page = await tab(context);
  const pages: Address[] = await everyPage(page, context);
  const findings: string[] = [];
  for (const address of pages) {
    await open(page, address);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ reducedMotion: 'reduce', colorScheme });
      const found = await page.evaluate(async () => {
        interface Results {
          violations: { id: string; nodes: { html: string }[] }[];
        }
        const { axe } = window as unknown as { axe: { run: (options: object) => Promise<Results> } };
        const { violations } = await axe.run({ resultTypes: ['violations'], preload: false });
        return violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
        );
      });
      findings.push(...found.map((text) => `${address[1]} ${colorScheme}: ${text}`));
    }
  }
  expect(findings).toEqual([]);
});

test('on the narrowest phone the three hands are above the fold', async () => {
  const page = await tab(await guest({ ...phone, width: 320, height: 568 }));
  // With the account, whose envelope and balance take more room.
  await page.getByTestId('balance').waitFor();
  await page.locator('.hands button:enabled').first().waitFor();
  const bottoms = await page
    .locator('.hands button')
    .evaluateAll((hands) => hands.map((hand) => hand.getBoundingClientRect().bottom));
  const fold = await page
    .getByRole('navigation', { name: 'Main, bottom bar' })
    .evaluate((bar) => bar.getBoundingClientRect().top);
  expect(Math.max(...bottoms)).toBeLessThanOrEqual(fold);
});
