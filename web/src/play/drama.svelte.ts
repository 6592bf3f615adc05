// The countdown of a throw: rock, paper, scissors, shoot. The request of the throw is in flight meanwhile. A key or a
// press skips the countdown. It does not run with reduced motion, nor while the page is hidden.

import { feel } from '../stores/feel.svelte.ts';
import { t } from '../text/language.ts';

export const words = [t('Rock'), t('Paper'), t('Scissors'), t('Shoot!')] as const;
/** The index of the last word. */
export const shoot = words.length - 1;
/** Milliseconds of each word: 700 in total. */
export const beatMs = 175;

class Drama {
  /** The index of the word on display; null without a throw. The last word stays until `end`. */
  beat = $state<number | null>(null);
  #timer: ReturnType<typeof setInterval> | undefined;
  #finish: (() => void) | null = null;

  /** Starts the countdown. The promise resolves after the last word, or when the player skips it. */
  start(): Promise<void> {
    this.end();
    if (document.hidden || matchMedia('(prefers-reduced-motion: reduce)').matches) return Promise.resolve();
    return new Promise((finish) => {
      this.#finish = finish;
      this.#show(0);
      this.#timer = setInterval(() => {
        const next = (this.beat ?? 0) + 1;
        if (next > shoot) this.skip();
        else this.#show(next);
      }, beatMs);
    });
  }

  /** Ends the countdown at its last word. Returns false if none was running. */
  skip(): boolean {
    if (!this.#finish) return false;
    clearInterval(this.#timer);
    this.beat = shoot;
    this.#finish();
    this.#finish = null;
    return true;
  }

  /** Removes the word: the result is on display, or the request failed. */
  end(): void {
    this.skip();
    this.beat = null;
  }

  #show(beat: number): void {
    this.beat = beat;
    feel.cue({ kind: 'beat', last: beat === shoot });
  }
}

export const drama = new Drama();

/**
 * Skips the countdown when `area` is pressed. The click of that press has no other effect: the controls below it may
 * have changed in between. Returns the function that removes the listeners.
 */
export function skipByPress(area: HTMLElement): () => void {
  let skipped = false;
  const press = (): void => {
    skipped = drama.skip();
  };
  const click = (event: MouseEvent): void => {
    // A click by the keyboard has no presses (detail 0).
    if (!skipped || event.detail === 0) return;
    skipped = false;
    event.preventDefault();
    event.stopPropagation();
  };
  area.addEventListener('pointerdown', press, true);
  area.addEventListener('click', click, true);
  return () => {
    area.removeEventListener('pointerdown', press, true);
    area.removeEventListener('click', click, true);
  };
}
