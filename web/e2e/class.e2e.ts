// The service of a class: its first page lists the cups to join, and a host ends the key of a bot.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { desktop, guest, phone, tab, visitor } from './browser.ts';
import { newName, register } from './players.ts';
import { serve } from './server.ts';

/** Makes a bot of a browser's account, and returns its name and its key. */
async function bot(context: BrowserContext, site: string): Promise<{ name: string; key: string }> {
  const me = (await (await context.request.get('/api/me')).json()) as { csrf_token: string };
  const name = newName();
  const answer = await context.request.post('/api/bots', {
    headers: { 'X-CSRF-Token': me.csrf_token, Origin: site },
    data: { name },
  });
  return { name, key: ((await answer.json()) as { secret: string }).secret };
}

test('the first page of a class invites to its cup, whose host ends the key of a bot', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roshambo-class-'));
  const server = await serve(inject('binary'), folder, '0', ['--class', '--house-bots=false']);
  try {
    const pupil = await guest(phone, server.base);
    const first = await tab(pupil);
    await first.getByText('No cup is open yet.').waitFor();
    const host = await tab(await guest(desktop, server.base));
    await register(host);
    await host.goto('/cups');
    await host.getByRole('button', { name: 'Open a cup' }).click();
    await host.getByText('It starts when its host starts it').waitFor();
    const number = host.url().split('/').pop() ?? '';
    const invitation = first.getByRole('region', { name: 'Join or watch' }).getByRole('link');
    await invitation.waitFor(); // without a reload
    expect(await invitation.getAttribute('href')).toBe(`/cups/${number}`);

    const { name, key } = await bot(pupil, server.base);
    const headers = { Authorization: `Bearer ${key}` };
    const join = await fetch(`${server.base}/api/cups/${number}/join`, { method: 'POST', headers });
    expect(join.status).toBe(200);
    const controls = host.getByRole('region', { name: 'You are the host' });
    await controls.getByRole('combobox').selectOption({ label: name });
    const ended = host.waitForResponse('**/end-key');
    await controls.getByRole('button', { name: 'End its key' }).click();
    expect((await ended).status()).toBe(200);
    expect((await fetch(`${server.base}/api/me`, { headers })).status).toBe(401);
    await first.goto('/developers');
    await first.getByText(`${name}: its key has ended, rotate it`).waitFor();
    const other = await tab(await visitor(phone, server.base), '/cups');
    expect(await other.getByText('Each day there is a cup for bots').count()).toBe(0);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
