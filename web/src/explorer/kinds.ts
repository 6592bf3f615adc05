// Display names of transaction kinds; an unlisted kind keeps its name on the chain.

import { t } from '../text/language.ts';

const names: Readonly<Record<string, string>> = {
  genesis: t('Genesis'),
  rules: t('Rules'),
  'account.create': t('New account'),
  'account.secure': t('Account secured'),
  faucet: t('Faucet'),
  'run.start': t('Run started'),
  'run.end': t('Run ended'),
  'duel.stake': t('Duel stake'),
  'duel.settle': t('Duel settled'),
  'market.sale': t('Sale'),
  buyback: t('Buyback'),
  'season.close': t('Season closed'),
  recovery: t('Recovery'),
  'commitment.rotate': t('Commitment rotated'),
  'cup.close': t('Cup closed'),
  'result.void': t('Result voided'),
  'result.restore': t('Result restored'),
};

export function kindName(kind: string): string {
  return names[kind] ?? kind;
}
