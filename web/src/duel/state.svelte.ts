// The state of one duel, followed until its end: by the page's event stream, which names it, and by long polls while that
// is closed. Moves are sealed here and revealed automatically. A
// reload, a lost response or a second tab does no harm: the state comes from the server and from hands.ts.

import { ApiError, get, isSessionOver, post, serverTime, Unreachable } from '../api/client.ts';
import type { Duel, DuelRound, Move } from '../api/shapes.ts';
import { events, type Body } from '../stores/events.svelte.ts';
import { fresh } from '../stores/fresh.ts';
import { InputLock } from '../stores/inputlock.svelte.ts';
import { Declined, session } from '../stores/session.svelte.ts';
import { trust } from '../stores/trust.svelte.ts';
import { checkUnlocks } from '../stores/unlocks.ts';
import { forget, seal, sealedHand } from './hands.ts';
import { noteSent } from './sent.ts';
import { isSigned, Unsigned } from './signed.ts';
import { currentRound, isOver, mayRematch } from './view.ts';

/** Error codes of a request that was based on an outdated state of the duel. */
const staleCodes = ['duel_moved_on', 'not_your_turn', 'conflict'];
/** Timeout of a long poll in seconds. */
const longPollSeconds = 30;
/** Milliseconds without an event until the duel is read, and after a deadline. */
const [quietMs, pastDeadlineMs] = [60_000, 1500];
/** Milliseconds after an event in which the answer to an own step may arrive, which makes a read needless. */
const answerMs = 100;
/** The longest timer in milliseconds. */
const longest = 2 ** 31 - 1;
/** Milliseconds after the end in which the page waits for the offer of a rematch. */
const rematchMs = 15 * 60_000;

export class DuelState {
  readonly code: string;
  duel = $state.raw<Duel | null>(null);
  /** The move that is being committed. */
  sealing = $state<Move | null>(null);
  /** A join or cancel request is in flight. */
  busy = $state(false);
  /** The error of the last action. */
  error = $state.raw<unknown>(null);
  /** The error of the first read, while there is no duel to show. */
  failure = $state.raw<unknown>(null);
  /** The move of this round was sealed in another browser, and only that browser can reveal it. */
  elsewhere = $state(false);

  readonly #lock = new InputLock();
  #revealing = false;
  /** Aborts when the page leaves the duel, which it then no longer follows. */
  #leaving: AbortSignal | undefined;
  /** Increases when the viewer gets an account: responses to earlier requests have no side for the viewer. */
  #viewer = 0;
  #sealed: string[] = [];
  /** The newest version that an event has reported. */
  #reported = 0;
  /** The number of presences that events have brought. */
  #presences = 0;
  /** The rounds that events have brought lack the salts of revealed hands. */
  #bare = false;
  /** Ends the wait for an event. */
  #wake: () => void = () => undefined;
  /** Ends the wait of a spectator for a turn. */
  #seat: () => void = () => undefined;

  readonly #salts: boolean;

  /** Without `salts` for a page that only shows the moves: they are most of a long duel's bytes. */
  constructor(code: string, salts = true) {
    this.code = code;
    this.#salts = salts;
  }

  /** The rounds on display lack salts, as events bring them: the next read has them. */
  get bare(): boolean {
    return this.#bare;
  }

  // Not $derived, which ends with the page that made it: answers may arrive after that.
  /** The round being played, or null. */
  get round(): DuelRound | null {
    return this.duel ? currentRound(this.duel) : null;
  }

  /** The viewer must choose a move. */
  get yourTurn(): boolean {
    return this.duel?.you != null && this.round !== null && !this.round.committed[this.duel.you];
  }

  /**
   * The input lock is over. The lock starts when the hands of a round appear, as the opponent may be ready at once and
   * the second tap of a double tap would seal the next hand, and at the end, as its buttons may cost a stake.
   */
  get settled(): boolean {
    return this.#lock.settled;
  }

  /** Keeps the duel up to date until it is over or `signal` aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    this.#leaving = signal;
    const going = (): boolean =>
      !signal.aborted && !(this.duel && isOver(this.duel) && !this.#awaitsRematch());
    const ends = [
      events.listen(['duel', 'presence'], (event) => this.#hear(event)),
      events.onLost(() => this.#wake()),
    ];
    for (let failures = 0; going();) {
      if (this.duel) events.name(this.code);
      const streamed = this.duel !== null && events.isNamed(this.code);
      if (streamed && !(await this.#isOutdated(signal))) continue;
      if (this.duel && !this.duel.you) await this.#turn(signal);
      if (!going()) break;
      const [known, before, began] = [this.duel?.version, this.#watching(), performance.now()];
      try {
        await this.read(signal, streamed ? undefined : known);
        failures = 0;
        if (streamed) {
          if (this.#isBehind()) await pause(answerMs, signal); // another event came during the read
          continue;
        }
        // Without long polling on the server, poll once a second.
        if (this.duel?.version === known && before === this.#watching() && performance.now() - began < 1000)
          await pause(1000, signal);
      } catch (error) {
        if (!going() || (error instanceof ApiError && error.status === 404)) break;
        const retryAfter = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
        await pause(Math.max(retryAfter, Math.min(8000, 500 * 2 ** failures++)), signal);
      }
    }
    for (const end of ends) end();
    events.release(this.code);
  }

  /** Reads an event of the stream; null after lost events. */
  #hear(event: Body<'duel' | 'presence'>): void {
    if (event && event.code !== this.code) return;
    if (!event) this.#reported = Infinity;
    else if ('version' in event) {
      this.#reported = event.version;
      this.#apply(event);
    } else if (this.duel) {
      this.duel = { ...this.duel, presence: event.presence };
      this.#presences++;
    }
    this.#wake();
  }

  /** Shows a spectator the step of an event, unless it has ended the duel or the page lacks an earlier round. */
  #apply({ version, status, rounds = [], wins }: NonNullable<Body<'duel'>>): void {
    const { duel } = this;
    if (!duel || duel.you || version <= duel.version || duel.status !== 'active' || status !== 'active')
      return;
    const decided = duel.rounds.filter(({ outcome }) => outcome !== 'pending');
    const last = decided.at(-1)?.round ?? 0;
    if (!wins || (rounds[0]?.round ?? Infinity) > last + 1) return;
    const news = rounds.filter(({ round }) => round > last);
    this.#show({ ...duel, version, wins, rounds: [...decided, ...news] });
    this.#bare ||= this.#salts && news.some(({ move_a, move_b }) => move_a !== null || move_b !== null);
  }

  /**
   * Waits for an event, the end of the stream or of a deadline, or a long silence. Reports whether the duel must be read.
   */
  async #isOutdated(signal: AbortSignal): Promise<boolean> {
    const left = Date.parse(this.round?.deadline ?? '') - serverTime() + pastDeadlineMs;
    const wait = left > 0 && left < quietMs ? left : quietMs;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    if (!this.#isBehind()) await pause(wait, signal, woken.signal);
    if (signal.aborted || !events.isNamed(this.code)) return false;
    if (!woken.signal.aborted) return true;
    await pause(answerMs, signal);
    return this.#isBehind();
  }

  /**
   * Waits until the budget of the page has room for a read: a spectator sees steps by their events. It ends
   * at once for a viewer who becomes a side.
   */
  async #turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const over = new AbortController();
    this.#seat = () => over.abort();
    const end = fresh.follow('time', this.#seat, { seconds: 0, first: false });
    await pause(longest, signal, over.signal);
    end();
  }

  #isBehind(): boolean {
    return this.#bare || this.#reported > (this.duel?.version ?? 0);
  }

  /** Reads the duel. With a version, the request is a long poll for a newer one. */
  async read(signal?: AbortSignal, version?: number): Promise<void> {
    const [viewer, presences] = [this.#viewer, this.#presences];
    const watching = this.#watching();
    const salts = this.#salts ? {} : { salts: false };
    try {
      const { duel } = await get('/api/duels/{code}', {
        path: { code: this.code },
        ...(signal ? { signal } : {}),
        ...(version === undefined
          ? { query: salts }
          : { query: { ...salts, version, ...(watching ? { watching } : {}) }, wait: longPollSeconds }),
      });
      this.failure = null;
      if (this.#reported === Infinity) this.#reported = 0; // lost events are made up for
      if (duel.version >= (this.duel?.version ?? 0)) this.#bare = false;
      // Presence has no version: an event during the read is newer than the answer, and none may follow.
      if (presences !== this.#presences && this.duel?.presence) duel.presence = this.duel.presence;
      if (viewer === this.#viewer) this.#show(duel);
    } catch (error) {
      if (!signal?.aborted && !this.duel) this.failure = error;
      throw error;
    }
  }

  /** Seals a move for the current round. The move is stored before its hash is sent. */
  async throw(move: Move): Promise<void> {
    const round = this.round?.round;
    if (!this.yourTurn || !this.settled || this.sealing || round === undefined) return;
    this.sealing = move;
    this.error = null;
    try {
      const commitment = await seal(move);
      this.#sealed.push(commitment);
      const { duel } = await post('/api/duels/{code}/commit', {
        path: { code: this.code },
        body: { commitment, round },
      });
      noteSent(this.code, round, commitment);
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

  /** Gives the duel up: the other side wins. */
  resign(): Promise<void> {
    return this.#act(
      async () => (await post('/api/duels/{code}/resign', { path: { code: this.code } })).duel,
    );
  }

  /** Offers a rematch or accepts the offer of the other side; or withdraws or declines one. */
  rematch(offer: boolean): Promise<void> {
    return this.#act(
      async () =>
        (await post('/api/duels/{code}/rematch', { path: { code: this.code }, body: { offer } })).duel,
    );
  }

  /** The other side may still ask for a rematch. */
  #awaitsRematch(): boolean {
    const duel = this.duel;
    if (!duel?.you || duel.status !== 'finished' || !mayRematch(duel) || duel.rematch?.duel_id) return false;
    return serverTime() - Date.parse(duel.finished_at ?? '') < rematchMs;
  }

  /** The sides that the page knows to watch, as the service names them. */
  #watching(): 'none' | 'a' | 'b' | 'both' | null {
    const presence = this.duel?.presence;
    if (!presence) return this.duel?.you ? 'none' : null; // a side that has just joined asks who watches
    if (presence.a.watching && presence.b.watching) return 'both';
    return presence.a.watching ? 'a' : presence.b.watching ? 'b' : 'none';
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

  /**
   * Reveals the viewer's move once both sides have committed. Retries until it is revealed, the deadline passes or the
   * page leaves the duel.
   */
  async #reveal(): Promise<void> {
    const [you, round] = [this.duel?.you, this.round];
    const due = you && round?.committed.a && round.committed.b && !round.you_revealed;
    this.elsewhere = false;
    if (!due || this.#revealing) return;
    const hand = sealedHand(you === 'a' ? round.commitment_a : round.commitment_b);
    if (!hand) {
      this.elsewhere = true;
      return;
    }
    this.#revealing = true;
    const version = this.duel?.version;
    try {
      await this.#signed(round);
      const { duel } = await post('/api/duels/{code}/reveal', {
        path: { code: this.code },
        body: { ...hand, round: round.round },
      });
      this.#revealing = false;
      this.#show(duel);
      // If the answer was late, the state it could not replace may be a round that waits for its reveal.
      void this.#reveal();
    } catch (error) {
      await this.#recover(error, () => this.duel?.version !== version);
      // Without its session the page cannot reveal. The next read of the duel tries again.
      if (!isSessionOver(error)) await pause(1000, ...(this.#leaving ? [this.#leaving] : []));
      this.#revealing = false;
      if (!isSessionOver(error) && !this.#leaving?.aborted) void this.#reveal();
    }
  }

  /** Checks that the house has signed both commitments, and reads the duel again once if it has not. */
  async #signed(round: DuelRound): Promise<void> {
    const signed = async (): Promise<boolean> =>
      this.duel !== null && (await isSigned(this.duel, round, trust.pin?.key));
    if (await signed()) return;
    await this.read();
    if (!(await signed())) {
      throw new Unsigned('The house has not signed both commitments of the round.');
    }
  }

  /**
   * Recovers from a failed action. After a conflict or a lost response it reads the duel again, and reports no error if
   * that resolves the failure. `done` reports, from the state that was read, whether the action took effect although
   * its response was lost: a long poll may have updated the state before the failure was detected.
   */
  async #recover(error: unknown, done: () => boolean): Promise<void> {
    // Another player may have joined, or the deadline may have passed: the new state explains more than an error.
    const conflict = error instanceof ApiError && error.status === 409;
    if (conflict || error instanceof Unreachable) await this.read().catch(() => undefined);
    if (error instanceof ApiError && staleCodes.includes(error.code)) return;
    if (error instanceof Unreachable && done()) return;
    // The page says whose session has ended, and asks.
    if (error instanceof Declined || isSessionOver(error)) return;
    this.error = error;
  }

  /** Stores the server's state unless it is older than the current one. */
  #show(duel: Duel): void {
    const before = this.duel;
    if (before && duel.version < before.version) return;
    // Answers to actions do not state which sides are there.
    if (!duel.presence && before?.presence) duel = { ...duel, presence: before.presence };
    const [hadTurn, roundBefore] = [this.yourTurn, this.round?.round];
    this.duel = duel;
    if (duel.you) this.#seat();
    const handsAppear = this.yourTurn && (!hadTurn || this.round?.round !== roundBefore);
    const ended = before !== null && isOver(duel) && !isOver(before);
    if (handsAppear || ended) this.#lock.lock();
    if (ended && duel.you) checkUnlocks();
    if (before && before.version !== duel.version) this.error = null;
    if (duel.you && (before === null ? isOver(duel) : before.status !== duel.status)) void session.load();
    if (isOver(duel)) {
      const mine = duel.rounds.map((round) => (duel.you === 'a' ? round.commitment_a : round.commitment_b));
      forget([...mine, ...this.#sealed]);
    }
    void this.#reveal();
  }
}

function pause(ms: number, ...signals: AbortSignal[]): Promise<void> {
  return new Promise((done) => {
    const over = new AbortController();
    const end = () => {
      clearTimeout(timer);
      over.abort(); // removes the listeners: a page may pause many times
      done();
    };
    const timer = setTimeout(end, ms);
    for (const signal of signals) signal.addEventListener('abort', end, { signal: over.signal });
  });
}
