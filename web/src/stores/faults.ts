// Which faults of a chain weigh more than others, and which witness policies require less than others.

import type { Fault, Verdict } from '../log/compare.ts';
import type { Policy } from './trusted.ts';

/** Faults about a game of this browser. Their evidence has no effect on what the browser trusts. */
export const ofGame: readonly Fault[] = ['receipt', 'texts'];

/** Faults that prove nothing to others, by their weight. A weightier or proven fault replaces them. */
const unproven: readonly Fault[] = ['unproved', 'damaged', 'policy', 'texts', 'receipt'];

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

/** The fewest witnesses of which a policy requires a cosignature. */
const required = ({ keys, quorum }: Policy): number => quorum || keys.length;

/**
 * Reports whether a proof may satisfy the policy `shown` and not `kept`: the cosigners that `shown` requires may all be
 * witnesses that `kept` does not know, as far as there are such. A policy that requires more cosigners than it names
 * counts as weaker: no proof satisfies it, so it is not one to keep without the user.
 */
export function isWeaker(kept: Policy, shown: Policy): boolean {
  const keys = shown.keys.filter((key, at, all) => all.indexOf(key) === at);
  const unknown = keys.filter((key) => !kept.keys.includes(key)).length;
  return required(shown) > keys.length || required(shown) - unknown < required(kept);
}
