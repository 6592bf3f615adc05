// What heals by itself is no alarm: a log that does not answer, or proves nothing once.

import { beforeEach, expect, test, vi } from 'vitest';
import { Unreachable } from '../api/client.ts';

const ask = vi.hoisted(() => vi.fn());
vi.mock('../verifier.ts', () => ({ ask }));

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  ask.mockReset();
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  });
});

const head = {
  verifier_key: 'roshambo.test/chain+6daf5554+AVlG',
  checkpoint: 'note',
  witnesses: { keys: [], quorum: 0 },
};
const [firstCheck, nextCheck] = [2500, 10_000];

/** Returns the store after its first check, which `answer` decides. */
async function checked(answer: () => Promise<object>) {
  const { trust } = await import('./trust.svelte.ts');
  ask.mockImplementation(answer);
  trust.observe(head);
  await vi.advanceTimersByTimeAsync(firstCheck);
  return trust;
}
const is = (verdict: string) => () => Promise.resolve({ tree: null, is: verdict });

test('a log that does not answer is a wait with the time of the next check', async () => {
  const trust = await checked(() => Promise.reject(new Unreachable('busy')));
  for (let n = 1; n <= 5; n++) {
    expect(ask).toHaveBeenCalledTimes(n);
    expect([trust.nextCheck, trust.alarm]).toEqual([Date.now() + nextCheck, null]);
    await vi.advanceTimersByTimeAsync(nextCheck);
  }
  ask.mockImplementation(is('grown'));
  await vi.advanceTimersByTimeAsync(nextCheck);
  expect([trust.nextCheck, trust.alarm, trust.checkpoint?.note]).toEqual([null, null, 'note']);
});

test('a log that proves nothing is reported by the second check in a row, and ends with a proof', async () => {
  const trust = await checked(is('unproved'));
  expect([trust.nextCheck, trust.alarm]).toEqual([Date.now() + nextCheck, null]);
  ask.mockImplementation(() => Promise.reject(new Unreachable('busy')));
  await vi.advanceTimersByTimeAsync(nextCheck);
  expect(trust.alarm).toBe(null);
  ask.mockImplementation(is('unproved'));
  await vi.advanceTimersByTimeAsync(nextCheck);
  expect(trust.alarm?.fault).toBe('unproved');
  ask.mockImplementation(is('grown'));
  await vi.advanceTimersByTimeAsync(nextCheck);
  expect([trust.nextCheck, trust.alarm]).toEqual([null, null]);
});

test('a log that proves nothing once, and then fits, is never reported', async () => {
  const trust = await checked(is('unproved'));
  ask.mockImplementation(is('same'));
  await vi.advanceTimersByTimeAsync(nextCheck);
  ask.mockImplementation(is('unproved'));
  trust.observe(head);
  await vi.advanceTimersByTimeAsync(nextCheck);
  expect(trust.alarm).toBe(null);
});

test('old heads between those that prove nothing put off no alarm', async () => {
  const trust = await checked(is('unproved'));
  ask.mockImplementation(is('older'));
  await vi.advanceTimersByTimeAsync(nextCheck);
  expect(trust.alarm).toBe(null);
  ask.mockImplementation(is('unproved'));
  trust.observe(head);
  await vi.advanceTimersByTimeAsync(nextCheck);
  expect(trust.alarm?.fault).toBe('unproved');
});

test.each(['root', 'history', 'signature'])(
  '%s is an alarm at once, which a later proof does not end',
  async (fault) => {
    const trust = await checked(is(fault));
    expect([trust.nextCheck, trust.alarm?.fault]).toEqual([null, fault]);
    ask.mockImplementation(is('grown'));
    trust.observe(head);
    await vi.advanceTimersByTimeAsync(nextCheck);
    expect(trust.alarm?.fault).toBe(fault);
  },
);
