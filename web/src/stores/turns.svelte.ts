// Duels in which the player has to choose a hand, wherever on the page the player is. They come from the list
// of the player's active duels, read after events: a stream begins with the state of each of them. A player
// who allows notifications gets them from a hidden tab, which keeps its stream for that.

import { get } from '../api/client.ts';
import { waitingFor } from '../duel/waiting.ts';
import { router } from '../router.svelte.ts';
import { t } from '../text/language.ts';
import { events } from './events.svelte.ts';
import { feel } from './feel.svelte.ts';
import { fresh } from './fresh.ts';
import { notifications, notify } from './notify.svelte.ts';

/** Seconds between two reads with a stream, which reports each change. */
const streamSeconds = 300;
/** Without one: seconds until the first read, between two while a duel is active, and between others. */
const [startSeconds, activeSeconds, idleSeconds] = [6, 15, 60];

class Turns {
  /** Codes of the duels that wait, without the one on the page. */
  waiting = $state.raw<readonly string[]>([]);

  /** The player has active duels; null while that is unknown. */
  #active: boolean | null = null;
  #all: readonly string[] = [];
  #known = new Set<string>();

  /** Follows the duels of the signed-in player. Returns the function that stops it. */
  follow(): () => void {
    this.#active = null;
    const seconds = (): number => {
      if (events.connected) return streamSeconds;
      return this.#active === null ? startSeconds : this.#active ? activeSeconds : idleSeconds;
    };
    const stop = fresh.follow('turns', (signal) => this.#read(signal), {
      first: false,
      seconds,
      hidden: true,
    });
    const end = notifications.follow((on) => events.notify(on));
    return () => {
      stop();
      end();
      events.notify(false);
      this.#show([]);
    };
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const query = { status: 'active', mine: true, limit: 20 } as const;
      const { duels } = await get('/api/duels', { query, signal });
      signal.throwIfAborted();
      this.#active = duels.length > 0;
      this.#show(waitingFor(duels));
    } catch {
      // The next read repeats it.
    }
  }

  #show(all: readonly string[]): void {
    this.#all = all;
    const known = this.#known;
    this.#known = new Set(all);
    this.update();
    const [fresh] = this.waiting.filter((id) => !known.has(id));
    if (fresh !== undefined) this.#signal(fresh);
  }

  /** Leaves out the duel on the page, which shows its own turn; to be called when the page or its visibility changes. */
  update(): void {
    this.waiting = this.#all.filter((id) => document.hidden || router.path !== `/d/${id}`);
  }

  #signal(id: string): void {
    feel.cue({ kind: 'turn' });
    notify(t('Your turn'), t('A duel waits for your hand.'), `/d/${id}`);
  }
}

export const turns = new Turns();
