// Bots that play through the API, as their owners' programs do.

import { createHash, randomBytes } from 'node:crypto';
import type { BrowserContext } from 'playwright-core';
import { base } from './browser.ts';

interface Duel {
  id: string;
  status: string;
  you: 'a' | 'b';
  rounds: { round: number; committed: { a: boolean; b: boolean }; you_revealed: boolean }[];
}

export interface Bot {
  name: string;
  key: string;
}

/** Creates a bot for the visitor's account, and a guest account if there is none. */
export async function makeBot(owner: BrowserContext, name: string): Promise<Bot> {
  const guest = (await (await owner.request.post('/api/guest')).json()) as { csrf_token: string };
  const answer = await owner.request.post('/api/bots', {
    headers: { 'X-CSRF-Token': guest.csrf_token, Origin: base },
    data: { name },
  });
  const { secret } = (await answer.json()) as { secret: string };
  return { name, key: secret };
}

/** Sends a call of a bot, a POST with a body. */
export async function call<T>(bot: Bot, path: string, body?: object): Promise<T> {
  const answer = await fetch(base + path, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${bot.key}`, 'Content-Type': 'application/json' },
    body: body ? JSON.stringify(body) : null,
  });
  if (!answer.ok && answer.status !== 409)
    throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/**
 * Plays an arena duel between two bots; `winner` plays paper against rock until it has won. Returns the duel's code.
 */
export async function playRanked(winner: Bot, loser: Bot): Promise<string> {
  const enter = async (bot: Bot): Promise<Duel> => {
    for (;;) {
      const { duel } = await call<{ duel: Duel | null }>(bot, '/api/arena/queue', {});
      if (duel) return duel;
    }
  };
  const [one] = await Promise.all([enter(winner), enter(loser)]);
  const hands = [
    [winner, 'paper'],
    [loser, 'rock'],
  ] as const;
  for (let round = 1; ; round++) {
    const salts = await Promise.all(
      hands.map(async ([bot, move]) => {
        const salt = randomBytes(8).toString('hex');
        const commitment = createHash('sha256').update(`${move}:${salt}`).digest('hex');
        await call(bot, `/api/duels/${one.id}/commit`, { commitment, round });
        return salt;
      }),
    );
    for (const [i, [bot, move]] of hands.entries())
      await call(bot, `/api/duels/${one.id}/reveal`, { move, salt: salts[i], round });
    const { duel } = await call<{ duel: Duel }>(winner, `/api/duels/${one.id}`);
    if (duel.status !== 'active') return one.id;
  }
}
