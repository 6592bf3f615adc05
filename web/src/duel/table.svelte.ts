// One duel as the server tells it, followed until its end. Moves are sealed here and opened by themselves; a reload, a
// lost answer or a second tab changes nothing: what counts is what the server says next, and what was kept in hands.ts.

import { ApiError, get, post, Unreachable } from '../api/client.ts';
import type { Duel, Move } from '../api/shapes.ts';
import { session } from '../stores/session.svelte.ts';
import { forget, opened, seal } from './hands.ts';
import { currentRound, isOver } from './view.ts';

/** Codes that say: the duel looks different from what this page thought. */
const moved = ['duel_moved_on', 'not_your_turn', 'conflict'];
/** Seconds that an answer is held while nothing happens. */
const patience = 25;

export class Table {
  readonly code: string;
  duel = $state.raw<Duel | null>(null);
  /** The move that is on its way into its envelope. */
  sealing = $state<Move | null>(null);
  /** Joining or taking back. */
  busy = $state(false);
  /** What went wrong with the last step. */
  error = $state.raw<unknown>(null);
  /** Why the duel cannot be read, while there is nothing to show. */
  failure = $state.raw<unknown>(null);
  /** The move of this round was sealed in another browser, which alone can open it. */
  elsewhere = $state(false);

  readonly round = $derived(this.duel ? currentRound(this.duel) : null);
  /** The viewer's move is due. */
  readonly yourTurn = $derived(
    this.duel?.you != null && this.round !== null && !this.round.committed[this.duel.you],
  );
  #opening = false;
  /** Counts up when the viewer becomes somebody: what was asked before is answered to nobody, who has no side. */
  #viewer = 0;
  #refused: string[] = [];

  constructor(code: string) {
    this.code = code;
  }

  /** Keeps the duel up to date until it is over or nobody looks any more. */
  async follow(signal: AbortSignal): Promise<void> {
    const going = (): boolean => !signal.aborted && !(this.duel && isOver(this.duel));
    for (let failures = 0; going();) {
      const [known, began] = [this.duel?.version, performance.now()];
      try {
        await this.read(signal, known);
        failures = 0;
        // A server that does not hold its answers is asked once a second.
        if (this.duel?.version === known && performance.now() - began < 1000) await pause(1000, signal);
      } catch (error) {
        if (!going() || (error instanceof ApiError && error.status === 404)) break;
        const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
        await pause(Math.max(asked, Math.min(8000, 500 * 2 ** failures++)), signal);
      }
    }
  }

  /** Reads the duel; when a version is given, as soon as it is another one. */
  async read(signal?: AbortSignal, version?: number): Promise<void> {
    const viewer = this.#viewer;
    try {
      const { duel } = await get('/api/duels/{code}', {
        path: { code: this.code },
        ...(signal ? { signal } : {}),
        ...(version === undefined ? {} : { query: { version }, wait: patience }),
      });
      this.failure = null;
      if (viewer === this.#viewer) this.#show(duel);
    } catch (error) {
      if (!signal?.aborted && !this.duel) this.failure = error;
      throw error;
    }
  }

  /** Seals a move for the round that is played. It is kept before its hash is sent. */
  async throw(move: Move): Promise<void> {
    const round = this.round?.round;
    if (!this.yourTurn || this.sealing || round === undefined) return;
    this.sealing = move;
    this.error = null;
    try {
      const commitment = await seal(move);
      this.#refused.push(commitment);
      const { duel } = await post('/api/duels/{code}/commit', {
        path: { code: this.code },
        body: { commitment, round },
      });
      this.#show(duel);
    } catch (error) {
      await this.#recover(error, () => !this.yourTurn || this.round?.round !== round);
    } finally {
      this.sealing = null;
    }
  }

  join(): Promise<void> {
    return this.#act(async () => {
      await session.ensure();
      this.#viewer++;
      return (await post('/api/duels/{code}/join', { path: { code: this.code } })).duel;
    });
  }

  cancel(): Promise<void> {
    return this.#act(
      async () => (await post('/api/duels/{code}/cancel', { path: { code: this.code } })).duel,
    );
  }

  async #act(step: () => Promise<Duel>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.error = null;
    const version = this.duel?.version;
    try {
      this.#show(await step());
    } catch (error) {
      await this.#recover(error, () => this.duel?.version !== version);
    } finally {
      this.busy = false;
    }
  }

  /** Opens the viewer's envelope once both lie on the table; tried again until it is open or too late. */
  async #open(): Promise<void> {
    const [you, round] = [this.duel?.you, this.round];
    const due = you && round?.committed.a && round.committed.b && !round.you_revealed;
    this.elsewhere = false;
    if (!due || this.#opening) return;
    const hand = opened(you === 'a' ? round.commitment_a : round.commitment_b);
    if (!hand) {
      this.elsewhere = true;
      return;
    }
    this.#opening = true;
    const version = this.duel?.version;
    try {
      const { duel } = await post('/api/duels/{code}/reveal', {
        path: { code: this.code },
        body: { ...hand, round: round.round },
      });
      this.#opening = false;
      this.#show(duel);
    } catch (error) {
      await this.#recover(error, () => this.duel?.version !== version);
      setTimeout(() => {
        this.#opening = false;
        void this.#open();
      }, 1000);
    }
  }

  /**
   * A conflict means that the duel has moved on: reads it again, and says nothing if that helps. `done` says, by what is
   * known of the duel then, whether the step was taken although its answer was lost: the duel may have been read again
   * before that was found out.
   */
  async #recover(error: unknown, done: () => boolean): Promise<void> {
    // Somebody else may have joined, or the time was up: then what is to be seen says more than an error.
    const conflict = error instanceof ApiError && error.status === 409;
    if (conflict || error instanceof Unreachable) await this.read().catch(() => undefined);
    if (error instanceof ApiError && moved.includes(error.code)) return;
    if (error instanceof Unreachable && done()) return;
    this.error = error;
  }

  /** Takes over what the server said, unless it is older than what is known. */
  #show(duel: Duel): void {
    const before = this.duel;
    if (before && duel.version < before.version) return;
    this.duel = duel;
    if (before && before.version !== duel.version) this.error = null;
    if (duel.you && (before === null ? isOver(duel) : before.status !== duel.status)) void session.load();
    if (isOver(duel)) {
      const mine = duel.rounds.map((round) => (duel.you === 'a' ? round.commitment_a : round.commitment_b));
      forget([...mine, ...this.#refused]);
    }
    void this.#open();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });
}
