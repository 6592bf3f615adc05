// A form on its way to the server: busy or not, and what the server said against it.

import { ApiError } from '../api/client.ts';

export class Form {
  busy = $state(false);
  /** What concerns the form as a whole. */
  error = $state.raw<unknown>(null);
  /** What is wrong with a field, by its name in the contract. */
  fields = $state.raw<Readonly<Record<string, string>>>({});
  readonly #codes: Readonly<Record<string, string>>;

  /** `codes` says which field an error code speaks of: `{ username_taken: 'username' }`. */
  constructor(codes: Readonly<Record<string, string>> = {}) {
    this.#codes = codes;
  }

  /** Sends, unless something is on its way; false when the server said no. */
  async send(action: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.error = null;
    this.fields = {};
    try {
      await action();
      return true;
    } catch (error) {
      this.#take(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  #take(error: unknown): void {
    const field = error instanceof ApiError ? this.#codes[error.code] : undefined;
    if (error instanceof ApiError && Object.keys(error.fields).length > 0) this.fields = error.fields;
    else if (error instanceof ApiError && field) this.fields = { [field]: error.message };
    else this.error = error;
  }
}
