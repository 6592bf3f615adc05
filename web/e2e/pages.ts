// Every page of the site, with something to show on each.

import type { BrowserContext, Page } from 'playwright-core';
import { makeBot } from './bots.ts';
import { playToClaim } from './game.ts';
import { newName } from './players.ts';

/** A name, a path, and a selector of something that the page shows once it has loaded. */
export type Address = readonly [name: string, path: string, ready: string];

interface RunLinks {
  end_tx: string;
  account: string;
  token_id: number;
}

/** Plays until a token is claimed, and returns the addresses of all pages, pages of missing things among them. */
export async function everyPage(page: Page, context: BrowserContext): Promise<Address[]> {
  await page.goto('/');
  const id = await playToClaim(page);
  const bot = await makeBot(context, newName().replace('player', 'bot'));
  const get = async <T>(path: string) => (await (await context.request.get(path)).json()) as T;
  const { run } = await get<{ run: RunLinks }>(`/api/runs/${id}`);
  const { account } = await get<{ account: { username: string } }>('/api/me');
  return [
    ['play', '/', '.ladder table'],
    ['duels', '/duels', 'h1'],
    ['arena', '/arena', '#table'],
    ['cups', '/cups', '#over'],
    ['cup', '/cups/1', '#table'],
    ['projector', '/cups/1/live', '.screen h1'],
    ['bot', `/bots/${bot.name}`, 'h1'],
    ['player', `/players/${account.username}`, 'h1'],
    ['market', '/market', 'h1'],
    ['portfolio', '/portfolio', 'h1'],
    ['rankings', '/leaderboard', 'h1'],
    ['season', '/season', 'h1'],
    ['daily', '/daily', 'h1'],
    ['achievements', '/achievements', 'h1'],
    ['feed', '/feed', 'h1'],
    ['chain', '/chain', '.strip a.block'],
    ['record', '/chain/record', 'h1'],
    ['tv', '/tv', 'h1'],
    ['stats', '/chain/stats?by=hour', 'main canvas'],
    ['block', '/block/0', '.good'],
    ['transaction', `/tx/${run.end_tx}`, '.good'],
    ['address', `/address/${run.account}`, 'a.kind'],
    ['token', `/token/${run.token_id}`, 'summary'],
    ['receipt', `/r/${id}`, 'h1'],
    ['verify', '/verify', '.drop'],
    ['developers', '/developers', 'dl.facts'],
    ['reference', '/api/docs', 'main details'],
    ['rules', '/rules', 'h1'],
    ['help', '/help', 'h1'],
    ['privacy', '/privacy', 'h1'],
    ['terms', '/terms', 'h1'],
    ['link', '/link', 'form'],
    ['account', '/account', '.more'],
    ['missing-token', '/token/2000000000', '.error-notice'],
    ['missing-cup', '/cups/2000000000', '.error-notice'],
    ['missing-duel', '/d/00000000', '.error-notice'],
    ['missing-block', '/block/2000000000', '.error-notice'],
    ['missing-player', '/players/no-such-player', '.error-notice'],
    ['not-found', '/nowhere', 'h1'],
  ];
}

/** Opens a page and waits until it shows its content. */
export async function open(page: Page, [, path, ready]: Address): Promise<void> {
  await page.goto(path);
  await page.locator(ready).first().waitFor();
  await page.locator('.tip, .screen').first().waitFor(); // a projector has no header
  await page.locator('main .loading').first().waitFor({ state: 'detached' });
}
