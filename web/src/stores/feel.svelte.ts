// Sound and vibration, which the player switches in the settings menu. localStorage keeps both choices.
//
// Sound is off at first: a page that makes noise unasked is a nuisance in an office, in a train or at night, and Play
// needs no sound to be understood. Vibration is on: it is silent, only phones have it, and it only follows a touch of
// the player.

import { loadChunk } from '../chunks.ts';
import { vibration, type Cue } from '../play/cues.ts';
import { getStored, setStored } from './storage.ts';

/** The maximum delay of a sound in milliseconds. A cue whose code loads later is dropped. */
const maxDelay = 250;

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function loadSound(): Promise<typeof import('../play/sound.ts')> {
  return loadChunk('sound', () => import('../play/sound.ts'));
}

class Feel {
  sound = $state(getStored('sound', isBoolean) ?? false);
  vibrates = $state(getStored('vibration', isBoolean) ?? true);

  setSound(on: boolean): void {
    this.sound = on;
    setStored('sound', on);
    // A sample, so that the player knows the volume. It waits for its code.
    if (on)
      void loadSound().then(
        ({ play }) => play({ kind: 'win' }),
        () => undefined,
      );
  }

  setVibration(on: boolean): void {
    this.vibrates = on;
    setStored('vibration', on);
    if (on) this.#vibrate({ kind: 'win' });
  }

  /** Loads the code for sounds, if they are on. */
  prepare(): void {
    if (this.sound) loadSound().catch(() => undefined);
  }

  cue(cue: Cue): void {
    if (this.vibrates) this.#vibrate(cue);
    if (!this.sound) return;
    const at = performance.now();
    void loadSound().then(
      ({ play }) => {
        if (performance.now() - at < maxDelay) play(cue);
      },
      () => undefined,
    );
  }

  #vibrate(cue: Cue): void {
    if (canVibrate()) navigator.vibrate(vibration(cue));
  }
}

/** Reports whether the device vibrates: desktop browsers have the function, but no motor. */
export function canVibrate(): boolean {
  return 'vibrate' in navigator && matchMedia('(pointer: coarse)').matches;
}

export const feel = new Feel();
