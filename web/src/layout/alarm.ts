// The texts of alarms, and the evidence as JSON for independent verification.

import type { Fault } from '../log/compare.ts';
import { ofGame } from '../stores/faults.ts';
import type { Alarm, Pin } from '../stores/trusted.ts';
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
    title: t('The chain could not be checked.'),
    what: t(
      'The log does not match the signed checkpoint, so this browser cannot verify that it is the same chain.',
    ),
    advice: t(
      'This may be cheating, or a fault. Do not stake more until the chain is checked. This browser tries again by itself, and this notice ends with the first proof.',
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
  texts: {
    title: t('The house has recorded other texts than you sent.'),
    what: t(
      'This browser keeps the seed and the texts that it sends with your throws. What the house has recorded differs: a house that makes them up can choose its hands.',
    ),
    advice: t(
      'Stop playing, unless another browser of yours played at about that time. This browser keeps what it sent until you discard it.',
    ),
  },
  check: {
    title: t('A game of yours has failed its check.'),
    what: t(
      'What was revealed does not fit what was sealed before: a seed, a hand or an outcome is another one. A house that exchanges them can choose its hands.',
    ),
    advice: t(
      'Stop playing, and save the proof of the game. This browser keeps the evidence until you discard it.',
    ),
  },
  commitment: {
    title: t('The house has replaced a sealed envelope.'),
    what: t(
      'Your next run must use the commitment that this browser has seen. The house shows another one, and no run or recovery on the chain has used the first.',
    ),
    advice: t(
      'Stop playing, and compare the two commitments with the chain. This browser keeps the evidence until you discard it.',
    ),
  },
  policy: {
    title: t('The witnesses of this chain have changed.'),
    what: t(
      'The service names other witnesses than this browser keeps, or requires another number of them. Until you accept, your browser requires those that it keeps.',
    ),
    advice: t(
      'A witness may have a new key. But a service that shows you weaker witnesses than others can show you a chain of your own. Compare both lists with an announcement from another source before you accept.',
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
      ...(ofGame.includes(alarm.fault) ? { about_game: side.note.split('\n') } : { checkpoint: side.note }),
    };
  return JSON.stringify(
    {
      fault: alarm.fault,
      known_key: pin && { verifier_key: pin.key, since: new Date(pin.since).toISOString() },
      kept: seen(alarm.kept),
      shown: seen(alarm.shown),
      ...(alarm.policies ? { witnesses: alarm.policies } : {}),
    },
    null,
    2,
  );
}
