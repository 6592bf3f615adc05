// What the table shows of the check of a throw: it passes, or it fails and says so until the run is cleared.
import { render } from 'svelte/server';
import { expect, test, vi } from 'vitest';
import type { ThrowCheck } from './fairness.ts';

const game = vi.hoisted(() => ({
  thrown: null,
  last: { n: 1 },
  checks: [] as ThrowCheck[],
  commitment: 'c0',
  run: { id: 'r', client_seed: 's' },
}));
vi.mock('../stores/game.svelte.ts', () => ({ game }));

const { default: SeedCheck } = await import('./SeedCheck.svelte');
const check = {
  n: 1,
  seed: '5eed',
  digest: 'd1',
  seedHolds: true,
  drawn: 'paper',
  moveHolds: true,
  outcomeHolds: true,
} as const;

/** Returns what is shown after the checks of the throws so far. */
function shown(...checks: ThrowCheck[]): string {
  Object.assign(game, { checks, last: { n: checks.length } });
  return render(SeedCheck).body.replace(/<!--[^]*?-->/g, '');
}

test('a throw that passes folds its hashes', () => {
  const body = shown(check);
  expect(body).toContain('Checked: the house was fair');
  expect(body).toMatch(/<details(?![^>]* open)[^>]*data-holds="true"/);
  expect(body).not.toContain('role="alert"');
});

test.each([
  ['another seed', { ...check, seedHolds: false }, 'which is not the fingerprint on the envelope'],
  ['another hand', { ...check, moveHolds: false }, 'which is not the house’s hand'],
] as const)('%s than was sealed is an unfolded failure', (_, failed, says) => {
  const body = shown(failed);
  expect(body).toMatch(/<details(?=[^>]* open)[^>]*data-holds="false"/);
  expect(body).toMatch(/role="alert"[^>]*>Check failed: this run is not fair. Save its proof.</);
  expect(body).toContain(says);
  // A later throw that passes does not make the run fair.
  expect(shown(failed, { ...check, n: 2 })).toMatch(/data-holds="false"[^]*Check failed/);
});

test.each([
  ['an outcome that does not follow from the hands', { ...check, outcomeHolds: false }],
  ['a malformed throw', { ...check, seedHolds: false, drawn: null, moveHolds: false, outcomeHolds: false }],
] as const)('%s is a failure', (_, failed) => {
  const body = shown(failed);
  expect(body).toMatch(/<details(?=[^>]* open)[^>]*data-holds="false"/);
  expect(body).not.toContain('which is not the house’s hand');
});
