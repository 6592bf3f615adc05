// One clock for every relative time on the page; it stands still while nobody looks.

class Clock {
  /** Unix milliseconds, moved once a second. */
  now = $state(Date.now());

  start(): void {
    setInterval(() => {
      if (!document.hidden) this.now = Date.now();
    }, 1000);
    document.addEventListener('visibilitychange', () => (this.now = Date.now()));
  }
}

export const clock = new Clock();
