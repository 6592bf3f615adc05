// One thing read from the server: loading, here, or failed. What was read once stays on the screen while it is read
// again.

export class Loaded<T> {
  value = $state.raw<T | null>(null);
  error = $state.raw<unknown>(null);
  readonly #read: () => Promise<T>;

  constructor(read: () => Promise<T>) {
    this.#read = read;
    void this.load();
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
