// Display names of the verifier's checks, in the order of the report.

import { t } from '../text/language.ts';

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
