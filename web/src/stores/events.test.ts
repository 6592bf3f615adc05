import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** A fake EventSource, controlled by the test. */
class Source extends EventTarget {
  static readonly CLOSED = 2;
  static all: Source[] = [];
  readonly url: string;
  readyState = 1;
  constructor(url: string) {
    super();
    this.url = url;
    Source.all.push(this);
  }
  close(): void {
    this.readyState = Source.CLOSED;
  }
  emit(kind: string, data: unknown, lastEventId = ''): void {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data), lastEventId }));
  }
  fail(readyState: number): void {
    this.readyState = readyState;
    this.dispatchEvent(new Event('error'));
  }
}

const page = Object.assign(new EventTarget(), { hidden: false });

function setVisible(visible: boolean): void {
  page.hidden = !visible;
  page.dispatchEvent(new Event('visibilitychange'));
}

/** Returns the open stream. */
function open(): Source {
  const last = Source.all.at(-1);
  if (!last || last.readyState === Source.CLOSED) throw new Error('no stream is open');
  return last;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  vi.stubGlobal('EventSource', Source);
  vi.stubGlobal('document', page);
  page.hidden = false;
  Source.all = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function started() {
  const { events } = await import('./events.svelte.ts');
  events.start();
  vi.advanceTimersByTime(3000);
  open().emit('ready', {}, '4');
  return events;
}

test('subscribers receive their kinds of events until they unsubscribe', async () => {
  const events = await started();
  expect(open().url).toBe('/api/events');
  expect(events.connected).toBe(true);
  const received: unknown[] = [];
  const stop = events.listen(['block'], (data) => received.push(data));
  events.listen(['duel'], () => received.push('other'));
  open().emit('block', { height: 7 }, '5');
  open().emit('reset', { last_event_id: 5 }, '9');
  expect(received).toEqual([{ height: 7 }, null, 'other']);
  stop();
  open().emit('block', { height: 8 }, '10');
  expect(received).toHaveLength(3);
});

test('a hidden page closes its stream, and a visible one resumes it', async () => {
  const events = await started();
  events.listen(['block'], () => undefined);
  open().emit('block', {}, '12');
  setVisible(false);
  vi.advanceTimersByTime(9_000);
  setVisible(true);
  expect(Source.all).toHaveLength(1);
  setVisible(false);
  vi.advanceTimersByTime(10_000);
  expect(Source.all[0]?.readyState).toBe(Source.CLOSED);
  expect(events.connected).toBe(false);
  setVisible(true);
  expect(open().url).toBe('/api/events?after=12');
});

test('a broken connection reconnects, and a refused one is retried after a delay', async () => {
  const events = await started();
  let losses = 0;
  events.onLost(() => losses++);
  open().fail(0);
  expect([events.connected, losses, Source.all.length]).toEqual([false, 1, 1]);
  open().emit('ready', {}, '4');
  expect(events.connected).toBe(true);
  open().fail(Source.CLOSED);
  expect([events.connected, losses]).toEqual([false, 2]);
  vi.advanceTimersByTime(59_000);
  expect(Source.all).toHaveLength(1);
  vi.advanceTimersByTime(1000);
  expect(open().url).toBe('/api/events?after=4');
});

test('a change of account reopens the stream', async () => {
  const events = await started();
  events.switchAccount(undefined);
  expect(Source.all).toHaveLength(1);
  events.switchAccount('rps1other');
  expect(Source.all).toHaveLength(2);
  expect(Source.all[0]?.readyState).toBe(Source.CLOSED);
  expect(open().url).toBe('/api/events');
});

test('poll reads after events, and by time while the stream is disconnected', async () => {
  const events = await started();
  const { poll } = await import('./poll.ts');
  let reads = 0;
  const stop = poll(() => reads++, 3, ['duel_created']);
  expect(reads).toBe(1);
  vi.advanceTimersByTime(57_000);
  expect(reads).toBe(1);
  vi.advanceTimersByTime(3000);
  expect(reads).toBe(2);
  open().emit('duel_created', {}, '5');
  open().emit('duel_created', {}, '6');
  vi.advanceTimersByTime(100);
  expect(reads).toBe(3);
  open().fail(0);
  expect([events.connected, reads]).toEqual([false, 4]);
  vi.advanceTimersByTime(3000);
  expect(reads).toBe(5);
  stop();
  vi.advanceTimersByTime(30_000);
  expect(reads).toBe(5);
});
