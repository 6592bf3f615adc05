import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** The browser's EventSource as far as the page uses it, driven by the test. */
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
  tell(kind: string, data: unknown, lastEventId = ''): void {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data), lastEventId }));
  }
  fail(readyState: number): void {
    this.readyState = readyState;
    this.dispatchEvent(new Event('error'));
  }
}

const page = Object.assign(new EventTarget(), { hidden: false });

function show(seen: boolean): void {
  page.hidden = !seen;
  page.dispatchEvent(new Event('visibilitychange'));
}

/** The stream that is open. */
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
  open().tell('ready', {}, '4');
  return events;
}

test('readers are told what they listen to, until they stop', async () => {
  const events = await started();
  expect(open().url).toBe('/api/events');
  expect(events.on).toBe(true);
  const told: unknown[] = [];
  const stop = events.listen(['block'], (data) => told.push(data));
  events.listen(['duel'], () => told.push('other'));
  open().tell('block', { height: 7 }, '5');
  open().tell('reset', { last_event_id: 5 }, '9');
  expect(told).toEqual([{ height: 7 }, null, 'other']);
  stop();
  open().tell('block', { height: 8 }, '10');
  expect(told).toHaveLength(3);
});

test('a page that nobody looks at has no stream, and goes on where it was', async () => {
  const events = await started();
  events.listen(['block'], () => undefined);
  open().tell('block', {}, '12');
  show(false);
  vi.advanceTimersByTime(9_000);
  show(true);
  expect(Source.all).toHaveLength(1);
  show(false);
  vi.advanceTimersByTime(10_000);
  expect(Source.all[0]?.readyState).toBe(Source.CLOSED);
  expect(events.on).toBe(false);
  show(true);
  expect(open().url).toBe('/api/events?after=12');
});

test('a broken connection mends itself, a refusal is left alone for a while', async () => {
  const events = await started();
  let asked = 0;
  events.lost(() => asked++);
  open().fail(0);
  expect([events.on, asked, Source.all.length]).toEqual([false, 1, 1]);
  open().tell('ready', {}, '4');
  expect(events.on).toBe(true);
  open().fail(Source.CLOSED);
  expect([events.on, asked]).toEqual([false, 2]);
  vi.advanceTimersByTime(59_000);
  expect(Source.all).toHaveLength(1);
  vi.advanceTimersByTime(1000);
  expect(open().url).toBe('/api/events?after=4');
});

test('somebody else gets a stream of their own', async () => {
  const events = await started();
  events.renew(undefined);
  expect(Source.all).toHaveLength(1);
  events.renew('rps1somebody');
  expect(Source.all).toHaveLength(2);
  expect(Source.all[0]?.readyState).toBe(Source.CLOSED);
  expect(open().url).toBe('/api/events');
});

test('what is told is read when it is told, and by time while nobody tells', async () => {
  const events = await started();
  const { often } = await import('./often.ts');
  let reads = 0;
  const stop = often(() => reads++, 3, ['duel_created']);
  expect(reads).toBe(1);
  vi.advanceTimersByTime(12_000);
  expect(reads).toBe(1);
  vi.advanceTimersByTime(3000);
  expect(reads).toBe(2);
  open().tell('duel_created', {}, '5');
  open().tell('duel_created', {}, '6');
  vi.advanceTimersByTime(100);
  expect(reads).toBe(3);
  open().fail(0);
  expect([events.on, reads]).toEqual([false, 4]);
  vi.advanceTimersByTime(3000);
  expect(reads).toBe(5);
  stop();
  vi.advanceTimersByTime(30_000);
  expect(reads).toBe(5);
});
