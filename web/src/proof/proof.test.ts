import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { verify } from './proof.ts';
import { checkTitle } from './titles.ts';

interface Vector {
  file: string;
  about: string;
  valid: boolean;
  fails: string[];
  key: string | null;
  witnesses: string[];
}

const folder = path.resolve(import.meta.dirname, '../../../vectors');
const { vectors } = JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8')) as {
  vectors: Vector[];
};

// That each verifier finds each fault is tested beside the verifiers; here, that the page shows what they find.
describe('the page and the vectors', () => {
  test.each(vectors.map((vector) => [vector.file, vector] as const))('%s', async (file, vector) => {
    const bytes = readFileSync(path.join(folder, file));
    const { report, claims, duel } = await verify(new Uint8Array(bytes).buffer, vector.key, vector.witnesses);
    expect(report.valid).toBe(vector.valid);
    expect(report.checks.filter((check) => check.result === 'fail').map((check) => check.id)).toEqual(
      vector.fails,
    );
    // What is claimed is shown only when the file could be read, and never changes the verdict.
    if (claims) expect(claims.throws.every((thrown, i) => thrown.n === i + 1)).toBe(true);
    else if (duel) expect(duel.rounds.every((round, i) => round.round === i + 1)).toBe(true);
    else expect(report.checks[0]?.result).not.toBe('pass');
    // Each check has a name for people.
    for (const check of report.checks) expect(checkTitle(check.id)).not.toBe(check.id);
  });
});
