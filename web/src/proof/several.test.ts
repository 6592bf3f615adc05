// What the page shows of a file of several proofs: each has the look of its own verdict.
import { render } from 'svelte/server';
import { expect, test } from 'vitest';
import type { Entry } from './file.ts';
import type { Outcome } from './proof.ts';
import SeveralProofs from './SeveralProofs.svelte';

/** Returns the page's part for proofs of games with their verdicts. */
function shown(...proofs: [game: string, outcome: Outcome][]): string {
  const entries = proofs.map(([game, outcome], i): Entry => ({ line: i + 1, from: 0, to: 0, game, outcome }));
  const { body } = render(SeveralProofs, { props: { entries, shown: null, choose: () => undefined } });
  return body.replace(/<!--[^]*?-->/g, '');
}

/** Returns the verdict by which each element of a kind is colored, with all inside of it. */
function looks(body: string, tag: string): string[] {
  const found = body.matchAll(new RegExp(`<${tag} [^>]*?class="([^"]*)"`, 'g'));
  return [...found].map(([, names = '']) => /\b(valid|pending|invalid|unreadable)\b/.exec(names)?.[0] ?? '');
}

test('an invalid proof does not color those beside it', () => {
  const body = shown(['A', 'valid'], ['B', 'invalid'], ['', 'unreadable'], ['C', 'pending']);
  expect(looks(body, 'button')).toEqual(['valid', 'invalid', 'unreadable', 'pending']);
  expect(looks(body, 'header')).toEqual(['invalid']);
  expect(looks(body, 'section')).toEqual(['']);
});

test('several proofs of one game count once', () => {
  expect(shown(['A', 'valid'], ['A', 'valid'])).toContain('The valid proofs are of 1 game.');
  expect(shown(['A', 'valid'], ['A', 'valid'], ['B', 'valid'])).toContain('The valid proofs are of 2 games.');
  expect(shown(['A', 'valid'], ['B', 'valid'], ['A', 'invalid'])).not.toContain('The valid proofs');
});
