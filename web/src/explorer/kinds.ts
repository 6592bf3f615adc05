// Kinds of transactions in words; one that is not listed is shown as the chain names it.

const names: Readonly<Record<string, string>> = {
  genesis: 'Genesis',
  rules: 'Rules',
  'account.create': 'New account',
  faucet: 'Faucet',
  'run.start': 'Run begins',
  'run.end': 'Run ends',
  'duel.stake': 'Duel stake',
  'duel.settle': 'Duel settled',
  'market.sale': 'Sale',
  buyback: 'Buyback',
  'season.close': 'Season closed',
};

export function kindName(kind: string): string {
  return names[kind] ?? kind;
}
