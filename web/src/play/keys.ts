// R, P and S throw, C claims, G goes on at risk. Enter claims, or lays out the next envelope; it never risks anything.
// Keys do nothing in a field, and nothing on top of a browser shortcut.

import type { Move } from '../api/shapes.ts';
import { game } from '../stores/game.svelte.ts';

const moves: Readonly<Record<string, Move>> = { r: 'rock', p: 'paper', s: 'scissors' };

/** The key as pressed for the table, in lower case; null when it was meant for something else. */
export function pressed(event: KeyboardEvent): string | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || busyElsewhere(event)) return null;
  return event.key.toLowerCase();
}

export function moveOf(key: string): Move | undefined {
  return moves[key];
}

export function keys(event: KeyboardEvent): void {
  const key = pressed(event);
  if (key === null) return;
  const move = moveOf(key);
  if (move) void game.throw(move);
  else if ((key === 'c' || key === 'enter') && game.phase === 'deciding') void game.claim();
  else if (key === 'g' && game.phase === 'deciding') void game.risk();
  else if (key === 'enter' && game.phase === 'ended') game.next();
  else return;
  event.preventDefault();
}

/**
 * Whether the key belongs to what has the focus: a field takes letters, a focused button or link takes Enter, unless it
 * is a hand at rest, which still has the focus from the throw.
 */
function busyElsewhere(event: KeyboardEvent): boolean {
  const at = event.target;
  if (!(at instanceof HTMLElement)) return false;
  if (at.matches('input, select, textarea, [contenteditable]')) return true;
  return event.key === 'Enter' && at.matches('a, button:not([aria-disabled]), summary');
}
