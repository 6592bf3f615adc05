// A short lock of the input after a change of the page, so that the second tap of a double tap has no effect.

/** Milliseconds without input, longer than a double tap: input in that time was meant for the previous controls. */
export const inputLockMs = 600;

export class InputLock {
  /** Input is accepted. */
  settled = $state(true);
  #timer: ReturnType<typeof setTimeout> | undefined;

  lock(): void {
    clearTimeout(this.#timer);
    this.settled = false;
    this.#timer = setTimeout(() => (this.settled = true), inputLockMs);
  }

  release(): void {
    clearTimeout(this.#timer);
    this.settled = true;
  }
}
