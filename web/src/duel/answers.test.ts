// Each answer of client/testdata/answers.json, which starters and bots meet too (cmd/roshambo/answers_test.go), meets each
// step of a duel on the page: the page repeats the request or reads the duel again, and forfeits no round.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

vi.mock('../stores/session.svelte.ts', () => ({ session: { load: vi.fn() } }));
vi.mock('../stores/trust.svelte.ts', () => ({ trust: {} }));
vi.mock('../stores/unlocks.ts', () => ({ checkUnlocks: vi.fn() }));
vi.mock('./signed.ts', () => ({ isSigned: () => Promise.resolve(true), Unsigned: Error }));
vi.mock('./hands.ts', () => ({
  seal: () => Promise.resolve(`commitment ${Math.random()}`),
  sealedHand: () => ({ move: 'rock', salt: 'salt' }),
  forget: vi.fn(),
}));

interface Fault {
  name: string;
  /** The request has taken its effect; only its answer is lost. */
  lost?: true;
  status?: number;
  body?: string;
  retry_after_s?: number;
  date?: true;
  broken?: 'truncated' | 'held' | 'closed';
}

const faults = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../../client/testdata/answers.json'), 'utf8'),
) as Fault[];

/** A step of a duel has a minute. */
const deadlineMs = 60_000;

/** A service with one duel, which answers the first request of each step with a fault. The viewer wins each round. */
class Service {
  readonly met = new Set<string>();
  readonly #stored = new Map<string, unknown>();
  readonly #fault: Fault;
  #round = 1;
  #committed = false;
  #version = 1;
  #since = Date.now();
  /** The step that Retry-After concerns, and when it may come again. */
  #later = { step: '', at: 0 };
  /** What the service has refused or the viewer has missed. */
  readonly wrong: string[] = [];
  #changed = new AbortController();

  constructor(fault: Fault) {
    this.#fault = fault;
  }

  get finished(): boolean {
    return this.#round > 3;
  }

  duel(): object {
    const entry = (n: number) => {
      const [over, both] = [n < this.#round, { a: this.#committed, b: this.#committed }];
      return {
        round: n,
        committed: over ? { a: true, b: true } : both,
        you_revealed: over,
        outcome: over ? 'a' : 'pending',
        commitment_a: 'x',
        commitment_b: 'y',
      };
    };
    const rounds = Array.from({ length: Math.min(this.#round, 3) }, (_, i) => entry(i + 1));
    const status = this.finished ? 'finished' : 'active';
    return { id: 'AAAAAAAA', status, kind: 'ranked', you: 'a', version: this.#version, rounds };
  }

  #change(): void {
    if (Date.now() - this.#since > deadlineMs) this.wrong.push(`round ${this.#round} missed its deadline`);
    this.#since = Date.now();
    this.#version++;
    this.#changed.abort();
    this.#changed = new AbortController();
  }

  /** Applies a request, and returns the body of its answer. */
  async #answer(step: string, url: string, request: RequestInit): Promise<unknown> {
    if (step === 'quick') return { status: 'matched', duel: this.duel() };
    if (step === 'read') {
      const version = /version=(\d+)/.exec(url)?.[1];
      const changed = this.#changed.signal;
      if (Number(version) === this.#version)
        await new Promise<void>((done) => {
          setTimeout(done, 25_000);
          changed.addEventListener('abort', () => {
            done();
          });
        });
      return { duel: this.duel() };
    }
    const key = new Headers(request.headers).get('Idempotency-Key') ?? '';
    const stored = this.#stored.get(key);
    if (stored) return stored;
    const { round } = JSON.parse(request.body as string) as { round: number };
    if (round !== this.#round || this.#committed !== (step === 'reveal'))
      throw new Error(`moved on: ${step}`);
    this.#committed = step === 'commit';
    if (step === 'reveal') this.#round++;
    this.#change();
    this.#stored.set(key, { duel: this.duel() });
    return { duel: this.duel() };
  }

  readonly fetch = async (url: string, request: RequestInit): Promise<Response> => {
    const step = /(quick|commit|reveal)$/.exec(url)?.[1] ?? 'read';
    const waits = url.includes('version=');
    if (step === this.#later.step && Date.now() < this.#later.at)
      this.wrong.push(`${step} before Retry-After`);
    // A read meets its fault while it waits for the duel's next version.
    const meets = !this.met.has(step) && (step !== 'read' || waits);
    if (meets) this.met.add(step);
    let answer: unknown;
    if (!meets || this.#fault.lost) {
      try {
        answer = await this.#answer(step, url, request);
      } catch {
        return Response.json({ code: 'duel_moved_on', message: 'm' }, { status: 409 });
      }
    }
    return meets ? this.#fail(step, JSON.stringify(answer), request.signal) : Response.json(answer);
  };

  #fail(step: string, answer: string, signal: AbortSignal | null | undefined): Promise<Response> {
    const { broken, status, body, retry_after_s: seconds, date } = this.#fault;
    if (broken === 'truncated') return Promise.resolve(new Response(answer.slice(0, answer.length / 2)));
    if (broken === 'closed') return Promise.reject(new TypeError('Failed to fetch'));
    if (broken === 'held')
      return new Promise((_, refuse) => {
        signal?.addEventListener('abort', () => {
          refuse(new DOMException('aborted', 'AbortError'));
        });
      });
    const headers = new Headers();
    if (seconds !== undefined) {
      this.#later = {
        step,
        at: date ? Math.floor(Date.now() / 1000 + seconds) * 1000 : Date.now() + seconds * 1000,
      };
      headers.set('Retry-After', date ? new Date(this.#later.at).toUTCString() : String(seconds));
    }
    return Promise.resolve(new Response(body ?? '', { headers, status: status ?? 200 }));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each(faults)('a page plays a duel through: $name', async (fault) => {
  const service = new Service(fault);
  vi.stubGlobal('fetch', service.fetch);
  const { post, ApiError } = await import('../api/client.ts');
  const { DuelState } = await import('./state.svelte.ts');
  const state = new DuelState('AAAAAAAA');
  const page = new AbortController();
  const run = async (): Promise<void> => {
    // QuickMatch shows a conflict that outlives all attempts as an error, with a button for the next one.
    const match = () => post('/api/duels/quick', { wait: 20 });
    await match().catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 409) return match();
      throw error;
    });
    void state.follow(page.signal);
    while (!service.finished) {
      // The player chooses as soon as the page lets it, and again after an error that the page shows.
      if (state.yourTurn && state.settled) await state.throw('rock');
      await new Promise((done) => setTimeout(done, 1000));
    }
  };
  const played = run();
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  await played;
  page.abort();
  expect(service.wrong).toEqual([]);
  expect([...service.met].sort()).toEqual(['commit', 'quick', 'read', 'reveal']);
  expect(state.error).toBeNull();
});
