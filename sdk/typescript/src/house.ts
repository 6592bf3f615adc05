import type { CallOptions } from './call.js';
import type { Client } from './client.js';
import { TextsError } from './errors.js';
import { Notary } from './receipts.js';
import { memoryState, readState, type ReceiptStore, type StateStore } from './stores.js';
import { randomHex } from './text.js';
import { sleep } from './time.js';
import type { Run, StartRunIn, StartRunOut, ThrowIn, ThrowOut } from './types.js';
import { textHash } from './verify.js';

/** Options of a house. Only `client` is required. */
export interface HouseOptions {
  /** Has the session of a player, or a key with the scope play. */
  client: Client;
  /**
   * Keeps the texts of the last runs. In memory, the default, a restart between the sending of a throw and its answer draws
   * others.
   */
  state?: StateStore | undefined;
  /** Keeps what the house has signed about the runs. Without a store receipts are checked and not kept. */
  receipts?: ReceiptStore | undefined;
  /** The trusted key of the service's log; by default the one that the service states. */
  verifierKey?: string | undefined;
}

/** The texts of one run, named by its commitment: it has no id yet when they are stored. */
interface Texts {
  commitment: string;
  /** The id of the run; absent until the house has answered with it. */
  run?: string;
  client_seed: string;
  /** The entropy of throw n is at n-1; empty for a throw that another program sent. */
  entropy: string[];
}

/** Seconds between two throws of an account. A throw that comes sooner is refused. */
const SPACING = 0.25;

/** The runs whose texts are kept. A run has about 0.2 kB of them, and 35 bytes for each throw. */
const MAX_RUNS = 100;

/**
 * Plays runs against the house with fresh texts: a client seed for each run and entropy for each throw, so that the house
 * knows none of its hands before it is asked for them. It stores each text before it sends it. A call that is repeated
 * after an error, also by another process with the same state, sends the same text: a fresh one would be a second draw,
 * of which the house could keep the better one. One call at a time.
 *
 *     const house = new House({ client });
 *     let { run } = await house.start({ move: 'rock', then: 'claim' });
 *     while (run.status === 'active') ({ run } = await house.throw(run, { move: 'rock', then: 'claim' }));
 */
export class House {
  readonly #client: Client;
  readonly #state: StateStore;
  readonly #notary: Notary;
  /**
   * The texts of the last runs, those that have changed last at the end: a house that shows another commitment and then
   * the first one again must receive the same texts. Undefined before the state was read.
   */
  #kept: readonly Texts[] | undefined;
  /** The earliest time of the next throw, in milliseconds of performance.now(). */
  #next = 0;

  constructor(options: HouseOptions) {
    this.#client = options.client;
    this.#state = options.state ?? memoryState();
    this.#notary = new Notary(options.client, options.receipts ?? null, options.verifierKey ?? null);
  }

  /**
   * Starts a run, with its first throw if the input has a move, and draws the texts that the input leaves
   * out. Errors: TextsError, ReceiptError, and errors of the service. A start that is refused with `recovering` is not
   * repeated here: the next call reads the new commitment, which needs another client seed.
   */
  async start(input: StartRunIn = {}, options: CallOptions = {}): Promise<StartRunOut> {
    const { signal } = options;
    // The commitment is fixed before the house receives a text, so the texts can be stored under it.
    const { next_commitment } = await this.#client.getMe({ signal });
    const { commitment } = next_commitment;
    let of = await this.#find('', commitment);
    if (!of) {
      of = { commitment, client_seed: input.client_seed || randomHex(16), entropy: [] };
      await this.#keep(of);
    }
    // If the house counts a start whose answer is lost, the account's next commitment is another one, and so is the seed.
    const body = { ...input, client_seed: of.client_seed };
    if (input.move) {
      of = await this.#draw(of, 1, input.entropy);
      body.entropy = of.entropy[0];
    }
    const out = await this.#client.startRun(body, { ...options, receipts: true });
    await this.#answered(of, out, signal);
    return out;
  }

  /**
   * Plays the next throw of a run, whose latest state the caller has: it reads the run again after an error,
   * since the throw may have been counted. It draws the entropy unless the input has one. Errors: TextsError,
   * ReceiptError, and errors of the service.
   */
  async throw(run: Run, input: ThrowIn, options: CallOptions = {}): Promise<ThrowOut> {
    // Before a text is drawn: the same throw under another commitment would get a second one.
    const known = await this.#check(await this.#textsOf(run), run);
    const n = run.throws.length;
    const of = await this.#draw(known, n + 1, input.entropy);
    await sleep((this.#next - performance.now()) / 1000, options.signal);
    const out = await this.#client.throw(run.id, { ...input, entropy: of.entropy[n] }, { ...options, receipts: true });
    await this.#answered(of, out, options.signal);
    return out;
  }

  async #load(): Promise<readonly Texts[]> {
    return (this.#kept ??= readState(await this.#state.load(), areTexts) ?? []);
  }

  /** Returns the kept texts of a run, by its id or, while that is unknown, by its commitment. */
  async #find(run: string, commitment: string): Promise<Texts | undefined> {
    const kept = await this.#load();
    return kept.find((of) => run !== '' && of.run === run) ?? kept.find((of) => of.commitment === commitment);
  }

  /** Returns the texts of a run: those that it states, if another program has started it. */
  async #textsOf({ id, commitment, client_seed }: Run): Promise<Texts> {
    return (await this.#find(id, commitment)) ?? { commitment, client_seed, entropy: [] };
  }

  /** Stores the texts of a run before they are sent. */
  async #keep(of: Texts): Promise<void> {
    const others = (await this.#load()).filter(({ commitment }) => commitment !== of.commitment);
    const next = [...others, of].slice(-MAX_RUNS);
    await this.#state.save(JSON.stringify(next));
    this.#kept = next;
  }

  /** Returns the texts with an entropy of throw n: the stored one, or the wanted or a fresh one, which it stores. */
  async #draw(of: Texts, n: number, wanted?: string | null): Promise<Texts> {
    if (of.entropy[n - 1]) return of;
    const entropy = Array.from({ length: Math.max(n, of.entropy.length) }, (_, i) => of.entropy[i] ?? '');
    entropy[n - 1] = wanted || randomHex(16);
    const next = { ...of, entropy };
    await this.#keep(next);
    return next;
  }

  /**
   * Compares what the house states about a run with the texts that were sent, notes the id of the run, and returns the
   * texts. The hashes are what the chain holds; a proof that opens other texts fails the verifiers' checks.
   */
  async #check(texts: Texts, run: Run): Promise<Texts> {
    const of = { ...texts, run: texts.run ?? run.id };
    if (texts.run === undefined) await this.#keep(of);
    if (of.run !== run.id || of.commitment !== run.commitment) throw differs(run, 'commitment');
    if (textHash(of.client_seed) !== run.client_seed_hash) throw differs(run, 'client seed');
    // Texts of throws that the run does not have yet belong to calls without an answer.
    for (const [i, { entropy_hash }] of run.throws.entries()) {
      const sent = of.entropy[i];
      if (sent && textHash(sent) !== entropy_hash) throw differs(run, `entropy of throw ${i + 1}`);
    }
    return of;
  }

  /** Checks the answer to a start or a throw, which the house has counted before, and keeps its receipts. */
  async #answered(
    of: Texts,
    { run, receipts }: StartRunOut | ThrowOut,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    this.#next = performance.now() + 1000 * SPACING;
    await this.#notary.keepRun(run, receipts, signal); // evidence, whatever the check finds
    await this.#check(of, run);
  }
}

const differs = (run: Run, what: string): TextsError =>
  new TextsError(`run ${run.id}: the house has recorded another ${what} than was sent`);

const isText = (value: unknown): boolean => typeof value === 'string';

function areTexts(value: unknown): value is Texts[] {
  return (
    Array.isArray(value) &&
    (value as (Partial<Texts> | null)[]).every(
      (of) =>
        of !== null &&
        isText(of.commitment) &&
        (of.run === undefined || isText(of.run)) &&
        isText(of.client_seed) &&
        Array.isArray(of.entropy) &&
        of.entropy.every(isText),
    )
  );
}
