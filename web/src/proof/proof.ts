// Reading and verifying proof files.

import type { DuelRound, Throw } from '../api/shapes.ts';
import { verifier, type Report } from '../verifier.ts';

export interface Verified {
  report: Report;
  /** The file's claims about a run or a duel, to show beside the verdict; null if the file is unreadable. */
  claims: RunClaims | null;
  duel: DuelClaims | null;
  /** A transaction is pending. A later verification has more checks. */
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
 * Runs every check of the verifier. `key` is the required verifier key, null when none is known; `witnesses` are the
 * keys of the required cosigners. An invalid file yields a report and never rejects.
 */
export async function verify(
  file: ArrayBuffer,
  key: string | null,
  witnesses: readonly string[] = [],
): Promise<Verified> {
  const { verifyProof } = await verifier();
  const report = await verifyProof(file, { key, witnesses });
  const noClaims = { report, claims: null, duel: null, waiting: false };
  if (report.checks[0]?.result !== 'pass') return noClaims;
  const proof = JSON.parse(new TextDecoder().decode(file)) as Record<string, unknown> & {
    transcript: { raw: string };
  };
  const pending = (...names: string[]): boolean =>
    names.some((name) => proof[name] && (proof[name] as NonNullable<Anchored>).height === null);
  switch (report.format) {
    case 'roshambo/run-proof/v1': {
      const throws = JSON.parse(proof.transcript.raw) as Throw[];
      const claims = { ...(proof as unknown as RunClaims), throws };
      return { ...noClaims, claims, waiting: pending('start', 'end') };
    }
    case 'roshambo/duel-proof/v1': {
      const transcript = JSON.parse(proof.transcript.raw) as { stake: number; rounds: TranscriptRound[] };
      const duel = {
        ...(proof as unknown as DuelClaims),
        stake: transcript.stake,
        rounds: transcript.rounds.map(toDuelRound),
      };
      return { ...noClaims, duel, waiting: pending('stake_a', 'stake_b', 'settle') };
    }
    default:
      return noClaims;
  }
}

/** A round in a transcript. */
type TranscriptRound = Pick<
  DuelRound,
  'commitment_a' | 'commitment_b' | 'move_a' | 'move_b' | 'salt_a' | 'salt_b' | 'forfeited_by' | 'outcome'
> & { n: number };

function toDuelRound({ n, ...round }: TranscriptRound): DuelRound {
  return {
    ...round,
    round: n,
    committed: { a: round.commitment_a !== null, b: round.commitment_b !== null },
    revealed: { a: round.move_a !== null, b: round.move_b !== null },
    you_revealed: false,
    deadline: null,
  };
}

/** Returns the bytes of a proof from the server. */
export async function fetchProof(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The proof could not be downloaded (status ${response.status}).`);
  return response.arrayBuffer();
}

export function proofAddress(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}/proof`;
}

export function duelProofAddress(code: string): string {
  return `/api/duels/${encodeURIComponent(code)}/proof`;
}
