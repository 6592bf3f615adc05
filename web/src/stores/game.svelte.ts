// One house run from the sealed envelope to its end. The server decides everything; this store only knows what was
// said last, what is on its way, and what the browser checked for itself. Whatever goes wrong, `resume` reads the
// truth again.

import { ApiError, get, post, randomHex } from '../api/client.ts';
import type { EntryChoice, Move, Run, Throw } from '../api/shapes.ts';
import { checkThrow, type ThrowCheck } from '../play/fairness.ts';
import { live } from './live.svelte.ts';
import { isText, recall, remember } from './memory.ts';
import { rules } from './rules.svelte.ts';
import { session } from './session.svelte.ts';

export type Phase = 'idle' | 'active' | 'deciding' | 'ended';

/**
 * For how long after the table has changed it takes no decision, in milliseconds: longer than a double tap. What is
 * pressed in that time was meant for what was there before.
 */
const calm = 600;

/** Codes that say: the table looks different from what this page thought. */
const moved = ['run_active', 'run_state', 'already_claimed', 'conflict'];

class Game {
  run = $state.raw<Run | null>(null);
  /** The player's hand that is on its way to the house. */
  thrown = $state<Move | null>(null);
  /** Any other step that is on its way. */
  busy = $state(false);
  /** The decision that is shown has been in sight for long enough to be meant. */
  settled = $state(true);
  checks = $state.raw<readonly ThrowCheck[]>([]);
  error = $state.raw<unknown>(null);

  entry = $state<EntryChoice>('auto');
  clientSeed = $state(randomHex(8));
  entropy = $state('');

  readonly phase: Phase = $derived.by(() => {
    if (!this.run) return 'idle';
    return this.run.status === 'active' || this.run.status === 'deciding' ? this.run.status : 'ended';
  });
  readonly last: Throw | null = $derived(this.run?.throws.at(-1) ?? null);
  /** The commitment on the table: of the run, or of the one that comes next. */
  readonly commitment: string | null = $derived(
    this.run?.commitment ?? session.me?.next_commitment.commitment ?? null,
  );
  /** When the next throw may leave, on this machine's monotonic clock. */
  #notBefore = 0;
  #settling: ReturnType<typeof setTimeout> | undefined;

  /** After a reload or a lost connection: the run the server knows, or the last one that ended here. */
  async resume(): Promise<void> {
    if (this.#moving()) return;
    this.error = null;
    const me = await session.load();
    // Without an answer, what is on the table stays; a step that began meanwhile knows better than this answer.
    if ((!me && session.state !== 'none') || this.#moving()) return;
    const ended = recall('ended', isText);
    if (me?.active_run) this.#show(me.active_run);
    else if (me && ended) await this.#showEnded(ended);
    else this.#show(null);
    await this.#check(this.run);
  }

  async #showEnded(run_id: string): Promise<void> {
    try {
      this.#show((await get('/api/runs/{run_id}', { path: { run_id } })).run);
    } catch (error) {
      if (error instanceof ApiError) this.#show(null);
      else this.error = error;
    }
  }

  /** Throws; starts the run first when none is on. Too early is no error: the throw waits for its turn. */
  async throw(move: Move): Promise<void> {
    if (this.#moving() || (this.phase !== 'idle' && this.phase !== 'active')) return;
    this.thrown = move;
    this.error = null;
    try {
      if (this.run) await this.#send(move);
      else await this.#begin(move);
    } catch (error) {
      this.#recover(error);
    } finally {
      this.thrown = null;
    }
  }

  async risk(): Promise<void> {
    await this.#step('deciding', async (run_id) => {
      this.#show((await post('/api/runs/{run_id}/continue', { path: { run_id } })).run);
    });
  }

  async claim(): Promise<void> {
    await this.#step('deciding', async (run_id) => {
      this.#show((await post('/api/runs/{run_id}/claim', { path: { run_id } })).run);
    });
  }

  async abandon(): Promise<void> {
    await this.#step('active', async (run_id) => {
      this.#show((await post('/api/runs/{run_id}/abandon', { path: { run_id } })).run);
    });
  }

  /** Clears the table after a run: the next envelope is already sealed. */
  next(): void {
    if (this.phase !== 'ended' || !this.settled) return;
    this.#show(null);
    this.checks = [];
    this.error = null;
    this.clientSeed = randomHex(8);
    remember('ended', null);
  }

  #moving(): boolean {
    return this.thrown !== null || this.busy;
  }

  /** Starts a run with its first throw: one call behind the gesture. */
  async #begin(move: Move): Promise<void> {
    await session.ensure();
    const { run, next_commitment, balance } = await post('/api/runs', {
      body: { entry: this.entry, client_seed: this.clientSeed || null, move, entropy: this.entropy },
    });
    this.#notBefore = performance.now() + rules.spacing;
    this.entropy = '';
    this.checks = [];
    session.note({ next_commitment, balance });
    this.#show(run);
    void this.#check(run);
  }

  async #send(move: Move): Promise<void> {
    const run = this.run as Run;
    await pause(this.#notBefore - performance.now());
    try {
      const answer = await post('/api/runs/{run_id}/throw', {
        path: { run_id: run.id },
        body: { move, entropy: this.entropy },
      });
      this.#notBefore = performance.now() + rules.spacing;
      this.entropy = '';
      this.#show(answer.run);
      void this.#check(answer.run);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'too_fast') throw error;
      // Another tab threw, or this one was reloaded: the server says when.
      this.#notBefore = performance.now() + (error.retryAfterMs ?? rules.spacing);
      await this.#send(move);
    }
  }

  async #step(phase: Phase, act: (run_id: string) => Promise<void>): Promise<void> {
    if (this.phase !== phase || !this.settled || this.#moving() || !this.run) return;
    this.busy = true;
    this.error = null;
    try {
      await act(this.run.id);
    } catch (error) {
      this.#recover(error);
    } finally {
      this.busy = false;
    }
  }

  /** A conflict means that the table looks different from what is shown: look again, and say nothing if that helps. */
  #recover(error: unknown): void {
    this.thrown = null;
    this.busy = false;
    if (error instanceof ApiError && moved.includes(error.code)) {
      void this.resume();
      return;
    }
    this.error = error;
    // The session ended elsewhere: the next throw opens another one.
    if (error instanceof ApiError && error.status === 401) {
      this.run = null;
      void session.load();
    }
  }

  #show(run: Run | null): void {
    const before = this.phase;
    this.run = run;
    if (this.phase !== before) this.#settle();
    if (this.phase !== 'ended') return;
    remember('ended', run?.id ?? null);
    live.soon();
    void session.load();
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.settled = this.phase === 'idle' || this.phase === 'active';
    if (!this.settled) this.#settling = setTimeout(() => (this.settled = true), calm);
  }

  /** Checks the throws of the run that were not checked yet. */
  async #check(run: Run | null): Promise<void> {
    try {
      const known = this.checks.filter((check) => run?.throws[check.n - 1]?.seed === check.seed);
      const fresh = run?.throws.filter(({ n }) => !known.some((check) => check.n === n)) ?? [];
      const checks = await Promise.all(fresh.map(({ n }) => checkThrow(run as Run, n)));
      if (this.run === run) this.checks = [...known, ...checks];
    } catch (error) {
      this.error = error;
    }
  }
}

function pause(ms: number): Promise<void> {
  return ms > 0 ? new Promise((done) => setTimeout(done, ms)) : Promise.resolve();
}

export const game = new Game();
