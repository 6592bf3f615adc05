import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { install, open, setVisible, Source, uninstall } from './stream.fake.ts';

beforeEach(install);
afterEach(uninstall);

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

test('a held page closes its stream, and opens it again once it is released', async () => {
  const events = await started();
  events.hold(true);
  expect([Source.all[0]?.readyState, events.connected]).toEqual([Source.CLOSED, false]);
  setVisible(false);
  setVisible(true);
  events.switchAccount('another');
  vi.advanceTimersByTime(600_000);
  expect(Source.all).toHaveLength(1);
  events.hold(false);
  vi.advanceTimersByTime(3000);
  expect(open().url).toBe('/api/events?after=4');
});

test('a broken connection reconnects, and a refused one is retried after a delay', async () => {
  const events = await started();
  let losses = 0;
  events.onLost((broken) => broken && losses++);
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

test('a stream names the duel on display, and reports whether it does', async () => {
  const events = await started();
  events.listen(['block'], () => undefined);
  open().emit('block', {}, '12');
  events.name('AAAAAAAA');
  events.name('BBBBBBBB');
  vi.advanceTimersByTime(1);
  expect(Source.all).toHaveLength(2);
  expect(open().url).toBe('/api/events?after=12&duel=BBBBBBBB');
  expect(events.isNamed('BBBBBBBB')).toBe(false);
  open().emit('ready', {}, '12');
  expect([events.isNamed('BBBBBBBB'), events.isNamed('AAAAAAAA')]).toEqual([true, false]);
  events.name('BBBBBBBB');
  vi.advanceTimersByTime(1);
  expect(Source.all).toHaveLength(2);
  events.release('AAAAAAAA');
  vi.advanceTimersByTime(1);
  expect(Source.all).toHaveLength(2);
  events.release('BBBBBBBB');
  vi.advanceTimersByTime(1);
  expect(open().url).toBe('/api/events?after=12');
});
