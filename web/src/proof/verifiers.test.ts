import { expect, test } from 'vitest';
import { parseSums, runs } from './verifiers.ts';

test('the list of digests is that of sha256sum, and what is no line of it is left out', () => {
  const [one, two] = ['a'.repeat(64), '0'.repeat(64)];
  expect(parseSums(`${one}  verify.py\n${two}  roshambo-linux-amd64\n<html>\n${one} verify.ts\n`)).toEqual([
    { name: 'verify.py', digest: one },
    { name: 'roshambo-linux-amd64', digest: two },
  ]);
  expect(parseSums('')).toEqual([]);
});

test('each verifier has its command', () => {
  expect(runs('verify.py')).toBe('python3 verify.py proof.json');
  expect(runs('verify.ts')).toContain("from './verify.ts'");
  expect(runs('roshambo-darwin-arm64')).toBe(
    'chmod +x roshambo-darwin-arm64 && ./roshambo-darwin-arm64 verify proof.json',
  );
});
