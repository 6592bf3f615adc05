// What the house has signed, as this browser keeps it.

import type { Receipt } from '../api/receipts.ts';
import { ask } from '../verifier.ts';

/** A statement of the house, of which nothing is known yet. */
export type Statement = Readonly<Record<string, unknown>>;

/** Reports whether the house has signed, with a verifier key, one of these receipts whose statement is wanted. */
export async function hasSigned(
  receipts: readonly Receipt[],
  key: string | undefined,
  wanted: (statement: Statement) => boolean,
): Promise<boolean> {
  const found = receipts.filter(({ raw }) => {
    const statement = statementIn(raw);
    return statement !== null && wanted(statement);
  });
  if (key === undefined || found.length === 0) return false;
  const house = await ask('parseKey', key);
  if (!house) return false;
  const signed = await Promise.all(found.map((receipt) => ask('statementOf', receipt, house)));
  return signed.some((statement) => statement !== null);
}

function statementIn(raw: string): Statement | null {
  try {
    return JSON.parse(raw) as Statement | null;
  } catch {
    return null;
  }
}
