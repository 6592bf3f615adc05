// The clock of all relative times on the page. It stops while the page is hidden.

class Clock {
  /** Unix milliseconds, updated once a second. */
  now = $state(Date.now());

  start(): void {
    setInterval(() => {
      if (!document.hidden) this.now = Date.now();
    }, 1000);
    document.addEventListener('visibilitychange', () => (this.now = Date.now()));
  }
}

export const clock = new Clock();
