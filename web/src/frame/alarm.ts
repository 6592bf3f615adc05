// What is wrong with a chain, in words, and the evidence of it as a text that others can check.

import type { Fault } from '../log/compare.ts';
import type { Alarm, Pin } from '../stores/trust.svelte.ts';

export const told: Readonly<Record<Fault, { title: string; what: string; advice?: string }>> = {
  key: {
    title: 'This chain is signed with another key than the one this browser knows.',
    what: 'Whoever signs here is not the house that you met before, or it has begun another chain. If nobody told you that the chain was started anew, you may be shown another history.',
  },
  signature: {
    title: 'This checkpoint is not signed by the house.',
    what: 'The house’s key has not signed the head of the chain that is shown here. Somebody stands between you and the house, or it no longer answers for what it shows.',
  },
  root: {
    title: 'The house signs two histories.',
    what: 'Two signed checkpoints state different chains of the same length. Both cannot be true.',
  },
  history: {
    title: 'The house has rewritten its chain.',
    what: 'The chain that is signed now does not contain the one that was signed before. Blocks that this browser knew have been changed.',
  },
  shorter: {
    title: 'The house has taken blocks back.',
    what: 'The chain that is signed now is shorter than the one that was signed before, and a chain only grows.',
  },
  unproved: {
    title: 'The house does not prove that its chain only grew.',
    what: 'The log that is served does not fit the checkpoint that is signed, so that nothing shows it to be the chain that this browser knew.',
  },
  damaged: {
    title: 'What this browser had kept of the chain is damaged.',
    what: 'Whether the chain that is shown now has grown from the one that this browser knew can no longer be told here. The browser’s storage has failed, or something has written into it.',
    advice:
      'Before you stake more, compare the checkpoint below with one that somebody else has kept. Nothing of it is forgotten until you say so.',
  },
};

/** Everything that was seen, as JSON: with it anybody can check the signatures. */
export function evidence(alarm: Alarm, pin: Pin | null): string {
  const seen = (side: Alarm['kept']) =>
    side && {
      seen_at: new Date(side.at).toISOString(),
      verifier_key: side.key,
      checkpoint: side.note,
    };
  return JSON.stringify(
    {
      fault: alarm.fault,
      known_key: pin && { verifier_key: pin.key, since: new Date(pin.since).toISOString() },
      kept: seen(alarm.kept),
      shown: seen(alarm.shown),
    },
    null,
    2,
  );
}
