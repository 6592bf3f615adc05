// Display names of the verifier's checks, in the order of the report.

const titles: Readonly<Record<string, string>> = {
  format: 'File format',
  transactions: 'Transactions',
  inclusion: 'Inclusion in the chain',
  checkpoint: 'Signature',
  witnesses: 'Witnesses',
  order: 'Order',
  commitment: 'Commitment',
  client_seed: 'Player’s seed',
  seeds: 'Seeds',
  moves: 'Hands of the house',
  outcomes: 'Outcomes',
  cleared: 'Steps',
  status: 'Result',
  end: 'End of the run',
  commitments: 'Both commitments',
  score: 'Score',
  winner: 'Winner',
  payout: 'Payout',
  receipts: 'What the house signed',
};

export function checkTitle(id: string): string {
  return titles[id] ?? id;
}
