// Display names of transaction kinds; an unlisted kind keeps its name on the chain.

const names: Readonly<Record<string, string>> = {
  genesis: 'Genesis',
  rules: 'Rules',
  'account.create': 'New account',
  'account.secure': 'Account secured',
  faucet: 'Faucet',
  recovery: 'Recovery',
  'commitment.rotate': 'Commitment rotated',
  'run.start': 'Run started',
  'run.end': 'Run ended',
  'duel.stake': 'Duel stake',
  'duel.settle': 'Duel settled',
  'market.sale': 'Sale',
  buyback: 'Buyback',
  'season.close': 'Season closed',
  'cup.close': 'Cup closed',
  'result.void': 'Result voided',
};

export function kindName(kind: string): string {
  return names[kind] ?? kind;
}
