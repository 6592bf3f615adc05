// Which faults of a chain weigh more than others, how evidence about games adds up, and when two witness policies
// are the same.

import type { Fault, Verdict } from '../log/compare.ts';
import type { Policy } from './trusted.ts';

/** Faults about a game of this browser. Their evidence has no effect on what the browser trusts. */
export const ofGame: readonly Fault[] = ['check', 'receipt', 'texts', 'commitment'];

/**
 * Faults that prove nothing to others, by their weight. A weightier or proven fault is shown in place of the first
 * three, and before those about a game, which wait.
 */
const unproven: readonly Fault[] = [
  'unproved',
  'damaged',
  'policy',
  'commitment',
  'texts',
  'receipt',
  'check',
];

/** Returns the weight of a fault. Proven faults weigh most. */
export function weight(fault: Fault): number {
  return (unproven.indexOf(fault) + unproven.length + 1) % (unproven.length + 1);
}

/** Reports whether a verdict is a fault of the server, not of the checkpoint that it is compared with. */
export function contradicts(is: Verdict['is']): is is Fault {
  return ['root', 'history', 'shorter', 'signature', 'unproved'].includes(is);
}

/** Reports whether two policies require the same. The order of the witnesses has no meaning. */
export function samePolicy(a: Policy, b: Policy): boolean {
  const required = ({ keys, quorum }: Policy) => JSON.stringify([[...keys].sort(), quorum]);
  return required(a) === required(b);
}

/** Characters of a line of evidence, and of all lines of an alarm: a browser stores some 5 MB for a site. */
const [longestLine, longestNote] = [2000, 200_000];

/** Adds lines to the evidence about a game, each once and cut to its bound. `all` reports whether there was room. */
export function addLines(note: string, texts: readonly string[]): { note: string; all: boolean } {
  const lines = new Set(note === '' ? [] : note.split('\n'));
  let [length, all] = [note.length, true];
  for (const text of texts) {
    const line = text.slice(0, longestLine);
    if (lines.has(line)) continue;
    if (length + line.length >= longestNote) {
      all = false;
      continue;
    }
    lines.add(line);
    length += line.length + 1;
  }
  return { note: [...lines].join('\n'), all };
}
