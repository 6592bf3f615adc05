// Keyboard input: R, P and S throw, C claims, G risks the tier. Enter claims or starts the next run, but never risks a
// tier. Keys have no effect in a text field or as part of a browser shortcut. Any key skips the countdown of a throw.

import type { Move } from '../api/shapes.ts';
import { game } from '../stores/game.svelte.ts';
import { celebration } from './celebration.svelte.ts';
import { drama } from './drama.svelte.ts';

const moves: Readonly<Record<string, Move>> = { r: 'rock', p: 'paper', s: 'scissors' };

/** Returns the pressed key in lower case; null when it is not for the game. */
export function pressed(event: KeyboardEvent): string | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || belongsToFocus(event)) return null;
  return event.key.toLowerCase();
}

export function moveOf(key: string): Move | undefined {
  return moves[key];
}

export function keys(event: KeyboardEvent): void {
  if (!event.repeat && drama.skip()) {
    // The key has no other effect: the button with the focus may be another one when the browser activates it.
    if (event.key === 'Enter' || event.key === ' ') event.preventDefault();
    return;
  }
  const key = pressed(event);
  // While a celebration stops the page, its dialog handles the keys.
  if (key === null || celebration.stopsPage) return;
  const move = moveOf(key);
  if (move) void game.throw(move);
  else if ((key === 'c' || key === 'enter') && game.phase === 'deciding') void game.claim();
  else if (key === 'g' && game.phase === 'deciding') void game.risk();
  else if (key === 'enter' && game.phase === 'ended') game.next();
  else return;
  event.preventDefault();
}

/**
 * Reports whether the focused element handles the key: text fields take letters, buttons and links take Enter. A
 * resting hand does not, as it still has the focus from the throw.
 */
function belongsToFocus(event: KeyboardEvent): boolean {
  const element = event.target;
  if (!(element instanceof HTMLElement)) return false;
  if (element.matches('input, select, textarea, [contenteditable]')) return true;
  return event.key === 'Enter' && element.matches('a, button:not([aria-disabled]), summary');
}
