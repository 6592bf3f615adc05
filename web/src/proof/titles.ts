// Display names of the verifier's checks, in the order of the report, of the claims of a proof, and of verdicts.

import type { IconName } from '../art/Icon.svelte';
import { t } from '../text/language.ts';
import type { Outcome } from './proof.ts';

export const stamps: Readonly<Record<Outcome, IconName>> = {
  valid: 'tick',
  pending: 'note',
  invalid: 'cross',
  contradicted: 'cross',
  unreadable: 'note',
};
export const verdicts: Readonly<Record<Outcome, string>> = {
  valid: t('Valid'),
  pending: t('Pending'),
  invalid: t('Not valid'),
  contradicted: t('Contradicted'),
  unreadable: t('Not a proof'),
};

const titles: Readonly<Record<string, string>> = {
  format: t('File format'),
  transactions: t('Transactions'),
  inclusion: t('Inclusion in the chain'),
  checkpoint: t('Signature'),
  witnesses: t('Witnesses'),
  order: t('Order'),
  recovery: t('Recovery'),
  commitment: t('Commitment'),
  client_seed: t('Player’s seed'),
  seeds: t('Seeds'),
  moves: t('Hands of the house'),
  outcomes: t('Outcomes'),
  cleared: t('Steps'),
  status: t('Result'),
  end: t('End of the run'),
  commitments: t('Both commitments'),
  score: t('Score'),
  winner: t('Winner'),
  payout: t('Payout'),
  receipts: t('What the house signed'),
};

export function checkTitle(id: string): string {
  return titles[id] ?? id;
}

const claims: Readonly<Record<string, string>> = {
  commit: t('the commitment'),
  start: t('the start of the run'),
  end: t('the end of the run'),
  stake_a: t('the stakes'),
  stake_b: t('the stakes'),
  settle: t('the settlement'),
  recovery: t('the recovery'),
  transcript: t('the rest of the game'),
};

/** Returns the names of claims as one text, each once: "the stakes, the settlement". */
export function claimNames(names: readonly string[]): string {
  return [...new Set(names.map((name) => claims[name] ?? name))].join(', ');
}
