import type { CallOptions, HeldOptions } from './call.js';
import type { Client } from './client.js';
import { Memory, result, rounds, sides, type Round, type Side } from './duels.js';
import { Conflict, ServiceError } from './errors.js';
import { Notary } from './receipts.js';
import { boundsOf, USUAL } from './steps.js';
import { memoryState, readState, type ReceiptStore, type StateStore } from './stores.js';
import { hex, randomHex, utf8 } from './text.js';
import { sleep } from './time.js';
import { metaOf } from './transport.js';
import type { Duel, DuelRound } from './types.js';
import { sha256, type Move } from './verify.js';

/**
 * All rounds against one opponent that both sides revealed, oldest first: the rounds of earlier duels, at
 * most 2,000, then the rounds of this one.
 */
export type History = readonly Round[] & {
  /** The opponent's address, which stays when it changes its name. */
  readonly opponent: string;
  /** The opponent's name. */
  readonly username: string;
  /** The code of the duel. */
  readonly duel: string;
  /** The number of the round to play, from 1. Rounds that a side missed have no entry in the history. */
  readonly round: number;
};

/** Chooses the moves of a bot. An error that a method throws ends the bot, and the deadlines decide the duel. */
export interface Strategy {
  /**
   * Returns the next move. It is called once for each round that is played. A step has a deadline of 15 seconds, or the
   * duel's `move_seconds`, so it may not take long.
   */
  move(history: History): Move | Promise<Move>;
  /** Is called once for each duel that is over. */
  ended?(duel: Duel): void | Promise<void>;
}

/** Options of a bot. Only `client` and `strategy` are required. */
export interface BotOptions {
  /** Has the key of a bot (rsb_…). */
  client: Client;
  /** Chooses the moves. */
  strategy: Strategy;
  /**
   * Keeps the bot's hand, the move and the salt that it has committed to. In memory, the default, a restart between commit
   * and reveal loses the round.
   */
  state?: StateStore | undefined;
  /**
   * Keeps what the house has signed, a receipt for each round: evidence if the proof of a duel later differs. Without a
   * store receipts are checked and not kept.
   */
  receipts?: ReceiptStore | undefined;
  /** The trusted key of the service's log; by default the one that the service states. */
  verifierKey?: string | undefined;
  /** Seconds for which a duel in play may go on after `run` was stopped: 0. */
  linger?: number | undefined;
  /**
   * The version of the program, which `run` names on the bot's profile before it asks for its first ranked duel:
   * letters, digits and . _ + -, at most 32. Each change of the rating names it. By default the one that the service
   * has stays.
   */
  version?: string | undefined;
}

/** How long a bot plays. */
export interface RunOptions {
  /** Ranked duels to play; by default until the signal aborts. */
  duels?: number | undefined;
  /** Stops the bot: it leaves the queue, and a duel in play has `linger` seconds. */
  signal?: AbortSignal | undefined;
}

/** A move for one round with the salt that hides it until the reveal. */
interface Hand {
  duel: string;
  round: number;
  move: Move;
  salt: string;
}

/** Seconds: the pause between calls if the service does not hold answers, and the time to leave the queue. */
const [POLL, LEAVE] = [1, 2];

/** The past duels that a restarted bot reads to know its opponents. Each is one request of the limit. */
const RECALLED = 20;

const MOVES: readonly Move[] = ['rock', 'paper', 'scissors'];

/**
 * Plays ranked duels: it queues, commits, reveals, and queues again.
 *
 *     const bot = new Bot({ client, strategy: { move: () => 'rock' }, state: fileState('bot.json') });
 *     await bot.run({ duels: 10 });
 *
 * It does not poll: the service holds its calls until something changes, so a round costs two. While less
 * than a third of the request limit is left, it asks for no other ranked duel, and plays only the duels of
 * its cups, so that a duel in play always has the calls that it needs. It waits for a service that restarts,
 * within the client's `retryBudget`. It reveals only with the house's signature under both commitments of the
 * round. It stores the move and the salt of a commitment before it sends the commitment, so a killed bot can
 * continue. One call of `run` or `play` at a time.
 */
export class Bot {
  readonly #client: Client;
  readonly #strategy: Strategy;
  readonly #state: StateStore;
  readonly #notary: Notary;
  readonly #linger: number;
  readonly #memory = new Memory();
  readonly #version: string | undefined;
  /** The hand that is committed, or about to be; undefined before the state was read. */
  #hand: Hand | null | undefined;
  /** Of a run: whether it has looked for an unfinished duel. */
  #looked = false;
  /** Of a run: whether it is prepared for ranked duels. */
  #prepared = false;
  /** Of a run: whether the memory was empty at its beginning. */
  #recalls = false;

  constructor(options: BotOptions) {
    this.#client = options.client;
    this.#strategy = options.strategy;
    this.#state = options.state ?? memoryState();
    this.#notary = new Notary(options.client, options.receipts ?? null, options.verifierKey ?? null);
    this.#linger = options.linger ?? 0;
    this.#version = options.version;
  }

  /**
   * Plays ranked duels, and the bot's games in cups. The first one is a duel that a killed bot has left unfinished;
   * only then, with enough of the request limit left, it names its version and reads the past duels from which the
   * strategy knows its opponents. It resolves when they are played or the signal has stopped it. Errors: ReceiptError,
   * errors of the client, and errors of the strategy and the stores.
   */
  async run({ duels = Infinity, signal }: RunOptions = {}): Promise<void> {
    const { log } = this.#client.transport;
    const late = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = (): void => {
      timer = setTimeout(() => late.abort(signal?.reason), 1000 * this.#linger);
    };
    signal?.addEventListener('abort', stop, { once: true });
    try {
      signal?.throwIfAborted();
      [this.#looked, this.#prepared, this.#recalls] = [false, false, this.#memory.empty];
      for (let played = 0; played < duels; played++) {
        const found = await this.#queue(signal);
        if (!found) return;
        log.info('matched', { duel: found.id });
        const duel = await this.play(found, late.signal);
        log.info('finished', { duel: duel.id, result: result(duel), wins: `${duel.wins.a}:${duel.wins.b}` });
      }
    } catch (error) {
      if (!signal?.aborted || error !== signal.reason) throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      clearTimeout(timer);
    }
  }

  /**
   * Plays a duel to its end, in the arena or elsewhere, and returns its final state. Errors: as of `run`, and the
   * signal's reason.
   */
  async play(duel: Duel, signal?: AbortSignal): Promise<Duel> {
    sides(duel); // before anything is sent about a duel that the caller cannot play
    for (let now = duel; ;) {
      if (now.status !== 'active') {
        this.#memory.record(now);
        await this.#strategy.ended?.(now);
        return now;
      }
      try {
        now = await this.#step(now, signal);
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        this.#client.transport.log.debug('refused', { duel: now.id, code: error.code });
        // After a conflict the step had no effect. Else the duel has moved on, by a deadline or by an earlier attempt.
        if (error.code === 'conflict') await sleep(0.1, signal);
        else now = await this.#wait(now, signal);
      }
    }
  }

  /** Commits or reveals, each answered once the other side has moved too, or waits for it. */
  async #step(duel: Duel, signal?: AbortSignal): Promise<Duel> {
    const round = duel.rounds.at(-1);
    if (!round) throw new TypeError(`duel ${duel.id} is active and has no round`);
    const { me } = sides(duel);
    if (!round.committed[me]) {
      const hand = await this.#prepare(duel, round);
      const input = { commitment: commitment(hand), round: round.round };
      const out = await this.#client.commitDuel(duel.id, input, held(duel, signal));
      await this.#notary.keep(out.duel, out.receipts, signal);
      return out.duel;
    }
    const hand = await this.#restore();
    const due = round.committed.a && round.committed.b && !round.you_revealed;
    if (due && hand && matches(hand, duel, round, me) && (await this.#notary.require(duel, round, signal))) {
      const input = { move: hand.move, salt: hand.salt, round: round.round };
      const out = await this.#client.revealDuel(duel.id, input, held(duel, signal));
      // While the other side has not revealed, the service signs the round again: it must be the same one.
      await this.#notary.keep(out.duel, out.receipts, signal);
      return out.duel;
    }
    return this.#wait(duel, signal);
  }

  /** Returns the duel when it has changed, or when the service has held the answer long enough. */
  async #wait(duel: Duel, signal?: AbortSignal): Promise<Duel> {
    const out = await this.#client.getDuel(duel.id, { version: duel.version }, held(duel, signal));
    await this.#notary.keep(out.duel, out.receipts, signal);
    return out.duel;
  }

  /** Returns the hand for a round, which is stored before its commitment is sent. */
  async #prepare(duel: Duel, round: DuelRound): Promise<Hand> {
    const kept = await this.#restore();
    // The commitment may have been sent; the same one again has no effect.
    if (kept?.duel === duel.id && kept.round === round.round) return kept;
    const { me, them } = sides(duel);
    const past = [...this.#memory.past(them.address), ...rounds(duel, me)];
    const turn = { opponent: them.address, username: them.username, duel: duel.id, round: round.round };
    const move = await this.#strategy.move(Object.assign(past, turn));
    if (!MOVES.includes(move)) throw new TypeError(`the strategy returned ${JSON.stringify(move)}, which is no move`);
    const hand = { duel: duel.id, round: round.round, move, salt: randomHex(32) };
    await this.#state.save(JSON.stringify(hand));
    this.#hand = hand;
    return hand;
  }

  /** Returns the hand of this bot, at first the stored one of a stopped bot. */
  async #restore(): Promise<Hand | null> {
    if (this.#hand === undefined) {
      this.#hand = readState(await this.#state.load(), isHand);
    }
    return this.#hand;
  }

  /** Waits in the queue until the service has matched the bot. Returns null once the bot is stopped. */
  async #queue(signal?: AbortSignal): Promise<Duel | null> {
    for (;;) {
      try {
        const found = await this.#ask(signal);
        if (found) return found;
      } catch (error) {
        if (!signal?.aborted) throw error;
      }
      // The service may have queued or matched the bot before the call was ended.
      if (signal?.aborted) return this.#leave();
    }
  }

  /** Asks once for a duel. */
  async #ask(signal?: AbortSignal): Promise<Duel | null> {
    const { pace } = this.#client.transport;
    if (!this.#looked || !pace.covered) {
      const begun = await this.#begun(signal);
      this.#looked = true;
      if (!begun && !pace.covered) await sleep(USUAL.hold, signal);
      return begun;
    }
    if (!this.#prepared) await this.#prepareRun(signal);
    this.#prepared = true;
    try {
      const place = await this.#client.queue({ wait: USUAL.hold, timeout: USUAL.attempt, signal });
      if (place.duel || metaOf(place)?.held) return place.duel;
    } catch (error) {
      // Another call of the same bot may have been first. It had no effect: ask again.
      if (!(error instanceof Conflict)) throw error;
      this.#client.transport.log.debug('refused', { code: error.code });
    }
    await sleep(POLL, signal);
    return null;
  }

  /**
   * Returns a duel of the arena that the bot plays already, such as one of a cup, which begins without its asking, or
   * one of a bot that was killed. Its deadlines go on meanwhile, so the calls are steps.
   */
  async #begun(signal?: AbortSignal): Promise<Duel | null> {
    const { duels } = await this.#client.listDuels({ mine: true, status: 'active' }, { step: true, signal });
    const found = duels.find(({ kind }) => kind === 'ranked' || kind === 'cup');
    if (!found) return null;
    return (await this.#client.getDuel(found.id, {}, { step: found.move_seconds ?? true, signal })).duel;
  }

  /**
   * Leaves the queue before the bot stops, so that it is not matched, and returns the duel for which it was matched
   * before. A failure does no harm: the service drops a silent entry after ten seconds.
   */
  async #leave(): Promise<Duel | null> {
    try {
      return (await this.#client.leaveQueue({ signal: AbortSignal.timeout(1000 * LEAVE) })).duel;
    } catch (error) {
      this.#client.transport.log.debug('not left the queue', { error: String(error) });
      return null;
    }
  }

  /** Does what can wait for a duel in play: a delay of its calls would cost that duel its rounds. */
  async #prepareRun(signal?: AbortSignal): Promise<void> {
    const options = { timeout: USUAL.attempt, signal };
    if (this.#version !== undefined) await this.#nameVersion(this.#version, options);
    if (this.#recalls) await this.#recall(options);
  }

  /** Names the version of the program on the bot's profile. A restart with the same one changes nothing. */
  async #nameVersion(version: string, options: CallOptions): Promise<void> {
    const { account } = await this.#client.getMe(options);
    try {
      await this.#client.describeBot(account.address, { version }, options);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'words_hidden') throw error;
      // It plays all the same.
      this.#client.transport.log.warn('an operator has hidden the words of this bot', { version });
    }
  }

  /**
   * Fills the memory from the latest finished duels, so that a restarted bot knows its opponents. A duel that it has
   * played since its start is among them.
   */
  async #recall(options: CallOptions): Promise<void> {
    const { duels } = await this.#client.listDuels({ mine: true, limit: RECALLED, status: 'finished' }, options);
    this.#memory.forget();
    // The list begins with the newest, and omits the rounds, so each duel is read on its own.
    for (const { id } of duels.reverse()) this.#memory.record((await this.#client.getDuel(id, {}, options)).duel);
  }
}

/** Returns the options of a call about a duel in play. */
function held({ move_seconds }: Duel, signal: AbortSignal | undefined): HeldOptions {
  return { wait: boundsOf(move_seconds).hold, receipts: true, step: move_seconds ?? true, signal };
}

/** Returns the commitment to a hand: SHA-256 of move:salt in hexadecimal. */
const commitment = ({ move, salt }: Hand): string => hex(sha256(utf8(`${move}:${salt}`)));

/** Whether a side has committed to the hand in a round. It has not if another program plays with the same key. */
function matches(hand: Hand, duel: Duel, round: DuelRound, me: Side): boolean {
  return hand.duel === duel.id && hand.round === round.round && round[`commitment_${me}`] === commitment(hand);
}

function isHand(value: unknown): value is Hand {
  const { duel, round, move, salt } = (value ?? {}) as Partial<Hand>;
  return (
    typeof duel === 'string' && typeof round === 'number' && typeof salt === 'string' && MOVES.includes(move as Move)
  );
}
