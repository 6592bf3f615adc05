// A file of a proof, or of several, and its verification. What the player has begun last supersedes what is under way:
// a fetch or a verification that ends later changes nothing.

import type { Requirements } from '../stores/trust.svelte.ts';
import { newestDuel, verifyFile, type Entry } from './file.ts';
import { duelProofAddress, fetchProof, verify, type Verified } from './proof.ts';

interface ProofFile {
  name: string;
  bytes: ArrayBuffer;
}

/** Reports whether nothing has superseded an action. */
type IsNewest = () => boolean;

export class FileCheck {
  file = $state.raw<ProofFile | null>(null);
  /** The report of the file, or of the chosen one of several proofs. */
  result = $state.raw<Verified | null>(null);
  /** The verdicts on a file of several proofs, with its bytes. */
  list = $state.raw<{ entries: Entry[]; bytes: ArrayBuffer } | null>(null);
  /** The line of the proof of several whose report is shown. */
  shown = $state<number | null>(null);
  progress = $state.raw<{ done: number; count: number } | null>(null);
  /** The code of the duel whose proof was fetched; null for a file of the player. */
  fetched = $state<string | null>(null);
  fetching = $state(false);
  /** No duel has finished yet. */
  noDuel = $state(false);
  error = $state.raw<unknown>(null);
  /** Repeats what has failed. */
  retry = $state.raw<() => unknown>(() => undefined);

  readonly #required: () => Promise<Requirements>;
  /** The numbers of the newest action and of the newest one that has ended. */
  #begun = 0;
  #ended = 0;
  #choices = 0;

  /** `required` returns what proofs must satisfy now. */
  constructor(required: () => Promise<Requirements>) {
    this.#required = required;
  }

  /** The fetched proof is in no block yet. */
  get waiting(): boolean {
    return this.fetched !== null && !this.fetching && this.result?.waiting === true;
  }

  /** Verifies a file of the player. */
  open(picked: Pick<File, 'name' | 'arrayBuffer'>): Promise<void> {
    return this.#begin(async (isNewest) => {
      this.#clear();
      const bytes = await picked.arrayBuffer();
      if (isNewest()) await this.#verify({ name: picked.name, bytes }, isNewest);
    });
  }

  /** Verifies the proof of the duel that has finished last. */
  tryNewest(): Promise<void> {
    return this.#begin(async (isNewest) => {
      this.#clear();
      this.fetching = true;
      const code = await newestDuel();
      if (!isNewest()) return;
      if (code === null) this.noDuel = true;
      else await this.#load(code, isNewest);
    });
  }

  /** Fetches and verifies the proof of the same duel again, unless something else is under way. */
  async again(): Promise<void> {
    const code = this.fetched;
    if (code === null || this.#ended !== this.#begun) return;
    await this.#begin((isNewest) => this.#load(code, isNewest));
  }

  /** Verifies the file again, after a change of what is required. */
  async recheck(): Promise<void> {
    const { file } = this;
    if (file) await this.#begin((isNewest) => this.#verify(file, isNewest));
  }

  /** Shows the report of one of several proofs. The verification of their file goes on. */
  async choose(entry: Entry): Promise<void> {
    const { list } = this;
    if (!list) return;
    const [request, choice] = [this.#begun, ++this.#choices];
    const isNewest = () => request === this.#begun && choice === this.#choices;
    const retry = () => this.choose(entry);
    await this.#attempt(isNewest, retry, async () => {
      const found = await verify(list.bytes.slice(entry.from, entry.to), await this.#required());
      if (isNewest()) [this.result, this.shown] = [found, entry.line];
    });
  }

  /** Begins an action, which supersedes those under way. */
  async #begin(act: (isNewest: IsNewest) => Promise<void>): Promise<void> {
    const request = ++this.#begun;
    const isNewest = () => request === this.#begun;
    [this.fetching, this.progress] = [false, null];
    const retry = () => this.#begin(act);
    await this.#attempt(isNewest, retry, () => act(isNewest));
    if (!isNewest()) return;
    [this.fetching, this.progress] = [false, null];
    this.#ended = request;
  }

  async #attempt(isNewest: IsNewest, retry: () => unknown, act: () => Promise<void>): Promise<void> {
    this.error = null;
    try {
      await act();
    } catch (thrown) {
      if (isNewest()) [this.error, this.retry] = [thrown, retry];
    }
  }

  /** Removes the file with its verdicts: they must not stand under the name of another one. */
  #clear(): void {
    [this.file, this.result, this.list, this.shown] = [null, null, null, null];
    [this.fetched, this.noDuel] = [null, false];
  }

  async #load(code: string, isNewest: IsNewest): Promise<void> {
    const bytes = await fetchProof(duelProofAddress(code));
    if (!isNewest()) return;
    this.fetched = code;
    await this.#verify({ name: `${code}.json`, bytes }, isNewest);
  }

  async #verify(file: ProofFile, isNewest: IsNewest): Promise<void> {
    this.file = file;
    const required = await this.#required();
    if (!isNewest()) return;
    const found = await verifyFile(file.bytes, required, (done, count) => {
      if (isNewest()) this.progress = { done, count };
      return isNewest();
    });
    if (!found || !isNewest()) return;
    const { single, entries } = found;
    this.list = entries && { entries, bytes: file.bytes };
    [this.result, this.shown] = [single, null];
  }
}
