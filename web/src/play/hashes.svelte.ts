// Whether the hashes of a run are unfolded. Stored, as their reader wants them in each run.

import { getStored, setStored } from '../stores/storage.ts';

function isTrue(value: unknown): value is true {
  return value === true;
}

class Hashes {
  #open = $state(getStored('hashes', isTrue) ?? false);

  get open(): boolean {
    return this.#open;
  }

  set open(open: boolean) {
    this.#open = open;
    setStored('hashes', open || null);
  }
}

export const hashes = new Hashes();
