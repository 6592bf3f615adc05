// Each refusal of the service that a player can meet has words of the page, or its own are in the catalogs.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import served from '../../words/served.json';
import { ApiError } from '../api/client.ts';
import { Form } from '../stores/form.svelte.ts';
import { problem } from './problems.ts';

vi.stubGlobal('navigator', { onLine: true });

/** The refusals of errors.go by the beginning of their texts, whose numbers are constants of the service. */
function refusals(): { code: string; pattern: RegExp }[] {
  const file = path.join(import.meta.dirname, '../../../internal/server/api/errors.go');
  const source = readFileSync(file, 'utf8').replace(/" \+\s*"/g, '');
  const rows = source.matchAll(/code: "(\w+)",\s*message:\s*(?:fmt\.Sprintf\()?"((?:[^"\\]|\\.)*)"/gi);
  return [...rows].map(([, code = '', text = '']) => ({
    code,
    pattern: new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%d', '\\d+')}`),
  }));
}

/** Codes that programs alone meet, or that the page answers itself, by reading the state again. */
const unseen = [
  ...['already_claimed', 'duel_moved_on', 'not_your_turn', 'too_fast'],
  ...['bots_only', 'method_not_allowed', 'too_many_streams'],
];
/** Refusals of requests that the page never makes. */
const malformed =
  /^\^?(The body|The path|The cursor|An Idempotency|A duel that lives|Quiet hours|A version|A text|This is not)/;

const refused = (code: string, message: string) =>
  new ApiError(new Response(null, { status: 409 }), { code, message });

test('each refusal has words in the language of the page', () => {
  const all = refusals();
  expect(all.length).toBeGreaterThan(60);
  const missing = all.filter(
    ({ code, pattern }) =>
      !unseen.includes(code) &&
      !malformed.test(pattern.source) &&
      problem(refused(code, 'unknown')).title === 'unknown' &&
      !served.refusals.some((text) => pattern.test(text)),
  );
  expect(missing).toEqual([]);
});

test('the catalogs translate no refusal that the service does not know', () => {
  const known = refusals();
  expect(served.refusals.filter((text) => !known.some(({ pattern }) => pattern.test(text)))).toEqual([]);
});

test('a refusal at a field has the words of the page', async () => {
  const form = new Form({ username_taken: 'username' });
  await form.send(() => Promise.reject(refused('username_taken', 'words of the service')));
  expect(form.fields).toEqual({ username: problem(refused('username_taken', '')).title });
  expect(form.error).toBeNull();
});
