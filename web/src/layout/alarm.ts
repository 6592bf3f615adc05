// The texts of chain alerts, and the evidence as JSON for independent verification.

import type { Fault } from '../log/compare.ts';
import type { Alarm, Pin } from '../stores/trust.svelte.ts';
import { t } from '../text/language.ts';

export const texts: Readonly<Record<Fault, { title: string; what: string; advice?: string }>> = {
  key: {
    title: t('The signing key of this chain has changed.'),
    what: t(
      'This browser knows a different key for the house. Unless the house has announced a new chain, the server may be showing you a forged history.',
    ),
  },
  signature: {
    title: t('The checkpoint has no valid signature.'),
    what: t(
      'The house’s key did not sign the head of this chain. A third party may be intercepting the connection, or the server is faulty.',
    ),
  },
  root: {
    title: t('The house has signed two histories.'),
    what: t(
      'Two signed checkpoints of the same length state different chains. Only one of them can be correct.',
    ),
  },
  history: {
    title: t('The house has rewritten its chain.'),
    what: t(
      'The current signed chain does not contain the earlier signed chain. Blocks that this browser knows have been changed.',
    ),
  },
  shorter: {
    title: t('The house has removed blocks.'),
    what: t('The current signed chain is shorter than the earlier one, but the chain is append-only.'),
  },
  unproved: {
    title: t('The house does not prove that its chain is append-only.'),
    what: t(
      'The log does not match the signed checkpoint, so this browser cannot verify that it is the same chain.',
    ),
  },
  receipt: {
    title: t('The house has not signed what it told you about your game.'),
    what: t(
      'This browser asks for a signed statement with every start, throw and decision. One is missing, is not signed by the key that this browser knows, or states something else than the answer.',
    ),
    advice: t(
      'Stop playing: the house could deny later what it told you. This browser keeps the statements until you discard them, and in receipts.jsonl on the page Verify.',
    ),
  },
  damaged: {
    title: t('The checkpoint stored in this browser is damaged.'),
    what: t(
      'This browser can no longer check that the chain extends the one that it knew. The browser’s storage failed, or another program changed it.',
    ),
    advice: t(
      'Before you stake more, compare the checkpoint below with a copy from another source. This browser keeps the evidence until you discard it.',
    ),
  },
};

/** Returns keys and checkpoints as JSON, sufficient to verify the signatures. */
export function evidence(alarm: Alarm, pin: Pin | null): string {
  const seen = (side: Alarm['kept']) =>
    side && {
      seen_at: new Date(side.at).toISOString(),
      verifier_key: side.key,
      ...(alarm.fault === 'receipt' ? { unsigned: side.note.split('\n') } : { checkpoint: side.note }),
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
