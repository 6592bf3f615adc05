// Answers that go on: server-sent events, and lines of JSON. Both continue after an interruption where they were.

import type { Call } from './call.js';
import { AnswerError, ConnectionError } from './errors.js';
import { sleep } from './time.js';
import { FIRST_WAIT, MAX_ANSWER, MAX_WAIT, type Stream, type Transport } from './transport.js';
import type { Events } from './types.js';

/** Seconds of silence after which a stream counts as lost. The service sends at least a comment every 15 seconds. */
const SILENCE = 45;

/** Seconds before a reconnection unless the service names others, and the least and the most of those that it names. */
const [RECONNECT, MIN_RECONNECT, MAX_RECONNECT] = [2, 0.1, 60];

/** Seconds to which the delays between connections grow while no event arrives, unless the service names more. */
const LONGEST_PAUSE = 30;

/** An event of the service: its name, its data, and its id; null for one that is not stored. */
export type StreamEvent = {
  [K in keyof Required<Events>]: { event: K; data: Required<Events>[K]; id: number | null };
}[keyof Required<Events>];

/**
 * Yields the events of a call, in order, each stored one once. After an interruption it connects again and continues
 * after the last id, after delays that grow to half a minute while no event comes. It ends after the event `end`, and
 * without `follow` after all stored events. Errors: as of a call, once no repetition has helped.
 */
export async function* events(transport: Transport, call: Call): AsyncGenerator<StreamEvent, void, undefined> {
  const { signal } = call.options;
  let after = call.query?.after;
  let pause = RECONNECT;
  const resume = new Resume(LONGEST_PAUSE, Infinity);
  for (;;) {
    const stream = await transport.open({ ...call, query: { ...call.query, after } });
    try {
      for await (const { name, id, data, retry } of frames(stream)) {
        if (retry !== null) pause = Math.min(MAX_RECONNECT, Math.max(MIN_RECONNECT, retry / 1000));
        if (id !== null) after = id;
        if (data === null) continue;
        resume.progress();
        yield { event: name, id, data: JSON.parse(data) as unknown } as StreamEvent;
        if (name === 'end') return;
      }
      if (call.query?.follow === false) return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ConnectionError)) throw error;
      transport.log.info('the stream of events was interrupted', { after, error: error.message });
    } finally {
      stream.close();
    }
    await sleep(resume.delay(pause), signal);
  }
}

/** The delays between the connections of one stream, which grow until an item arrives. */
class Resume {
  #waited = 0;
  #next = 0;
  readonly #longest: number;
  readonly #budget: number;

  /** `budget` is the most seconds of all delays since the last item. */
  constructor(longest: number, budget: number) {
    this.#longest = longest;
    this.#budget = budget;
  }

  /** Notes that an item has arrived. */
  progress(): void {
    [this.#waited, this.#next] = [0, 0];
  }

  /**
   * Returns the seconds until the next connection: at first `least`, then twice as many as before. Errors: the error
   * that has ended the connection, once the budget is used up.
   */
  delay(least: number, error?: ConnectionError): number {
    const seconds = Math.max(least, Math.min(this.#next, this.#longest));
    this.#next = 2 * seconds;
    const wait = seconds * (1 + Math.random() / 4); // clients that were interrupted together do not return together
    this.#waited += wait;
    if (error && this.#waited > this.#budget) throw error;
    return wait;
  }
}

/** One block of a stream of events. */
interface Frame {
  name: string;
  id: number | null;
  /** Null for a block that has no event, such as a comment with the newest id. */
  data: string | null;
  /** Milliseconds before a reconnection. */
  retry: number | null;
}

/** Yields the blocks of a stream (WHATWG HTML, 9.2.6). The service ends its lines with LF. */
async function* frames(stream: Stream): AsyncGenerator<Frame, void, undefined> {
  let frame: Frame = { name: 'message', id: null, data: null, retry: null };
  for await (const line of lines(stream)) {
    if (line === '') {
      yield frame;
      frame = { name: 'message', id: null, data: null, retry: null };
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') frame.name = value;
    if (field === 'id' && /^\d+$/.test(value)) frame.id = Number(value);
    if (field === 'data') frame.data = frame.data === null ? value : `${frame.data}\n${value}`;
    if (field === 'retry' && /^\d+$/.test(value)) frame.retry = Number(value);
  }
}

/**
 * Yields the values of an answer in lines of JSON, each with a `cursor`: after the end of an answer, or where one breaks,
 * it continues behind the last one, until a whole answer has no lines, which is the end for now. Errors: as of a call;
 * ConnectionError once answers have broken without a line for longer than the client's retry budget; AnswerError for a
 * line with the cursor behind which it was read.
 */
export async function* values<T>(transport: Transport, call: Call): AsyncGenerator<T, void, undefined> {
  const { signal } = call.options;
  let after = call.query?.after;
  const resume = new Resume(MAX_WAIT, transport.retryBudget);
  for (let empty = false; !empty;) {
    const asked = after;
    const stream = await transport.open({ ...call, query: { ...call.query, after } });
    let broken: ConnectionError | null = null;
    empty = true;
    try {
      for await (const line of lines(stream)) {
        const value: unknown = JSON.parse(line);
        after = (value as { cursor: string }).cursor;
        // Reading on would bring the line again without end.
        if (after === asked) throw new AnswerError('a line behind a cursor has this cursor itself');
        empty = false;
        resume.progress();
        yield value as T;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ConnectionError)) throw error;
      transport.log.info('the lines were interrupted', { operation: call.operation, after });
      broken = error;
    } finally {
      stream.close();
    }
    if (!broken) continue;
    empty = false;
    await sleep(resume.delay(FIRST_WAIT, broken), signal);
  }
}

/** Yields the lines of an answer. Errors: as of a call; ConnectionError if the answer breaks. */
export async function* texts(transport: Transport, call: Call): AsyncGenerator<string, void, undefined> {
  const stream = await transport.open(call);
  try {
    yield* lines(stream);
  } catch (error) {
    call.options.signal?.throwIfAborted();
    throw error;
  } finally {
    stream.close();
  }
}

/**
 * Yields the lines of a stream. Errors: ConnectionError if it breaks, within a line or before its end; AnswerError for a
 * line that no honest service sends.
 */
async function* lines({ body, close }: Stream): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  for (;;) {
    const timer = setTimeout(close, 1000 * SILENCE);
    let chunk: ReadableStreamReadResult<Uint8Array>;
    try {
      chunk = await reader.read();
    } catch (error) {
      throw new ConnectionError('the stream broke', error);
    } finally {
      clearTimeout(timer);
    }
    if (chunk.done) break;
    const parts = (rest + decoder.decode(chunk.value, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    if (rest.length > MAX_ANSWER) throw new AnswerError(`a line of an answer is longer than ${MAX_ANSWER} bytes`);
    for (const line of parts) yield line.replace(/\r$/, '');
  }
  if (rest !== '') throw new ConnectionError('the stream ended within a line');
}
