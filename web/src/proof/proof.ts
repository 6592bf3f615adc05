// A proof file on its way through the verifier.

import type { DuelRound, Throw } from '../api/shapes.ts';
import { verifier, type Report } from '../verifier.ts';

export interface Verified {
  report: Report;
  /** What the file says of a run or of a duel, to be shown beside the verdict; null when it cannot be read. */
  claims: RunClaims | null;
  duel: DuelClaims | null;
  /** A transaction still waits for its block: verifying again a second later says more. */
  waiting: boolean;
}

export interface RunClaims {
  run_id: string;
  account: string;
  status: string;
  cleared: number;
  throws: readonly Throw[];
}

export interface DuelClaims {
  duel_id: string;
  a: string;
  b: string;
  status: string;
  wins: { a: number; b: number };
  winner: 'a' | 'b' | null;
  stake: number;
  rounds: readonly DuelRound[];
}

type Anchored = { height: number | null } | null;

/**
 * Runs every check of the verifier. `key` is the key that must have signed, null when none is known; `witnesses` are the
 * keys of those that must have cosigned. Never rejects for the file's sake.
 */
export async function verify(
  file: ArrayBuffer,
  key: string | null,
  witnesses: readonly string[] = [],
): Promise<Verified> {
  const { verifyProof } = await verifier();
  const report = await verifyProof(file, { key, witnesses });
  const nothing = { report, claims: null, duel: null, waiting: false };
  if (report.checks[0]?.result !== 'pass') return nothing;
  const proof = JSON.parse(new TextDecoder().decode(file)) as Record<string, unknown> & {
    transcript: { raw: string };
  };
  const pending = (...names: string[]): boolean =>
    names.some((name) => proof[name] && (proof[name] as NonNullable<Anchored>).height === null);
  switch (report.format) {
    case 'roshambo/run-proof/v1': {
      const throws = JSON.parse(proof.transcript.raw) as Throw[];
      const claims = { ...(proof as unknown as RunClaims), throws };
      return { ...nothing, claims, waiting: pending('start', 'end') };
    }
    case 'roshambo/duel-proof/v1': {
      const said = JSON.parse(proof.transcript.raw) as { stake: number; rounds: WrittenRound[] };
      const duel = {
        ...(proof as unknown as DuelClaims),
        stake: said.stake,
        rounds: said.rounds.map(asShown),
      };
      return { ...nothing, duel, waiting: pending('stake_a', 'stake_b', 'settle') };
    }
    default:
      return nothing;
  }
}

/** A round as a transcript writes it. */
type WrittenRound = Pick<
  DuelRound,
  'commitment_a' | 'commitment_b' | 'move_a' | 'move_b' | 'salt_a' | 'salt_b' | 'forfeited_by' | 'outcome'
> & { n: number };

function asShown({ n, ...round }: WrittenRound): DuelRound {
  return {
    ...round,
    round: n,
    committed: { a: round.commitment_a !== null, b: round.commitment_b !== null },
    revealed: { a: round.move_a !== null, b: round.move_b !== null },
    you_revealed: false,
    deadline: null,
  };
}

/** A proof as the server gives it out, byte for byte. */
export async function fetchProof(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The server has no such proof (status ${response.status}).`);
  return response.arrayBuffer();
}

export function proofAddress(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}/proof`;
}

export function duelProofAddress(code: string): string {
  return `/api/duels/${encodeURIComponent(code)}/proof`;
}
