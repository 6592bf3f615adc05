// The state of a form: in flight or not, and the server's error messages.

import { ApiError } from '../api/client.ts';
import { problem } from '../text/problems.ts';
import { Declined } from './session.svelte.ts';

export class Form {
  busy = $state(false);
  /** The error of the form as a whole. */
  error = $state.raw<unknown>(null);
  /** Error messages by field name of the contract. */
  fields = $state.raw<Readonly<Record<string, string>>>({});
  readonly #codes: Readonly<Record<string, string>>;

  /** `codes` maps error codes to fields: `{ username_taken: 'username' }`. */
  constructor(codes: Readonly<Record<string, string>> = {}) {
    this.#codes = codes;
  }

  /** Runs the request unless one is in flight. Returns false after an error. */
  async send(action: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.error = null;
    this.fields = {};
    try {
      await action();
      return true;
    } catch (error) {
      this.#setError(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  #setError(error: unknown): void {
    const field = error instanceof ApiError ? this.#codes[error.code] : undefined;
    if (error instanceof ApiError && Object.keys(error.fields).length > 0) this.fields = error.fields;
    else if (error instanceof ApiError && field) this.fields = { [field]: problem(error).title };
    else if (!(error instanceof Declined)) this.error = error;
  }
}
