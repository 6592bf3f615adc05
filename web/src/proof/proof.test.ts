import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ApiError, Unreachable } from '../api/client.ts';
import { fetchProof, outcomeOf, sentenceOf, verify } from './proof.ts';
import { checkTitle, claimNames } from './titles.ts';
import { cosignedText } from './witnesses.ts';

interface Vector {
  file: string;
  about: string;
  valid: boolean;
  verdict: string;
  fails: string[];
  key: string | null;
  witnesses: string[];
  quorum: number;
}

const folder = path.resolve(import.meta.dirname, '../../../vectors');
const { vectors } = JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8')) as {
  vectors: Vector[];
};

// The verifiers have tests of their own for each fault. These tests check that the page shows the verifier's report.
describe('the page and the vectors', () => {
  test.each(vectors.map((vector) => [vector.file, vector] as const))('%s', async (file, vector) => {
    const bytes = readFileSync(path.join(folder, file));
    const { key, witnesses, quorum } = vector;
    const { report, claims, duel } = await verify(new Uint8Array(bytes).buffer, { key, witnesses, quorum });
    expect([report.valid, report.verdict]).toEqual([vector.valid, vector.verdict]);
    expect(report.checks.filter((check) => check.result === 'fail').map((check) => check.id)).toEqual(
      vector.fails,
    );
    // The page shows claims only for a readable file, and claims never change the verdict.
    if (claims) expect(claims.throws.every((thrown, i) => thrown.n === i + 1)).toBe(true);
    else if (duel) expect(duel.rounds.every((round, i) => round.round === i + 1)).toBe(true);
    else expect(report.checks[0]?.result).not.toBe('pass');
    // The page shows VALID as valid, and a proof as pending only when claims are in no block.
    expect(outcomeOf(report) === 'valid').toBe(vector.valid);
    if (outcomeOf(report) === 'pending') expect(report.pending).not.toEqual([]);
    if (vector.verdict === 'PENDING') expect(outcomeOf(report)).toBe('pending');
    // A vector is a proof, if not always one that holds; some are no JSON, or of another format.
    if (outcomeOf(report) === 'unreadable') expect([report.format, vector.fails]).toEqual(['', ['format']]);
    expect(sentenceOf(report)).toMatch(/^[A-Z].*\.$/);
    // Each check and each claim in no block has a display name.
    for (const check of report.checks) expect(checkTitle(check.id)).not.toBe(check.id);
    for (const name of report.pending) expect(claimNames([name])).not.toBe(name);
  });
});

test.each([
  ['run/pinned-end-unsealed.json', 'pending'],
  ['duel/invented.json', 'pending'],
  ['run/pin-empty.json', 'invalid'],
  ['run/key-pinned-unsealed.json', 'invalid'],
  ['duel/invented-finished-pinned.json', 'invalid'],
] as const)('%s is shown as %s', async (file, outcome) => {
  const vector = vectors.find((one) => one.file === file);
  const bytes = readFileSync(path.join(folder, file));
  const { report } = await verify(new Uint8Array(bytes).buffer, {
    key: vector?.key ?? null,
    witnesses: [],
    quorum: 0,
  });
  expect([report.valid, outcomeOf(report)]).toEqual([false, outcome]);
});

test('a proof that cannot be read now is a wait, and one that is refused says why', async () => {
  const fetch = vi.fn().mockRejectedValueOnce(new TypeError('Failed to fetch'));
  vi.stubGlobal('fetch', fetch);
  await expect(fetchProof('/api/runs/x/proof')).rejects.toBeInstanceOf(Unreachable);
  fetch.mockResolvedValueOnce(new Response('{"code":"not_found"}', { status: 404 }));
  const refused: unknown = await fetchProof('/api/runs/x/proof').catch((error: unknown) => error);
  expect(refused instanceof ApiError && refused.code).toBe('not_found');
  vi.unstubAllGlobals();
});

test('claims are named once', () => {
  expect(claimNames(['stake_a', 'stake_b', 'settle'])).toBe('the stakes, the settlement');
});

test.each([
  ['{}', 'unreadable'],
  ['', 'unreadable'],
  ['[1, 2, 3]', 'unreadable'],
  ['{"format":"roshambo/run-proof/v2"}', 'unreadable'],
  ['{"format":"roshambo/run-proof/v1"}', 'invalid'],
])('the file %s is %s', async (text, outcome) => {
  const bytes = new TextEncoder().encode(text).buffer;
  const { report } = await verify(bytes, { key: null, witnesses: [], quorum: 0 });
  expect(outcomeOf(report)).toBe(outcome);
});

test.each([
  ['run/claimed.json', true, /^The house had sealed/],
  ['run/claimed.json', false, /who must have signed it/],
])('what the verdict on %s means (key: %s)', async (file, pinned, sentence) => {
  const bytes = new Uint8Array(readFileSync(path.join(folder, file)));
  const key = (JSON.parse(new TextDecoder().decode(bytes)) as { verifier_key: string }).verifier_key;
  const { report } = await verify(bytes.buffer, { key: pinned ? key : null, witnesses: [], quorum: 0 });
  expect(report.verdict).toBe('VALID');
  expect(sentenceOf(report)).toMatch(sentence);
});

const says = (count: number, of: number, quorum: number) =>
  `${count} of ${of} witnesses have cosigned; the policy that this browser keeps requires ${quorum}.`;
test.each([
  ['run/cosigned-by-a-quorum.json', 'valid', false, says(2, 3, 2)],
  ['run/cosigned-by-too-few.json', 'invalid', true, says(1, 3, 2)],
  ['run/cosignature-of-one-of-two.json', 'invalid', true, says(1, 2, 2)],
  ['duel/cosignature-missing.json', 'invalid', true, says(0, 1, 1)],
  ['run/cosigned-unsealed.json', 'pending', true, says(0, 1, 1)],
  ['run/cosigned-end-unsealed.json', 'pending', true, says(1, 1, 1)],
  [
    'run/cosigned-wrong-in-a-quorum.json',
    'invalid',
    false,
    'the cosignature of witness.example/2+c63bc81f is wrong',
  ],
] as const)('the witnesses of %s', async (file, outcome, waiting, text) => {
  const vector = vectors.find((one) => one.file === file);
  if (!vector) throw new Error(`no vector: ${file}`);
  const result = await verify(new Uint8Array(readFileSync(path.join(folder, file))).buffer, vector);
  expect([outcomeOf(result.report), result.waiting]).toEqual([outcome, waiting]);
  expect(result.cosigned && cosignedText(result.cosigned)).toContain(text);
});

test('without required witnesses nothing is said about them', async () => {
  const bytes = readFileSync(path.join(folder, 'run/cosigned.json'));
  const { cosigned } = await verify(new Uint8Array(bytes).buffer, { key: null, witnesses: [], quorum: 0 });
  expect(cosigned).toBe(null);
});
