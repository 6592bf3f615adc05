// Runs as recorded on the chain: every run has a start and, once it is over, an end.

import type { TransactionRow } from '../api/shapes.ts';

export interface ChainRun {
  id: string;
  /** RFC 3339, of the first transaction in the list. */
  time: string;
  /** The status in the run's end; null while the run is in progress. */
  status: string | null;
  cleared: number | null;
  /** The number of the token won. */
  token: number | null;
}

/** Returns the id of the run that a transaction belongs to, read from its raw text; null for all other kinds. */
export function runOf(raw: string): string | null {
  const id = dataOf(raw).run_id;
  return typeof id === 'string' ? id : null;
}

/** Returns the runs in a list of transactions, in the order of the list. Start and end of a run make one entry. */
export function runsIn(transactions: readonly TransactionRow[]): ChainRun[] {
  const runs = new Map<string, ChainRun>();
  for (const tx of transactions) {
    const id = runOf(tx.raw);
    if (id === null) continue;
    const run = runs.get(id) ?? { id, time: tx.time, status: null, cleared: null, token: null };
    const { status, cleared } = dataOf(tx.raw);
    if (typeof status === 'string') run.status = status;
    if (typeof cleared === 'number') {
      run.cleared = cleared;
      run.token = tx.transfers.find((transfer) => transfer.asset === 'token')?.token_id ?? null;
    }
    runs.set(id, run);
  }
  return [...runs.values()];
}

/** Returns the data of a transaction's raw text; empty if the text is not a transaction. */
export function dataOf(raw: string): Record<string, unknown> {
  try {
    const tx = JSON.parse(raw) as { data?: unknown };
    return typeof tx.data === 'object' && tx.data !== null ? (tx.data as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
