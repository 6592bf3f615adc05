// A proof file on its way through the verifier.

import type { Throw } from '../api/shapes.ts';
import { verifier, type Report } from '../verifier.ts';

export interface Verified {
  report: Report;
  /** What the file says, to be shown beside the verdict; null when it cannot be read. */
  claims: Claims | null;
  /** A transaction still waits for its block: verifying again a second later says more. */
  waiting: boolean;
}

export interface Claims {
  run_id: string;
  account: string;
  status: string;
  cleared: number;
  throws: readonly Throw[];
}

/** Runs every check of the verifier. `key` is the key that must have signed, null when none is known. Never rejects for the file's sake. */
export async function verify(file: ArrayBuffer, key: string | null): Promise<Verified> {
  const { verifyProof } = await verifier();
  const report = await verifyProof(file, { key });
  const wellFormed = report.format === 'roshambo/run-proof/v1' && report.checks[0]?.result === 'pass';
  if (!wellFormed) return { report, claims: null, waiting: false };
  const proof = JSON.parse(new TextDecoder().decode(file)) as Claims & {
    transcript: { raw: string };
    start: { height: number | null };
    end: { height: number | null } | null;
  };
  const throws = JSON.parse(proof.transcript.raw) as Throw[];
  const waiting = proof.start.height === null || (proof.end !== null && proof.end.height === null);
  return { report, claims: { ...proof, throws }, waiting };
}

/** The proof of a run as the server gives it out, byte for byte. */
export async function fetchProof(runId: string): Promise<ArrayBuffer> {
  const response = await fetch(proofAddress(runId));
  if (!response.ok) throw new Error(`The server has no proof of this run (status ${response.status}).`);
  return response.arrayBuffer();
}

export function proofAddress(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}/proof`;
}
