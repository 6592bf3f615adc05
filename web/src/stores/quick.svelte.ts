// The search for an opponent of a quick match. It goes on while the player practises or looks at other pages, until an
// opponent is found or the player stops it.

import { post } from '../api/client.ts';
import { router } from '../router.svelte.ts';
import { t } from '../text/language.ts';
import { clock } from './clock.svelte.ts';
import { feel } from './feel.svelte.ts';
import { fresh } from './fresh.ts';
import { notify } from './notify.svelte.ts';
import { Declined, session } from './session.svelte.ts';
import { viewer } from './viewer.svelte.ts';

/** Seconds of one waiting request. */
const waitSeconds = 20;
/** Seconds after which the page offers practice. */
export const offerSeconds = 15;

class Quick {
  /** When the search began, by Date.now(); null while there is none. */
  since = $state<number | null>(null);
  error = $state.raw<unknown>(null);
  /** Seconds since then. */
  readonly waited: number = $derived.by(() =>
    this.since === null ? 0 : Math.max(0, Math.round((clock.now - this.since) / 1000)),
  );

  #search: AbortController | null = null;
  /** The practice that the player began during the search. */
  #practice = '';

  constructor() {
    // Another player on this page does not search.
    viewer.onChange(() => {
      this.#search?.abort();
      this.#end();
    });
  }

  /** Searches until an opponent is found. */
  async start(): Promise<void> {
    if (this.#search) return;
    const mine = new AbortController();
    this.#search = mine;
    this.since = Date.now();
    this.error = null;
    this.#practice = '';
    const going = (): boolean => this.#search === mine;
    try {
      await session.ensure();
      while (going() && !session.was) {
        const { status, duel } = await post('/api/duels/quick', { wait: waitSeconds, signal: mine.signal });
        if (!going()) break;
        if (status === 'matched' && duel) this.#found(duel.id);
        if (status !== 'waiting') break;
      }
    } catch (failure) {
      if (going() && !(failure instanceof Declined)) this.error = failure;
    } finally {
      if (going()) this.#end();
    }
  }

  /** Ends the search. A duel that was found meanwhile goes on. */
  stop(): void {
    if (!this.#search) return;
    this.#search.abort();
    this.#end();
    // After an error the place in the queue lapses within ten seconds.
    post('/api/duels/quick/leave').then(
      ({ duel }) => {
        if (duel) this.#found(duel.id);
      },
      () => undefined,
    );
  }

  /** Begins practice against the sparring bot. A search goes on. */
  async practise(): Promise<void> {
    await session.ensure();
    const { duel } = await post('/api/duels/spar');
    this.#practice = duel.id;
    router.go(`/d/${duel.id}`);
  }

  #end(): void {
    this.#search = null;
    this.since = null;
  }

  /** Opens the duel where the player waits for it. Elsewhere "Your turn" leads to it, so that nothing is interrupted. */
  #found(id: string): void {
    notify(t('Opponent found'), t('A duel waits for your hand.'), `/d/${id}`);
    if (['/duels', `/d/${this.#practice}`].includes(router.path)) {
      feel.cue({ kind: 'turn' });
      router.go(`/d/${id}`);
    } else fresh.touch('turns', true);
  }
}

export const quick = new Quick();
