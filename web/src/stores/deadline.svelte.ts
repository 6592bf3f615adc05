// The deadline of the step that the player owes a duel on display. Without a connection it is what the player must know.

class Deadline {
  /** An RFC 3339 time; null without such a step. */
  at = $state<string | null>(null);
}

export const deadline = new Deadline();
