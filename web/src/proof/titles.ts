// The checks of a verifier, in the order in which it makes them, in the words of this page.

const titles: Readonly<Record<string, string>> = {
  format: 'The file',
  transactions: 'Transactions',
  inclusion: 'Place in the chain',
  checkpoint: 'Signature',
  witnesses: 'Witnesses',
  order: 'Order',
  commitment: 'The envelope',
  client_seed: 'The player’s seed',
  seeds: 'Seeds',
  moves: 'House hands',
  outcomes: 'Outcomes',
  cleared: 'Steps',
  status: 'Result',
  end: 'Record of the end',
  commitments: 'Both envelopes',
  score: 'Score',
  winner: 'Winner',
  payout: 'Payout',
};

export function checkTitle(id: string): string {
  return titles[id] ?? id;
}
