// The browser keeps the witness policy of its first visit, as it keeps the key.

import { beforeEach, expect, test, vi } from 'vitest';

vi.mock('../verifier.ts', () => ({ ask: () => Promise.reject(new Error('no verifier')) }));

const items = new Map<string, string>();
beforeEach(() => {
  vi.useFakeTimers();
  items.clear();
  globalThis.localStorage = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  } as Storage;
});

/** Returns the store as after a reload of the page. */
async function loaded() {
  vi.resetModules();
  return (await import('./trust.svelte.ts')).trust;
}

const key = 'roshambo.test/chain+6daf5554+AVlG';
const head = (keys: string[], quorum: number) => ({
  verifier_key: key,
  checkpoint: 'note',
  witnesses: { keys, quorum },
});
const two = head(['one', 'two'], 2);

test.each([
  ['no witnesses', head([], 0)],
  ['a smaller quorum', head(['one', 'two'], 1)],
  ['another witness', head(['one', 'three'], 2)],
  ['one witness more', head(['one', 'two', 'three'], 2)],
  ['fewer witnesses than it requires', head(['one', 'two'], 3)],
  ['one witness twice', head(['one', 'one'], 2)],
  ['all of three in place of both of two', head(['one', 'two', 'three'], 0)],
])('a service that names %s raises an alarm, and the kept policy stays required', async (_, changed) => {
  let trust = await loaded();
  trust.observe(two);
  trust.observe(head(['two', 'one'], 2)); // the order has no meaning
  expect(trust.alarm).toBe(null);
  trust.observe(changed);
  expect(trust.alarm).toMatchObject({
    fault: 'policy',
    policies: { kept: two.witnesses, shown: changed.witnesses },
  });
  const raised = trust.alarm;
  // It is raised once, survives a reload, and stays when the service shows the kept policy again.
  trust = await loaded();
  expect(trust.alarm).toEqual(raised);
  trust.observe(changed);
  trust.observe(two);
  expect(trust.alarm).toEqual(raised);
  expect(await trust.requirements()).toEqual({ key, witnesses: ['one', 'two'], quorum: 2 });
  // The user accepts: the new policy is required, and the key and the checkpoint stay.
  trust.accept();
  expect([trust.alarm, trust.pin?.key]).toEqual([null, key]);
  trust = await loaded();
  trust.observe(changed);
  expect(trust.alarm).toBe(null);
  expect(await trust.requirements()).toMatchObject({
    witnesses: changed.witnesses.keys,
    quorum: changed.witnesses.quorum,
  });
});

test('a policy that waits for the decision of the user stays as it was shown', async () => {
  const trust = await loaded();
  trust.observe(two);
  trust.observe(head([], 0));
  trust.observe(head(['one', 'two', 'three'], 3));
  expect(trust.policy).toEqual(two.witnesses);
  expect(trust.alarm?.policies?.shown).toEqual({ keys: [], quorum: 0 });
});

test('an alarm about the key shows a changed policy too, and accepting it accepts both', async () => {
  const trust = await loaded();
  trust.observe(two);
  trust.observe({ ...head([], 0), verifier_key: 'other+6daf5554+AVlG' });
  expect(trust.alarm).toMatchObject({
    fault: 'key',
    policies: { kept: two.witnesses, shown: { keys: [], quorum: 0 } },
  });
  expect(trust.policy).toEqual(two.witnesses);
  trust.accept();
  expect([trust.pin?.key, trust.policy]).toEqual(['other+6daf5554+AVlG', { keys: [], quorum: 0 }]);
});

test('a damaged policy raises an alarm and is not replaced in silence', async () => {
  items.set('roshambo/witnesses', '{"keys":"none"}');
  const trust = await loaded();
  trust.observe(head([], 0));
  expect(trust.alarm?.fault).toBe('damaged');
});

test('an alarm about a game leaves key, policy and checkpoint as they are', async () => {
  const trust = await loaded();
  trust.observe(two);
  trust.report('texts', []);
  expect(trust.alarm).toBe(null);
  trust.report('texts', ['{"sent":1}', '{"sent":2}']);
  expect(trust.alarm).toMatchObject({ fault: 'texts', shown: { key, note: '{"sent":1}\n{"sent":2}' } });
  trust.accept();
  expect([trust.alarm, trust.pin?.key, trust.policy]).toEqual([null, key, two.witnesses]);
});
