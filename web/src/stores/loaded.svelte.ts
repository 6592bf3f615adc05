// One thing read from the server: loading, here, or failed. What was read once stays on the screen while it is read
// again; what could not be read because the service was away is read when it is back.

import { Unreachable } from '../api/client.ts';
import { retryWhenBack } from './retry.svelte.ts';

export class Loaded<T> {
  value = $state.raw<T | null>(null);
  error = $state.raw<unknown>(null);
  readonly #read: () => Promise<T>;

  constructor(read: () => Promise<T>) {
    this.#read = read;
    void this.load();
    retryWhenBack(() => this.error instanceof Unreachable && this.error, this.load);
  }

  readonly load = async (): Promise<void> => {
    try {
      this.value = await this.#read();
      this.error = null;
    } catch (error) {
      this.error = error;
    }
  };
}
