// The challenges that wait for the player: open duels that are for the player alone.

import { get, post } from '../api/client.ts';
import type { Duel } from '../api/shapes.ts';
import { router } from '../router.svelte.ts';
import { t } from '../text/language.ts';
import { announcer } from './announce.svelte.ts';
import { events } from './events.svelte.ts';
import { feel } from './feel.svelte.ts';
import { fresh } from './fresh.ts';
import { notify } from './notify.svelte.ts';

/** Seconds between two reads: events report each challenge and its end. */
const seconds = 300;

class Challenges {
  /** Without those that the player has put aside, newest first. */
  waiting = $state.raw<readonly Duel[]>([]);

  readonly #aside = new Set<string>();
  readonly #known = new Set<string>();
  /** Those that have ended during a read, whose answer may still have them. */
  #ended = new Set<string>();

  /** Follows the challenges of the signed-in player. `first` reads them at once. Returns the function that stops it. */
  follow(first: boolean): () => void {
    const stops = [
      fresh.follow('challenges', (signal) => this.#read(signal), { first, seconds, hidden: true }),
      events.listen(['duel_joined', 'duel_cancelled', 'duel_expired'], (event) => {
        if (event) this.#remove(event.code);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      this.waiting = [];
      this.#known.clear();
    };
  }

  /** Joins the duel and opens it. */
  async accept({ id }: Duel): Promise<void> {
    await post('/api/duels/{code}/join', { path: { code: id } });
    this.#remove(id);
    router.go(`/d/${id}`);
  }

  async decline({ id }: Duel): Promise<void> {
    await post('/api/duels/{code}/cancel', { path: { code: id } });
    this.#remove(id);
  }

  /** Declines the challenge, and takes no others of the player. */
  async block({ id, a }: Duel): Promise<void> {
    await post('/api/duels/opponents/{address}/block', { path: { address: a.address } });
    this.#remove(id);
  }

  /** Shows a challenge no longer, which stays open. */
  putAside({ id }: Duel): void {
    this.#aside.add(id);
    this.#remove(id);
  }

  async #read(signal: AbortSignal): Promise<void> {
    const ended = (this.#ended = new Set());
    const { duels } = await get('/api/duels', { query: { for_me: true, limit: 20 }, signal });
    signal.throwIfAborted();
    this.waiting = duels.filter(({ id }) => !this.#aside.has(id) && !ended.has(id));
    const fresh = this.waiting.filter(({ id }) => !this.#known.has(id));
    for (const { id } of fresh) this.#known.add(id);
    if (fresh[0]) this.#signal(fresh[0]);
  }

  #signal({ id, a }: Duel): void {
    const text = t('{name} challenges you', { name: a.username });
    feel.cue({ kind: 'turn' });
    announcer.say(text);
    notify(text, t('The challenge waits for your answer.'), `/d/${id}`);
  }

  #remove(code: string): void {
    this.#ended.add(code);
    this.waiting = this.waiting.filter(({ id }) => id !== code);
  }
}

export const challenges = new Challenges();
