/** The longest delay of a timer, in milliseconds: a longer one would fire at once. */
const MAX_TIMER = 2 ** 31 - 1;

/** Waits for a number of seconds. It rejects with the signal's reason if that aborts first. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, failed) => {
    if (signal?.aborted) {
      failed(signal.reason as Error);
      return;
    }
    const abort = (): void => {
      clearTimeout(timer);
      failed(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort);
        done();
      },
      Math.max(0, Math.min(1000 * seconds, MAX_TIMER)),
    );
    signal?.addEventListener('abort', abort, { once: true });
  });
}
