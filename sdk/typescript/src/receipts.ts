// Between the commitments and the reveals of a round nothing is on the chain yet. A bot that has revealed can be cheated by
// a service that works with the opponent: the two know the bot's move, and could exchange the opponent's commitment. The
// service's signature under both commitments makes that provable, so the bot obtains it before it reveals, and keeps it
// (docs/protocol.md, section 11).

import type { Client } from './client.js';
import { AnswerError, ReceiptError } from './errors.js';
import { receiptLine, type ReceiptStore } from './stores.js';
import type { Duel, DuelRound, Receipt, Run } from './types.js';
import { parseKey, statementOf, type Key } from './verify.js';

/** Asks for receipts, checks them, and keeps the first one of each round, and each that states something else. */
export class Notary {
  readonly #client: Client;
  readonly #store: ReceiptStore | null;
  /** The key of the log; null until it is read from the service. */
  #key: Key | null = null;
  /** The newest round whose receipt is kept. Rounds come in order, so one is enough. */
  #last = '';

  /** Without a store the receipts are checked and not kept. `key` is the trusted verifier key, if there is one. */
  constructor(client: Client, store: ReceiptStore | null, key: string | null) {
    this.#client = client;
    this.#store = store;
    if (key === null) return;
    this.#key = parseKey(key);
    if (!this.#key) throw new TypeError(`${key} is not a verifier key`);
  }

  /**
   * Checks the receipts of an answer with the duel, and keeps the first one of the round, and one that differs. It
   * ignores answers in which the service has not signed a round. Errors: ReceiptError.
   */
  async keep(duel: Duel, receipts: readonly Receipt[] = [], signal?: AbortSignal): Promise<void> {
    const round = duel.rounds.at(-1);
    if (!round || !duel.b || round.commitment_a === null || round.commitment_b === null) return;
    if (receipts.length === 0) return;
    const key = (this.#key ??= await this.#readKey(duel.move_seconds ?? true, signal));
    for (const receipt of receipts) {
      const said = statementOf(receipt, key);
      if (!said) throw unsigned(duel, round, `the receipt is not signed by ${key.name}+${key.id}`);
      // It must state what this answer shows, so that the service cannot sign one thing and answer another.
      const agrees =
        said.kind === 'round' &&
        said.duel_id === duel.id &&
        said.n === round.round &&
        said.a === duel.a.address &&
        said.b === duel.b.address &&
        said.commitment_a === round.commitment_a &&
        said.commitment_b === round.commitment_b;
      if (!agrees) throw unsigned(duel, round, await this.#refuse(receipt));
      if (this.#last === name(duel, round)) continue;
      // Before the reveal: a crash between the two leaves a receipt of a round that can still be revealed.
      await this.#store?.add({ raw: receipt.raw, signature: receipt.signature });
      this.#last = name(duel, round);
    }
  }

  /** Checks the receipts of an answer with its run, and keeps them, also one that differs. Errors: ReceiptError. */
  async keepRun(run: Run, receipts: readonly Receipt[] = [], signal?: AbortSignal): Promise<void> {
    if (receipts.length === 0) return;
    const key = (this.#key ??= await this.#readKey(false, signal));
    let newest = 0;
    for (const receipt of receipts) {
      const said = statementOf(receipt, key);
      if (!said) throw new ReceiptError(`run ${run.id}: the receipt is not signed by ${key.name}+${key.id}`);
      const shown = shownBy(run, said);
      if (!shown || Object.entries(shown).some(([name, value]) => said[name] !== value))
        throw new ReceiptError(`run ${run.id}: ${await this.#refuse(receipt)}`);
      if (said.kind === 'throw') newest = Math.max(newest, Number(said.n));
      await this.#store?.add({ raw: receipt.raw, signature: receipt.signature });
    }
    // An answer has the receipts of what it has changed: without one of its newest throw, the house has withheld that
    // one, or answers with receipts of an earlier throw.
    if (newest !== run.throws.length) throw new ReceiptError(`run ${run.id}: no receipt states its newest throw`);
  }

  /**
   * Keeps a signed receipt that states something else than the answer, unless it is kept, and returns why it is
   * refused. Nothing convicts a house as it does, once the chain states what the answer has shown. It is kept once: a
   * bot that is started again and again would otherwise fill the store with it.
   */
  async #refuse({ raw, signature }: Receipt): Promise<string> {
    const why = 'the receipt states something else than the answer';
    if (!this.#store) return why;
    try {
      const kept = (await this.#store.lines()).split('\n');
      if (!kept.includes(receiptLine({ raw, signature }).trimEnd())) await this.#store.add({ raw, signature });
    } catch (error) {
      return `${why}; it is not kept: ${String(error)}`;
    }
    return `${why}; it is kept with the other receipts`;
  }

  /**
   * Resolves once the receipt of the round is kept. It asks once more if it is not: the answer that showed both
   * commitments may have been lost, or stored under an Idempotency-Key before the opponent had committed. Returns
   * whether the round still goes on. Errors: ReceiptError.
   */
  async require(duel: Duel, round: DuelRound, signal?: AbortSignal): Promise<boolean> {
    // After a restart the store may have it already; a second one does no harm.
    if (this.#last === name(duel, round)) return true;
    const step = duel.move_seconds ?? true;
    const now = await this.#client.getDuel(duel.id, {}, { receipts: true, step, signal });
    if (now.duel.status !== 'active' || now.duel.rounds.at(-1)?.round !== round.round) return false;
    await this.keep(now.duel, now.receipts, signal);
    if (this.#last !== name(duel, round)) throw unsigned(duel, round, 'the house has not signed both commitments');
    return true;
  }

  /**
   * Reads the log's key from the service. A key that the service states itself still binds it: its receipts convict it
   * by the key under which it signs its checkpoints.
   */
  async #readKey(step: boolean | number, signal: AbortSignal | undefined): Promise<Key> {
    const { head } = await this.#client.getHead({}, { step, signal });
    const key = parseKey(head.verifier_key);
    if (!key) throw new AnswerError(`the service states ${head.verifier_key}, which is not a verifier key`);
    return key;
  }
}

/** Returns what a run shows of the subject of a statement; null for a throw that it has not, and for another game. */
function shownBy(run: Run, said: NonNullable<ReturnType<typeof statementOf>>): Record<string, unknown> | null {
  const { id: run_id, account, commitment, client_seed_hash, cleared, throws, status } = run;
  if (said.kind === 'start') return { run_id, account, commitment, client_seed_hash };
  if (said.kind === 'decision') {
    const made: Partial<Record<Run['status'], string>> = { claimed: 'claim', active: 'continue', abandoned: 'abandon' };
    return { run_id, account, cleared, throws: throws.length, decision: made[status] };
  }
  const made = said.kind === 'throw' ? throws.find(({ n }) => n === said.n) : undefined;
  if (!made) return null;
  const { move, house, outcome, entropy_hash, seed } = made;
  return { run_id, account, move, house, outcome, entropy_hash, seed };
}

/** Names a round of a duel, with the commitments that are shown: a receipt of others is another one, to be kept too. */
const name = (duel: Duel, round: DuelRound): string =>
  `${duel.id} ${round.round} ${round.commitment_a} ${round.commitment_b}`;

const unsigned = (duel: Duel, round: DuelRound, why: string): ReceiptError =>
  new ReceiptError(`duel ${duel.id}, round ${round.round}: ${why}`);
