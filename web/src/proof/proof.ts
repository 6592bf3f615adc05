// Reading and verifying proof files.

import { ApiError, Unreachable } from '../api/client.ts';
import { receiptLines } from '../api/receipts.ts';
import type { DuelRound, Throw } from '../api/shapes.ts';
import type { Cosigned } from '../log/log.ts';
import { reportAltered, type Recorded } from '../play/texts.ts';
import { trust, type Requirements } from '../stores/trust.svelte.ts';
import { t } from '../text/language.ts';
import { tooFew } from './witnesses.ts';
import { ask, type Report } from '../verifier.ts';

export interface Verified {
  report: Report;
  /** The file's claims about a run or a duel, to show beside the verdict; null if the file is unreadable. */
  claims: RunClaims | null;
  duel: DuelClaims | null;
  /** The witnesses of the proof's checkpoint; null if none are required. */
  cosigned: Cosigned | null;
  /** A transaction is in no block yet, or cosignatures are missing. Verify again after the next block. */
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

/**
 * Runs every check of the verifier. A malformed key, '' included, fails. What the house has signed about the game in
 * this browser is compared with the proof. An invalid file yields a report and never rejects. A valid proof of the
 * required key with other texts than this browser has sent raises an alarm.
 */
export async function verify(file: ArrayBuffer, required: Requirements): Promise<Verified> {
  const report = await ask('verifyProof', file, { ...required, receipts: receiptLines(gameOf(file)) });
  const unreadable = { report, claims: null, duel: null, cosigned: null, waiting: false };
  if (report.checks[0]?.result !== 'pass') return unreadable;
  const proof = JSON.parse(new TextDecoder().decode(file)) as Record<string, unknown> & {
    transcript: { raw: string };
    checkpoint: string | null;
  };
  const cosigned = await witnessesOf(proof.checkpoint, required);
  const noClaims = { ...unreadable, cosigned };
  const missing = cosigned !== null && proof.checkpoint !== null && tooFew(cosigned);
  const waiting = missing || report.pending.some((claim) => claim !== 'transcript');
  switch (report.format) {
    case 'roshambo/run-proof/v1': {
      const texts = proof.texts as { entropy: readonly string[] } | null;
      const throws = (JSON.parse(proof.transcript.raw) as Throw[]).map((thrown, i) => ({
        ...thrown,
        entropy: texts?.entropy[i] ?? '',
      }));
      const claims = { ...(proof as unknown as RunClaims), throws };
      // Only the house can make such a proof: any file may state texts about any run.
      if (report.verdict === 'VALID' && required.key !== null) {
        const recorded = recordedIn(proof as unknown as RunProof);
        await reportAltered(recorded, (lines) => trust.report('texts', lines));
      }
      return { ...noClaims, claims, waiting };
    }
    case 'roshambo/duel-proof/v1': {
      const transcript = JSON.parse(proof.transcript.raw) as { stake: number; rounds: TranscriptRound[] };
      const duel = {
        ...(proof as unknown as DuelClaims),
        stake: transcript.stake,
        rounds: transcript.rounds.map(toDuelRound),
      };
      return { ...noClaims, duel, waiting };
    }
    default:
      return noClaims;
  }
}

interface RunProof {
  run_id: string;
  transcript: { raw: string };
  start: { raw: string };
}

/** Returns what a readable proof states about the player's texts. */
function recordedIn({ run_id, transcript, start }: RunProof): Recorded {
  const { data } = JSON.parse(start.raw) as { data: Pick<Recorded, 'commitment' | 'client_seed_hash'> };
  return { ...data, run_id, throws: JSON.parse(transcript.raw) as Recorded['throws'] };
}

async function witnessesOf(checkpoint: string | null, required: Requirements): Promise<Cosigned | null> {
  if (required.witnesses.length === 0) return null;
  return ask('cosigned', checkpoint, { keys: required.witnesses, quorum: required.quorum });
}

/** Returns the id of the run or the code of the duel that a proof is about; '' if it is unreadable. */
export function gameOf(file: ArrayBuffer): string {
  try {
    const proof = JSON.parse(new TextDecoder().decode(file)) as {
      run_id?: unknown;
      duel_id?: unknown;
    } | null;
    const game = proof?.run_id ?? proof?.duel_id;
    return typeof game === 'string' ? game : '';
  } catch {
    return '';
  }
}

/** The verdict that the page shows. */
export type Outcome = 'valid' | 'pending' | 'invalid' | 'contradicted' | 'unreadable';

/**
 * Returns the verdict to show. The page requires a key and witnesses, so a claim in no block fails the report.
 * When that is its only fault, the page shows it as pending, because the next block usually removes it.
 */
export function outcomeOf(report: Report): Outcome {
  const failed = report.checks.filter((check) => check.result === 'fail');
  if (report.verdict === 'VALID') return 'valid';
  if (report.verdict === 'CONTRADICTED') return 'contradicted';
  if (failed.some((check) => check.id === 'format' && NO_PROOF.test(check.text))) return 'unreadable';
  return failed.every((check) => NOT_ANCHORED.test(check.text)) ? 'pending' : 'invalid';
}

/** The first words of the verifier's texts for a failure because of a claim that is in no block. */
const NOT_ANCHORED = /^(not anchored|no checkpoint to cosign): /;

/** The verifier's texts about a file that is no proof of this kind at all. */
const NO_PROOF = /^the proof (is larger than|is not UTF-8|has an unknown format)/;

/** Returns what the verdict means, for readers without any knowledge of hashes. */
export function sentenceOf(report: Report): string {
  const duel = report.format === 'roshambo/duel-proof/v1';
  switch (outcomeOf(report)) {
    case 'valid':
      if (report.checks.some((check) => check.id === 'checkpoint' && check.result === 'note'))
        return t('Everything in the file fits together, but you have not said who must have signed it.');
      return duel
        ? t('Both players had sealed each hand before either was shown, and nothing was changed afterwards.')
        : t('The house had sealed its hands before the first throw, and nothing was changed afterwards.');
    case 'pending':
      return t(
        'Everything fits so far. The house still has to record a part of it: check again in a minute.',
      );
    case 'contradicted':
      return t(
        'The house signed something else than the chain says. Keep the proof and the signed statements: they convict it.',
      );
    case 'unreadable':
      return t('This file is no proof of a game. Choose the proof.json from the page of a run or a duel.');
    case 'invalid':
      return t('Do not rely on this file: it was changed, is incomplete, or is not of this service.');
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

/** Returns the bytes of a proof from the server. Rejects with Unreachable or ApiError. */
export async function fetchProof(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address).catch(() => {
    throw new Unreachable('The server did not respond.');
  });
  if (response.ok) return response.arrayBuffer();
  const body: unknown = await response.json().catch(() => null);
  throw new ApiError(response, (body ?? {}) as Record<string, unknown>);
}

export function proofAddress(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}/proof`;
}

export function duelProofAddress(code: string): string {
  return `/api/duels/${encodeURIComponent(code)}/proof`;
}
