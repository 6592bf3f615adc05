// The verifiers that the service offers for download (web/verifiers.go).

import { Unreachable } from '../api/unreachable.ts';

export interface Sum {
  name: string;
  /** SHA-256 of the file in hex. */
  digest: string;
}

/** Returns the lines of a list of digests in the format of sha256sum. */
export function parseSums(text: string): Sum[] {
  return [...text.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map(([, digest = '', name = '']) => ({
    name,
    digest,
  }));
}

/** Reads the digests of the verifiers. Rejects with Unreachable. */
export async function readSums(): Promise<Sum[]> {
  const text = await fetch('/verify/SHA256SUMS')
    .then((response) => (response.ok ? response.text() : ''))
    .catch(() => '');
  const sums = parseSums(text);
  if (sums.length === 0) throw new Unreachable('The server did not respond.');
  return sums;
}

/** Returns the command that verifies a proof with a verifier. */
export function runs(name: string): string {
  switch (name) {
    case 'verify.py':
      return 'python3 verify.py proof.json';
    case 'verify.ts':
      return `node --input-type=module -e "import { readFileSync } from 'node:fs'; import { verifyFile } from './verify.ts'; const { text, status } = await verifyFile(readFileSync('proof.json')); console.log(text); process.exitCode = status"`;
    default:
      return `chmod +x ${name} && ./${name} verify proof.json`;
  }
}
