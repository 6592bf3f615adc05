// A component of the page that is loaded when it is needed.

import { loadChunk } from '../chunks.ts';

export class Lazy<C> {
  Component = $state.raw<C | null>(null);
  /** The error of the last attempt. */
  error = $state.raw<unknown>(null);
  readonly #name: string;
  readonly #run: () => Promise<{ default: C }>;

  /** `run` imports the component; `name` is that of the chunk. */
  constructor(name: string, run: () => Promise<{ default: C }>) {
    this.#name = name;
    this.#run = run;
  }

  readonly load = async (): Promise<void> => {
    try {
      this.Component = (await loadChunk(this.#name, this.#run)).default;
      this.error = null;
    } catch (error) {
      this.error = error;
    }
  };
}
