// The installed page: it opens and verifies proofs without a network, heals after an outage, and never mixes two builds.

import { createHash } from 'node:crypto';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { base, phone, tab, visitor } from './browser.ts';
import { playToClaim } from './game.ts';
import { verdict } from './proofs.ts';

/** A proxy between browser and service, which can fail like a network and change answers like a new version. */
interface Proxy {
  base: string;
  /** No answer at all. */
  down: boolean;
  /** Changes the body of an answer with status 200; null answers 404. */
  change: (path: string, body: Buffer) => Buffer | null;
  requests: string[];
  close: () => Promise<void>;
}

const open: Proxy[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((proxy) => proxy.close()));
});

async function startProxy(): Promise<Proxy> {
  const proxy: Proxy = {
    base: '',
    down: false,
    change: (_, body) => body,
    requests: [],
    close: () =>
      new Promise((done) => {
        server.close(() => {
          done();
        });
        server.closeAllConnections();
      }),
  };
  const server = createServer((incoming, outgoing) => {
    proxy.requests.push(incoming.url ?? '');
    if (proxy.down) {
      incoming.socket.destroy();
      return;
    }
    const headers = { ...incoming.headers, 'accept-encoding': 'identity' };
    const onward = request(
      base + (incoming.url ?? ''),
      { method: incoming.method ?? 'GET', headers },
      (answer) => {
        pass(proxy, incoming, answer, outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready);
  });
  proxy.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  open.push(proxy);
  return proxy;
}

function pass(
  proxy: Proxy,
  incoming: IncomingMessage,
  answer: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const path = incoming.url ?? '';
  const headers = { ...answer.headers };
  if (path.startsWith('/api') || answer.statusCode !== 200) {
    outgoing.writeHead(answer.statusCode ?? 500, headers);
    answer.pipe(outgoing);
    return;
  }
  const parts: Buffer[] = [];
  answer.on('data', (part: Buffer) => parts.push(part));
  answer.on('end', () => {
    const body = proxy.change(path, Buffer.concat(parts));
    if (!body) {
      outgoing.writeHead(404).end();
      return;
    }
    delete headers.etag;
    headers['content-length'] = String(body.length);
    outgoing.writeHead(200, headers).end(body);
  });
}

/** Waits until the service worker has kept the whole page. */
async function kept(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

const digest = (body: Buffer) => `sha256-${createHash('sha256').update(body).digest('base64')}`;

test('a document that was read opens without a network, with its pictures', async () => {
  const proxy = await startProxy();
  const page = await tab(await visitor({ ...phone, worker: true }, proxy.base));
  await kept(page);
  await page.goto(`${proxy.base}/docs/fair`);
  proxy.down = true;
  await page.reload();
  expect(await page.locator('h1').textContent()).toBe('Is it fair?');
  const widths = () =>
    page.locator('main img').evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth));
  await expect.poll(widths).toEqual([190, 340, 340]);
});

test('a phone opens the page and verifies a proof during an outage, and heals by itself', async () => {
  const proxy = await startProxy();
  const context = await visitor({ ...phone, worker: true }, proxy.base);
  const page = await tab(context);
  const run = await playToClaim(page, 'touch');
  await expect
    .poll(async () => {
      const answer = await context.request.get(`/api/runs/${run}/proof`);
      return ((await answer.json()) as { end: { height: number | null } | null }).end?.height ?? null;
    })
    .not.toBeNull();
  const proof = await (await context.request.get(`/api/runs/${run}/proof`)).text();
  await kept(page);
  // Answers of the API are never kept.
  const names = await page.evaluate(async () => {
    const all = await Promise.all(
      (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
    );
    return all.flat().map(({ url }) => new URL(url).pathname);
  });
  expect(names).toContain('/offline.html');
  expect(names.filter((name) => name !== '/offline.html' && !name.startsWith('/assets/'))).toEqual([]);

  proxy.down = true;
  await page.goto('/verify');
  await page.locator('.drop input[type=file]').setInputFiles({
    name: 'proof.json',
    mimeType: 'application/json',
    buffer: Buffer.from(proof),
  });
  // The page sends entropy with each throw: the moves follow from it, and only the player knows the text that
  // was sent.
  expect(await verdict(page)).toMatchObject({ valid: true, results: { seeds: 'pass', moves: 'note' } });
  await page.getByText('No connection to the server.').waitFor();
  expect(await page.evaluate(() => fetch('/api/me').then(String, () => 'no answer'))).toBe('no answer');
  // Every other page opens too, and says that it cannot show its content.
  await page.goto('/market');
  await page.getByRole('heading', { name: 'Market', level: 1 }).waitFor();
  await page.locator('.error-notice').first().waitFor();

  proxy.down = false;
  await page.locator('.error-notice').first().waitFor({ state: 'detached' });
  await page.getByText('No connection to the server.').waitFor({ state: 'detached' });
  await page.getByTestId('balance').waitFor();
});

test('a deploy: an open tab keeps its own chunks, a new one gets the new build, a broken one is not kept', async () => {
  const proxy = await startProxy();
  const context = await visitor({ ...phone, worker: true }, proxy.base);
  const page = await tab(context);
  await page.locator('.tip').waitFor();
  await kept(page);
  const before = await page.evaluate(() => caches.keys());

  // The new build has another document, and none of the old chunks but those that both share.
  const edit = (body: Buffer) => Buffer.from(body.toString().replace('<html ', '<html data-build="new" '));
  let broken = true;
  const old = await (await context.request.get('/offline.html')).body();
  proxy.change = (path, body) => {
    if (path.startsWith('/assets/Market-')) return null;
    if (path.startsWith('/assets/shared-') && broken) return Buffer.concat([body, Buffer.from('\n')]);
    if (path === '/offline.html' || path === '/') return edit(body);
    if (path !== '/sw.js') return body;
    const script = body.toString().replace(digest(old), digest(edit(old)));
    return Buffer.from(
      script
        .replace(/"\/assets\/Market-[^"]+":"[^"]+",/, '')
        .replace(/"version":"[^"]+"/, '"version":"the new build"'),
    );
  };
  // The open tab goes on with the chunks of its build.
  await page.getByRole('link', { name: 'Market', exact: true }).last().click();
  await page.getByRole('heading', { name: 'Market', level: 1 }).waitFor();
  // A node that serves a file of another build: the digest differs, and nothing of it is kept.
  const update = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
      const worker = registration.installing;
      if (!worker || worker.state === 'redundant') return worker?.state ?? 'none';
      return new Promise<string>((done) => {
        worker.addEventListener('statechange', () => {
          done(worker.state);
        });
      });
    });
  // The browser's own cache holds the right file under this name.
  await page.evaluate(() => undefined);
  const session = await context.newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  expect(await update()).toBe('redundant');
  expect(
    await page.evaluate(() => caches.match('/offline.html').then((found) => found?.text())),
  ).not.toContain('data-build');
  broken = false;
  await session.send('Network.clearBrowserCache');
  expect(await update()).toBe('installed');
  expect(await page.evaluate(() => caches.keys())).toEqual(
    expect.arrayContaining([...before, 'roshambo the new build']),
  );

  // A document comes from the network, so a new tab has the new build at once; once no tab is open, its worker takes over.
  const fresh = await tab(context);
  expect(await fresh.evaluate(() => document.documentElement.dataset.build)).toBe('new');
  await page.close();
  await fresh.close();
  // A tab that opens before the browser has noticed that the others are closed keeps the old worker.
  let last = await tab(context);
  const keptBuilds = async () => {
    await last.close();
    last = await tab(context);
    return last.evaluate(() => caches.keys());
  };
  await expect.poll(keptBuilds).toEqual(['roshambo the new build']);
  proxy.down = true;
  await last.goto('/verify');
  expect(await last.evaluate(() => document.documentElement.dataset.build)).toBe('new');
});

test('a first visit whose script failed to load loads again when the service answers', async () => {
  const proxy = await startProxy();
  const context = await visitor(phone, proxy.base);
  let failing = true;
  proxy.change = (path, body) => (failing && /\/first-.*\.js$/.test(path) ? null : body);
  const page = await tab(context);
  await page.getByText('The page could not be loaded. It tries again by itself.').waitFor();
  failing = false;
  await page.locator('.hands button:enabled').first().waitFor();
});

test('the page can be installed', async () => {
  const context = await visitor(phone);
  const page = await tab(context);
  const href = await page.locator('link[rel=manifest]').getAttribute('href');
  const manifest = (await (await context.request.get(href ?? '')).json()) as {
    start_url: string;
    display: string;
    icons: { src: string; type: string; purpose?: string }[];
  };
  expect(manifest).toMatchObject({ start_url: '/', display: 'standalone' });
  expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true);
  for (const { src, type } of manifest.icons) {
    const icon = await context.request.get(src);
    expect([icon.status(), icon.headers()['content-type']], src).toEqual([200, type]);
  }
  // Chromium's own criteria.
  const session = await context.newCDPSession(page);
  const { errors } = (await session.send('Page.getAppManifest')) as { errors: { message: string }[] };
  expect(errors.map(({ message }) => message)).toEqual([]);
});
