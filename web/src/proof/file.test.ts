import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { proofsIn, verifyFile as verifyAlone, type Report } from '../../../verify/ts/verify.ts';
import { newestDuel, verifyFile, wholeOutcome } from './file.ts';

const read = (name: string) =>
  JSON.stringify(
    JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../vectors', name), 'utf8')),
  );
const [duel, run, active] = [read('duel/rated.json'), read('run/claimed.json'), read('duel/active.json')];
const tampered = duel.replace('"winner":"a"', '"winner":"b"');
const anyKey = { key: null, witnesses: [], quorum: 0 };
const bytes = (text: string) => new TextEncoder().encode(text);
const code = (JSON.parse(duel) as { duel_id: string }).duel_id;

const verdictsOf = (reports: Report[]) => reports.map(({ verdict }) => verdict);

test.each([
  ['no proof', '', ['NOT VALID'], 1, /NOT VALID: format$/],
  ['a blank line', ' \n', ['NOT VALID'], 1, /NOT VALID: format$/],
  ['one', duel, ['VALID'], 0, /^pass {2}format .*\nVALID$/s],
  ['one and a blank line', `${duel}\n\n`, ['VALID'], 0, /^pass {2}format .*\nVALID$/s],
  [
    'one between blanks that JSON does not allow',
    `\v\n${duel}\n\f`,
    ['VALID'],
    0,
    /^pass {2}format .*\nVALID$/s,
  ],
  [
    'three',
    `${duel}\n${run}\n${duel}\n`,
    ['VALID', 'VALID', 'VALID'],
    0,
    /^line 1 {2}VALID\nline 2 {2}VALID\nline 3 {2}VALID$/,
  ],
  ['one pending', `${duel}\n${active}\n\n`, ['VALID', 'PENDING'], 3, /\nPENDING: /],
  [
    'one tampered',
    `${duel}\n${tampered}\n${active}\n`,
    ['VALID', 'NOT VALID', 'PENDING'],
    1,
    /^line 1 {2}VALID\nline 2 {2}NOT VALID\npass {2}format/,
  ],
  [
    'a line that is no proof',
    `${duel}\nno proof\n${run}`,
    ['VALID', 'NOT VALID', 'VALID'],
    1,
    /\nline 3 {2}VALID$/,
  ],
] as const)('the program in TypeScript on a file with %s', async (_, text, verdicts, status, says) => {
  const found = await verifyAlone(bytes(text));
  expect([verdictsOf(found.reports), found.status]).toEqual([verdicts, status]);
  expect(found.text).toMatch(says);
});

test('the page lists the proofs of a file by their games, and is no surer than its worst', async () => {
  const file = (text: string) => verifyFile(bytes(text).buffer, anyKey);
  const all = await file(`${duel}\n${run}\n`);
  expect(all?.entries?.map(({ line, game, outcome }) => [line, game, outcome])).toEqual([
    [1, code, 'valid'],
    [2, (JSON.parse(run) as { run_id: string }).run_id, 'valid'],
  ]);
  expect(wholeOutcome(all?.entries ?? [])).toBe('valid');
  const text = `${duel}\n${tampered}\nno proof\n${active}`;
  const { entries } = (await file(text)) ?? {};
  expect(entries?.map(({ game, outcome }) => [game === '', outcome])).toEqual([
    [false, 'valid'],
    [false, 'invalid'],
    [true, 'unreadable'],
    [false, 'pending'],
  ]);
  const places = entries?.map(({ from, to }) => new TextDecoder().decode(bytes(text).slice(from, to)).trim());
  expect(places).toEqual([duel, tampered, 'no proof', active]);
  expect(wholeOutcome(entries ?? [])).toBe('invalid');
  expect(wholeOutcome(entries?.filter(({ outcome }) => outcome !== 'invalid') ?? [])).toBe('invalid');
  expect(wholeOutcome(entries?.filter(({ line }) => line === 1 || line === 4) ?? [])).toBe('pending');
});

test('a file of one proof has its whole report, also with a blank line or when it is none', async () => {
  for (const text of [duel, `${duel}\n \n`, `\v\n${duel}\n\f`, `${duel}\n${' '.repeat(4 * 2 ** 20)}`])
    expect((await verifyFile(bytes(text).buffer, anyKey))?.single?.report.verdict).toBe('VALID');
  for (const text of ['', 'no proof\n'])
    expect((await verifyFile(bytes(text).buffer, anyKey))?.single?.report.verdict).toBe('NOT VALID');
});

test('a file of more proofs than the page lists is none, and is not read to its end', async () => {
  const four = bytes('{}\n[]\n{}\n[]\n');
  expect(proofsIn(four, 4).map(({ line }) => line)).toEqual([1, 2, 3, 4]);
  const search = vi.spyOn(four, 'indexOf');
  expect(proofsIn(four, 2)).toEqual([{ line: 0, from: 0, to: four.length }]);
  expect(search).toHaveBeenCalledTimes(3);
  const found = await verifyFile(bytes('{}\n'.repeat(10_001)).buffer, anyKey);
  expect([found?.single?.report.verdict, found?.entries]).toEqual(['NOT VALID', null]);
});

test('another file ends the verification of the one before', async () => {
  const seen: unknown[] = [];
  const found = await verifyFile(bytes(`${duel}\n${duel}\n${duel}\n`).buffer, anyKey, (done, total) => {
    seen.push([done, total]);
    return done < 2;
  });
  expect([found, seen]).toEqual([
    null,
    [
      [1, 3],
      [2, 3],
    ],
  ]);
});

afterEach(() => vi.unstubAllGlobals());

test.each([
  [[{ id: 'ABCD2345' }], 'ABCD2345'],
  [[], null],
])('the duel that has finished last, of %j', async (duels, expected) => {
  const answer = () => Promise.resolve(Response.json({ duels, next: null }));
  const fetch = vi.fn<(address: RequestInfo | URL) => Promise<Response>>(answer);
  vi.stubGlobal('fetch', fetch);
  expect(await newestDuel()).toBe(expected);
  const [address] = fetch.mock.calls[0] ?? [];
  expect(address instanceof Request ? address.url : String(address)).toContain(
    '/api/duels?status=finished&limit=1',
  );
});
