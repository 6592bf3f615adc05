// A value from the server: loading, loaded or failed. The value stays while it is reloaded. A load that failed because
// the service was unreachable is retried when the service is back.

import { Unreachable } from '../api/client.ts';
import { retryWhenBack } from './retry.svelte.ts';

export class Loaded<T> {
  value = $state.raw<T | null>(null);
  error = $state.raw<unknown>(null);
  readonly #read: () => Promise<T>;
  #asked = 0;
  #answered = 0;

  constructor(read: () => Promise<T>) {
    this.#read = read;
    void this.load();
    retryWhenBack(() => this.error instanceof Unreachable && this.error, this.load);
  }

  readonly load = async (): Promise<void> => {
    const request = ++this.#asked;
    try {
      const value = await this.#read();
      // An answer that is late must not replace the answer to a later request.
      if (request < this.#answered) return;
      this.#answered = request;
      this.value = value;
      this.error = null;
    } catch (error) {
      if (request > this.#answered) this.error = error;
    }
  };
}
