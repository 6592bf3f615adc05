// Checks what the house states about a game when it arrives, not only once there is a proof: each receipt must be
// signed by the key that this browser knows, and each start, throw and decision of a run must come with a receipt that
// states the same as the answer. Otherwise the house could deny later what it told the player.

import type { Receipt } from '../api/receipts.ts';
import type { Run } from '../api/shapes.ts';
import { ask } from '../verifier.ts';

/** An answer of the service. `posted` is the path of the POST, '' for a GET. */
export interface Answer {
  posted: string;
  body: { receipts?: unknown; run?: unknown };
}

type Statement = Record<string, unknown>;

/** Returns the texts of an answer that lack the house's signature: receipts, and what has no receipt. */
export async function unsigned({ posted, body }: Answer, key: string): Promise<string[]> {
  const house = await ask('parseKey', key);
  const receipts = body.receipts ?? [];
  const list = (Array.isArray(receipts) ? receipts : [receipts]) as unknown[];
  const said = await Promise.all(
    list.map((one) => (house && isReceipt(one) ? ask('statementOf', one, house) : Promise.resolve(null))),
  );
  const bad = list.filter((_, i) => said[i] === null);
  const statements = said.filter((one) => one !== null) as Statement[];
  const missing = (await expected(posted, body.run as Run).catch(unreadable)).filter(
    (fact) => !statements.some((one) => Object.keys(fact).every((name) => one[name] === fact[name])),
  );
  return [...bad, ...missing.map((fact) => ({ no_receipt_states: fact }))].map((one) => JSON.stringify(one));
}

/** An answer without a readable run states nothing that a receipt could. */
function unreadable(error: unknown): Statement[] {
  if (error instanceof TypeError) return [{ kind: 'unreadable' }];
  throw error;
}

function isReceipt(value: unknown): value is Receipt {
  const { raw, signature } = (value ?? {}) as Record<string, unknown>;
  return typeof raw === 'string' && typeof signature === 'string';
}

/** Returns what the receipts of an answer must state. */
async function expected(posted: string, run: Run): Promise<Statement[]> {
  switch (posted) {
    case '/api/runs':
      return [
        {
          kind: 'start',
          run_id: run.id,
          commitment: run.commitment,
          client_seed_hash: await ask('textHash', run.client_seed),
        },
        ...(await lastThrow(run)),
      ];
    case '/api/runs/{run_id}/throw':
      return lastThrow(run);
    case '/api/runs/{run_id}/continue':
    case '/api/runs/{run_id}/claim':
    case '/api/runs/{run_id}/abandon':
      return [
        {
          kind: 'decision',
          run_id: run.id,
          decision: posted.slice(posted.lastIndexOf('/') + 1),
          throws: run.throws.length,
        },
      ];
    default:
      return [];
  }
}

async function lastThrow({ id, throws }: Run): Promise<Statement[]> {
  const last = throws.at(-1);
  if (!last) return [];
  const { n, move, house, outcome, seed, entropy } = last;
  const entropy_hash = await ask('textHash', entropy);
  return [{ kind: 'throw', run_id: id, n, move, house, outcome, seed, entropy_hash }];
}
