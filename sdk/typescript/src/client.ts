import type { Call } from './call.js';
import { consoleLogger, type Logger } from './log.js';
import { Operations } from './operations.js';
import { Paged } from './paged.js';
import { events, texts, values, type StreamEvent } from './streams.js';
import { Transport, type Fetch } from './transport.js';
import { verifyProof, type Report } from './verify.js';

/** Options of a client. Only `url` is required. */
export interface ClientOptions {
  /** The address of the service, for example http://127.0.0.1:8080. */
  url: string;
  /**
   * The API key of an account (rsk_…) or of a bot (rsb_…). Without one the client has a session once `createGuest` or
   * `login` has opened it, in a page of the service the visitor's.
   */
  key?: string | undefined;
  /** Seconds after which an attempt of a call is given up, in addition to the wait of a long poll: 60. */
  timeout?: number | undefined;
  /**
   * The most seconds that a call waits between its attempts while the service is busy, restarts or is unreachable: 60.
   * With Infinity it waits until its signal aborts.
   */
  retryBudget?: number | undefined;
  /** Receives the messages of the client and of what uses it; by default the console. */
  logger?: Logger | undefined;
  /** Sends the requests; by default the global fetch. */
  fetch?: Fetch | undefined;
}

/** What a proof is checked against, besides itself. */
export interface VerifyOptions {
  /** The trusted verifier key, which must have signed the checkpoint. */
  key?: string | undefined;
  /** The keys of witnesses, of which `quorum` must have cosigned it; all without one. */
  witnesses?: readonly string[] | undefined;
  /** The number of witnesses whose cosignature is enough; 0, the default, for all. */
  quorum?: number | undefined;
  /** Kept receipts, one a line, to compare with the proof. */
  receipts?: string | undefined;
  /** Ends the reading of the proof. */
  signal?: AbortSignal | undefined;
}

/**
 * Calls the service: each operation of the contract is a method. It repeats calls that can succeed later, each with the
 * same body and the same Idempotency-Key, and slows down when little of the request limit is left. All durations are in
 * seconds.
 *
 *     const client = new Client({ url: 'http://127.0.0.1:8080', key: 'rsb_…' });
 *     const { account, balance } = await client.getMe();
 *
 * Errors: ServiceError, ConnectionError, and the reason of the call's signal.
 */
export class Client extends Operations {
  /** Sends the calls; for classes that are built upon a client. */
  readonly transport: Transport;
  /** The address of the service, without a slash at its end. */
  readonly url: string;

  constructor(options: ClientOptions) {
    super();
    const { protocol } = new URL(options.url); // throws TypeError for an address that is none
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new TypeError(`${options.url} is not an address of a service`);
    this.url = options.url.replace(/\/+$/, '');
    this.transport = new Transport({
      base: this.url,
      key: options.key ?? '',
      timeout: options.timeout ?? 60,
      retryBudget: options.retryBudget ?? 60,
      log: options.logger ?? consoleLogger,
      fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    });
  }

  /** Reads the proof of a run and checks it offline. The report is the same as every verifier's (docs/protocol.md). */
  verifyRun(id: string, options: VerifyOptions = {}): Promise<Report> {
    return this.#verify('getRunProof', `/api/runs/${encodeURIComponent(id)}/proof`, options);
  }

  /** Reads the proof of a duel and checks it offline. The report is the same as every verifier's (docs/protocol.md). */
  verifyDuel(code: string, options: VerifyOptions = {}): Promise<Report> {
    return this.#verify('getDuelProof', `/api/duels/${encodeURIComponent(code)}/proof`, options);
  }

  async #verify(operation: string, path: string, { signal, ...options }: VerifyOptions): Promise<Report> {
    const proof = await this.transport.bytes({ operation, method: 'GET', path, options: { signal } });
    const { key = null, witnesses = [], quorum = 0, receipts = null } = options;
    return verifyProof(proof, { key, witnesses, quorum, receipts });
  }

  protected override json<T>(call: Call): Promise<T> {
    return this.transport.json(call);
  }

  protected override async text(call: Call): Promise<string> {
    return new TextDecoder().decode(await this.transport.bytes(call));
  }

  protected override paged<Out extends { next: string | null }, Item>(
    call: Call,
    items: (page: Out) => readonly Item[],
  ): Paged<Out, Item> {
    const read = (cursor: string | undefined): Promise<Out> =>
      this.transport.json(cursor === undefined ? call : { ...call, query: { ...call.query, cursor } });
    return new Paged(read, items);
  }

  protected override values<T>(call: Call): AsyncIterable<T> {
    return values(this.transport, call);
  }

  protected override lines(call: Call): AsyncIterable<string> {
    return texts(this.transport, call);
  }

  protected override events(call: Call): AsyncIterable<StreamEvent> {
    return events(this.transport, call);
  }
}
