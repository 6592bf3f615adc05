// The rematch of a duel that is opened again: linked, and not opened by itself.
import { render } from 'svelte/server';
import { expect, test, vi } from 'vitest';
import RematchButtons from './RematchButtons.svelte';

vi.mock('../router.svelte.ts', () => ({ router: {} }));

/** Returns the page's part for a finished duel. */
function shown(rematch: object | undefined): string {
  const [a, b] = ['kea', 'tui'].map((username) => ({ username, short_address: '', address: '' }));
  const duel = { id: 'AAAAAAAA', status: 'finished', kind: 'open', you: 'a', stake: 0, a, b, rematch };
  return render(RematchButtons, { props: { duelState: { duel, busy: false } as never } }).body;
}

test('a duel whose rematch has begun links it and offers no other', () => {
  const begun = shown({ duel_id: 'BBBBBBBB', offered_by: null, until: null });
  expect(begun).toMatch(/href="\/d\/BBBBBBBB"[^>]*>Go to the rematch</);
  expect(begun).not.toContain('<button');
});

test('a duel without a rematch offers one', () => {
  expect(shown(undefined)).toMatch(/<button[^]*>Rematch</);
});
