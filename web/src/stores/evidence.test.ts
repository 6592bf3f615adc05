import { expect, test } from 'vitest';
import { evidenceOf } from './evidence.ts';

test('evidence has the named members alone, and none longer than its bound', () => {
  const long = 'x'.repeat(1e6);
  const shown = { n: 1, seed: long, committed: { a: true }, more: long, deep: [[long]] };
  const evidence = evidenceOf(shown, ['n', 'seed', 'committed', 'deep', 'missing']);
  expect(evidence).toMatchObject({ n: 1, committed: { a: true }, missing: null });
  expect(Object.keys(evidence)).toEqual(['n', 'seed', 'committed', 'deep', 'missing']);
  expect(JSON.stringify(evidence).length).toBeLessThan(2000);
  expect(evidenceOf(null, ['n'])).toEqual({ n: null });
});
