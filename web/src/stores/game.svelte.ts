// The state of a run against the house. The server decides everything. This store holds the last response, the request
// in flight and the browser's checks. After any error `resume` reads the state from the server.

import { ApiError, get, post } from '../api/client.ts';
import type { EntryChoice, Move, Run, Throw } from '../api/shapes.ts';
import { Draft } from '../play/draft.svelte.ts';
import { drama } from '../play/drama.svelte.ts';
import {
  afterClaim,
  afterEnd,
  afterThrow,
  checkRun,
  forgetEnd,
  reportBroken,
  reportRun,
  storedEnd,
} from '../play/effects.ts';
import type { ThrowCheck } from '../play/fairness.ts';
import { outlook, type Outlook, type OwnToken } from '../play/outlook.ts';
import * as texts from '../play/texts.ts';
import { InputLock } from './inputlock.svelte.ts';
import { live } from './live.svelte.ts';
import { rules } from './rules.svelte.ts';
import { Declined, session } from './session.svelte.ts';
import { Superseded, viewer } from './viewer.svelte.ts';

export type Phase = 'idle' | 'active' | 'deciding' | 'ended';

/** Error codes of a request that was based on an outdated state of the run. */
const staleCodes = ['run_active', 'run_state', 'already_claimed', 'conflict'];

class Game {
  run = $state.raw<Run | null>(null);
  /** The hand of the throw in flight, until its result is on display. */
  thrown = $state<Move | null>(null);
  /** Another request is in flight. */
  busy = $state(false);
  checks = $state.raw<readonly ThrowCheck[]>([]);
  error = $state.raw<unknown>(null);

  /** The selected entry of the next run. */
  entry = $state<EntryChoice>('auto');
  /** The token that is selected for an entry by burning. */
  token = $state.raw<OwnToken | null>(null);
  /** The player has confirmed that the next start destroys `token`. */
  confirmed = $state(false);
  readonly draft = new Draft();

  readonly phase: Phase = $derived.by(() => {
    if (!this.run) return 'idle';
    return this.run.status === 'active' || this.run.status === 'deciding' ? this.run.status : 'ended';
  });
  /** What the next throw can bring and cost; null before the rules are loaded. */
  readonly outlook: Outlook | null = $derived.by(() => {
    if (!rules.all) return null;
    const { run, entry, token } = this;
    return outlook(rules.all, { run, options: session.me?.entry_options ?? [], entry, token });
  });
  /** The next start would burn a token that the player has not selected and confirmed, so no hand can be thrown. */
  readonly unconfirmed: boolean = $derived(
    this.phase === 'idle' && this.entry === 'burn' && !(this.token && this.confirmed),
  );
  readonly last: Throw | null = $derived(this.run?.throws.at(-1) ?? null);
  /** The commitment of the current run, or of the next one. */
  readonly commitment: string | null = $derived(
    this.run?.commitment ?? session.me?.next_commitment.commitment ?? null,
  );
  /** The earliest time of the next throw, by performance.now(). */
  #notBefore = 0;
  /** The newest block when the run began, if this page has begun it. */
  #begunAt: string | undefined;
  /** A request failed without an answer, so the server may have a later state than `run`. */
  #outdated = false;
  /** The throw whose stored text this window may send: it has drawn the text, or has read that the house lacks the throw. */
  #own = '';
  readonly #lock = new InputLock();

  constructor() {
    // What one player has played and chosen is no other player's.
    viewer.onChange(() => {
      this.#clear();
      this.draft.useUp();
      this.select('auto');
      this.#outdated = false;
    });
  }

  /** The input lock after a change of phase is over. */
  get settled(): boolean {
    return this.#lock.settled;
  }

  /** The state of the game was read from the server once, or could not be read. */
  restored = $state(false);

  /** Restores the active run, or the last finished one, after a reload or a lost connection. */
  async resume(): Promise<void> {
    if (this.#inFlight()) return;
    this.error = null;
    const me = await session.load();
    // Keep the state after a failed request, and if another request was sent meanwhile: its response is newer.
    if ((!me && session.state !== 'none') || this.#inFlight()) {
      if (this.#outdated) this.error = session.error;
      this.restored = true;
      return;
    }
    this.#outdated = false;
    // It was played elsewhere meanwhile.
    if (this.entry === 'daily' && !session.dailyOpen) this.entry = 'auto';
    // A run that was played on elsewhere has ended there.
    const ended = this.phase === 'active' || this.phase === 'deciding' ? (this.run?.id ?? null) : storedEnd();
    if (me?.active_run) this.#show(me.active_run);
    else if (me && ended) await this.#showEnded(ended);
    else this.#show(null);
    this.draft.show(this.run, this.phase === 'idle', me);
    this.restored = true;
    await this.#check(this.run);
  }

  async #showEnded(run_id: string): Promise<void> {
    const before = this.run;
    try {
      const { run } = await viewer.answer(get('/api/runs/{run_id}', { path: { run_id } }));
      // The player may have thrown meanwhile: that run is newer.
      if (this.run === before && !this.#inFlight()) this.#show(run);
    } catch (error) {
      if (error instanceof ApiError || error instanceof Superseded) this.#show(null);
      else this.error = error;
    }
  }

  /**
   * Throws a hand and starts a run if there is none. The request is sent at once and the countdown runs meanwhile; the
   * result is shown when both have ended. A throw ahead of the server's spacing waits.
   */
  async throw(move: Move): Promise<void> {
    if (session.was) {
      session.choose();
      return;
    }
    // A run of an earlier visit may be on the table.
    const outdated = this.#outdated || this.#elsewhere();
    if (!this.restored || (outdated && (await this.#hasMoved()))) return;
    if (this.#inFlight() || (this.phase !== 'idle' && this.phase !== 'active') || this.unconfirmed) return;
    this.thrown = move;
    this.error = null;
    const countdown = drama.start();
    try {
      // A reload during the countdown loses nothing: the server has the result, and `resume` shows it.
      if (this.run) await this.#send(move, countdown);
      else await this.#start(move, countdown);
      afterThrow(this.last);
    } catch (error) {
      this.#recover(error);
    } finally {
      drama.end();
      this.thrown = null;
    }
  }

  /** Reads the run after a lost answer. Reports whether it could not, or the player decided on an outdated state. */
  async #hasMoved(): Promise<boolean> {
    // A run that was started and lost in one request leaves another commitment, and its entry is used.
    const state = (): string =>
      [this.run?.id, this.run?.throws.length, this.entry, session.me?.next_commitment.commitment].join();
    const before = state();
    await this.resume();
    return this.#outdated || before !== state();
  }

  /**
   * Reports whether another window of this browser may have sent the next throw, whose text is stored: as the throw after
   * it, the house would record the same text, and the alarm would name an honest house.
   */
  #elsewhere(): boolean {
    if (!this.run || this.phase !== 'active') return false;
    const [commitment, n] = [texts.firstCommitment(this.run), this.run.throws.length + 1];
    const before = this.#own;
    this.#own = `${commitment}/${String(n)}`;
    return before !== this.#own && texts.storedEntropy(commitment, n) !== null;
  }

  async risk(): Promise<void> {
    await this.#act('deciding', (run_id) => post('/api/runs/{run_id}/continue', { path: { run_id } }));
  }

  async claim(): Promise<void> {
    const claimed = await this.#act('deciding', (run_id) =>
      post('/api/runs/{run_id}/claim', { path: { run_id } }),
    );
    if (claimed) afterClaim(claimed);
  }

  async abandon(): Promise<void> {
    await this.#act('active', (run_id) => post('/api/runs/{run_id}/abandon', { path: { run_id } }));
  }

  /** Clears the finished run. The next commitment already exists. */
  next(): void {
    if (this.phase !== 'ended' || !this.settled) return;
    this.#clear();
    forgetEnd();
  }

  /** Goes on as a new guest, created by the next tap on a hand, after the end of a session or an account. */
  async goOn(): Promise<void> {
    forgetEnd();
    session.forget();
    await this.resume();
  }

  #clear(): void {
    this.#show(null);
    this.checks = [];
    this.error = null;
    this.draft.redraw();
  }

  /** Selects the entry of the next run, for which nothing is confirmed yet. */
  select(entry: EntryChoice, token: OwnToken | null = null): void {
    this.entry = entry;
    this.token = token;
    this.confirmed = false;
  }

  #inFlight(): boolean {
    return this.thrown !== null || this.busy;
  }

  /** Starts a run with its first throw in one request. */
  async #start(move: Move, countdown: Promise<void>): Promise<void> {
    await session.guest();
    const { client_seed, commitment } = await this.draft.seed();
    this.#begunAt = live.tip?.hash;
    const entropy = texts.entropyFor(commitment, 1, this.draft.entropy);
    const { entry, token } = this;
    const burned = entry === 'burn' && token ? { token_id: token.token_id } : {};
    const { run, next_commitment, balance } = await viewer.answer(
      post('/api/runs', { body: { entry, ...burned, client_seed, move, entropy } }),
    );
    // Before the next commitment is compared with this one, which also an answer during the countdown may bring.
    texts.noteBegun(commitment, run.id);
    reportBroken({ ...run, throws: [] }, run, move);
    // A token is burned once, and the daily run is one a day.
    if (entry === 'burn' || entry === 'daily') this.select('auto');
    this.#notBefore = performance.now() + rules.spacing;
    await viewer.answer(countdown);
    this.draft.useUp();
    this.checks = [];
    session.note({ next_commitment, balance });
    if (run.entry === 'daily') session.noteDaily();
    this.#show(run);
    void this.#check(run);
  }

  async #send(move: Move, countdown: Promise<void>): Promise<void> {
    const run = this.run as Run;
    await viewer.answer(pause(this.#notBefore - performance.now()));
    const entropy = this.draft.entropyOf(run);
    try {
      const response = await viewer.answer(
        post('/api/runs/{run_id}/throw', { path: { run_id: run.id }, body: { move, entropy } }),
      );
      reportBroken(run, response.run, move);
      this.#notBefore = performance.now() + rules.spacing;
      await viewer.answer(countdown);
      this.draft.useUp();
      this.#show(response.run);
      void this.#check(response.run);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'too_fast') throw error;
      // Another tab threw, or this one was reloaded: the response has the delay.
      this.#notBefore = performance.now() + (error.retryAfterMs ?? rules.spacing);
      await this.#send(move, countdown);
    }
  }

  /** Sends a decision about the run, and shows and returns the run after it. */
  async #act(phase: Phase, act: (run_id: string) => Promise<{ run: Run }>): Promise<Run | undefined> {
    const before = this.run;
    if (this.phase !== phase || !this.settled || this.#inFlight() || !before) return undefined;
    if (session.was) {
      session.choose();
      return undefined;
    }
    this.busy = true;
    this.error = null;
    try {
      const { run } = await viewer.answer(act(before.id));
      reportBroken(before, run, null);
      this.#show(run);
      return run;
    } catch (error) {
      this.#recover(error);
    } finally {
      this.busy = false;
    }
    return undefined;
  }

  /** Recovers from an error. After a conflict it reads the run again and reports no error. */
  #recover(error: unknown): void {
    this.thrown = null;
    this.busy = false;
    if (error instanceof Superseded) {
      // The next player's game was not read while the request was in flight.
      void this.resume();
      return;
    }
    if (error instanceof ApiError && staleCodes.includes(error.code)) {
      void this.resume();
      return;
    }
    // The session has ended: the page says whose it was, and nothing was thrown.
    if (error instanceof Declined || session.was) {
      this.#show(null);
      return;
    }
    this.error = error;
    const refused = error instanceof ApiError && error.status < 500;
    // The token may have been listed, sold or burned elsewhere: the player selects again.
    if (refused && !this.run && this.entry === 'burn') this.select('burn');
    this.#outdated = !refused || error.code === 'idempotency_in_flight';
  }

  #show(run: Run | null): void {
    const before = this.phase;
    this.run = run;
    if (run) texts.noteBegun(run.commitment, run.id);
    if (this.phase !== before) {
      if (this.phase === 'deciding' || this.phase === 'ended') this.#lock.lock();
      else this.#lock.release();
    }
    // One that was over when the page was opened unlocks nothing now.
    const news = this.thrown !== null || before === 'active' || before === 'deciding';
    if (run && this.phase === 'ended') afterEnd(run, this.#begunAt, news);
  }

  /** Checks all throws: a later answer may state an earlier one anew. */
  async #check(run: Run | null): Promise<void> {
    try {
      const checks = await checkRun(run);
      if (this.run === run) this.checks = checks;
      await reportRun(run, checks);
    } catch (error) {
      this.error = error;
    }
  }
}

function pause(ms: number): Promise<void> {
  return ms > 0 ? new Promise((done) => setTimeout(done, ms)) : Promise.resolve();
}

export const game = new Game();
