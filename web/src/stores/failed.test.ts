// Checks of games that fail raise the alarm, which stays until the player discards it.
import { beforeEach, expect, test, vi } from 'vitest';

vi.mock('../verifier.ts', () => ({ ask: () => Promise.reject(new Error('no verifier')) }));

const items = new Map<string, string>();
beforeEach(() => {
  items.clear();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
    removeItem: (name: string) => items.delete(name),
  });
});

/** Returns the stores of a page that has just loaded. */
async function loaded() {
  vi.resetModules();
  const [{ trust }, { reportFailed }] = await Promise.all([
    import('./trust.svelte.ts'),
    import('./failed.ts'),
  ]);
  return { trust, reportFailed };
}

const seed = (n: number) => ({ n, evidence: { seed: `seed ${String(n)}` } });
const lines = (note: string | undefined) => note?.split('\n').map((line) => JSON.parse(line) as object);

test('a failed check raises the alarm with what was shown and what the house has signed', async () => {
  const receipt = { raw: '{"run_id":"r"}', signature: 's' };
  items.set('roshambo/receipts/r', JSON.stringify([receipt]));
  const { trust, reportFailed } = await loaded();
  reportFailed('r', []);
  expect(trust.alarm).toBe(null);
  reportFailed('r', [seed(2)]);
  expect(trust.alarm?.fault).toBe('check');
  expect(lines(trust.alarm?.shown.note)).toEqual([{ game: 'r', n: 2, seed: 'seed 2' }, receipt]);
});

test('the alarm outlasts the game and a reload, and does not come back once it is discarded', async () => {
  let page = await loaded();
  page.reportFailed('r', [seed(1)]);
  page.reportFailed('q', []); // the next game
  page = await loaded();
  expect(page.trust.alarm?.fault).toBe('check');
  page.trust.accept();
  page.reportFailed('r', [seed(1)]);
  expect(page.trust.alarm).toBe(null);
  page = await loaded();
  page.reportFailed('r', [seed(1)]);
  expect(page.trust.alarm).toBe(null);
  page.reportFailed('r', [seed(1), seed(2)]); // the next throw fails, too
  expect(lines(page.trust.alarm?.shown.note)).toEqual([{ game: 'r', n: 2, seed: 'seed 2' }]);
});

test('what was discarded in one tab does not come back in another', async () => {
  const one = await loaded();
  const two = await loaded();
  one.reportFailed('r', [seed(1)]);
  one.trust.accept();
  two.reportFailed('r', [seed(1)]);
  expect(two.trust.alarm).toBe(null);
});

test('a failed check during the alarm about another one is added to it, and discarded with it', async () => {
  const { trust, reportFailed } = await loaded();
  reportFailed('r', [seed(1)]);
  reportFailed('q', [seed(1)]);
  expect(lines(trust.alarm?.shown.note)).toEqual([
    { game: 'r', n: 1, seed: 'seed 1' },
    { game: 'q', n: 1, seed: 'seed 1' },
  ]);
  trust.accept();
  reportFailed('q', [seed(1)]);
  expect(trust.alarm).toBe(null);
});

test('a failed check whose alarm could not be stored is reported again after a reload', async () => {
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (name === 'roshambo/alarm') throw new Error('quota exceeded');
      items.set(name, value);
    },
    removeItem: (name: string) => items.delete(name),
  });
  let page = await loaded();
  page.reportFailed('r', [seed(1)]);
  expect(page.trust.alarm?.fault).toBe('check');
  page = await loaded();
  expect(page.trust.alarm).toBe(null);
  page.reportFailed('r', [seed(1)]);
  expect(lines(page.trust.alarm?.shown.note)).toEqual([{ game: 'r', n: 1, seed: 'seed 1' }]);
});

test('many failed checks raise an alarm that can be stored, and the next look reports the others', async () => {
  const receipt = { raw: JSON.stringify({ run_id: 'r', more: 'x'.repeat(1e6) }), signature: 's' };
  items.set('roshambo/receipts/r', JSON.stringify([receipt]));
  const { trust, reportFailed } = await loaded();
  const all = Array.from({ length: 30 }, (_, i) => seed(i + 1));
  reportFailed('r', all);
  expect(trust.alarm?.shown.note.split('\n')).toHaveLength(21);
  reportFailed('r', all);
  expect(trust.alarm?.shown.note.split('\n')).toHaveLength(31);
  expect(items.get('roshambo/alarm')?.length).toBeLessThan(50_000);
});
