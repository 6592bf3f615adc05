import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Duel } from '../api/shapes.ts';
import { qrCode } from './qr.ts';
import { duelTitle, mayRematch, mayTalk, presenceText, seriesText } from './view.ts';
import { waitingFor } from './waiting.ts';
import { emotes, isEmote } from './emotes.ts';

// The hashes belong to codes that jsQR 1.4.0, another implementation, has decoded.
test.each([
  [
    'http://127.0.0.1:8080/d/K7M2Q9XA',
    29,
    'e1159a0f44a4baa42ccf14aa67567e6a257be9ae7b86cbeeaf9a51d77df72cca',
  ],
  ['y'.repeat(100), 41, '7e493e4d3583ecb3270cb6ce4738fd79254611f21bb5b6d9bbcc7ba6db94a36a'],
  ['w'.repeat(213), 57, '9018344b2b099d5ae203d2d7c698bf6d2fc5a066f826d48e5d60ada9af203e0f'],
] as const)('the QR code of %s is the one that scanners read', (text, size, hash) => {
  const rows = qrCode(text);
  expect(rows.length).toBe(size);
  const bits = rows.map((row) => row.map(Number).join('')).join('\n');
  expect(createHash('sha256').update(bits).digest('hex')).toBe(hash);
});

test('a text that fits into no version is refused', () => {
  expect(() => qrCode('w'.repeat(214))).toThrow(RangeError);
});

function duel(change: object): Duel {
  const player = (username: string, kind = 'guest') => ({ username, kind, short_address: '', address: '' });
  return {
    id: 'AAAAAAAA',
    status: 'active',
    kind: 'open',
    you: 'a',
    a: player('kea'),
    b: player('tui'),
    presence: { a: { watching: true, gone_since: null }, b: { watching: false, gone_since: null } },
    rounds: [{ outcome: 'pending', committed: { a: false, b: true }, deadline: '2026-05-01T12:00:00.000Z' }],
    ...change,
  } as unknown as Duel;
}

test('duels wait while the viewer has sealed no hand, the most urgent first', () => {
  const later = duel({ id: 'BBBBBBBB' });
  const sooner = duel({
    id: 'CCCCCCCC',
    rounds: [{ outcome: 'pending', committed: { a: false, b: false }, deadline: '2026-05-01T11:00:00.000Z' }],
  });
  const others = [
    duel({ you: null }),
    duel({ you: 'b' }), // b has sealed
    duel({ status: 'finished' }),
    duel({ rounds: [{ outcome: 'a', committed: { a: true, b: true }, deadline: null }] }),
    duel({ rounds: [] }),
  ];
  expect(waitingFor([later, ...others, sooner])).toEqual(['CCCCCCCC', 'BBBBBBBB']);
});

test('the presence of the opponent, for sides only', () => {
  const since = (time: string) => `at ${time}`;
  const b = (watching: boolean, gone_since: string | null = null) =>
    duel({ presence: { a: { watching: true, gone_since: null }, b: { watching, gone_since } } });
  expect(presenceText(b(true), since)).toBe('tui is here');
  expect(presenceText(b(false, 'noon'), since)).toBe('tui left at noon');
  expect(presenceText(b(false), since)).toBe('tui is not here yet');
  expect(presenceText({ ...b(true), you: null }, since)).toBe('');
  expect(presenceText(duel({ b: { username: 'rex', kind: 'bot' } }), since)).toBe('');
});

test('practice and the arena have no rematch', () => {
  expect(['open', 'quick', 'spar', 'ranked'].map((kind) => mayRematch(duel({ kind })))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('the score of a series, from the near side', () => {
  expect(seriesText(duel({}))).toBe('');
  expect(seriesText(duel({ series: { a: 2, b: 1 } }))).toBe('Series: You 2 : 1 tui');
  expect(seriesText(duel({ you: 'b', series: { a: 2, b: 1 } }))).toBe('Series: You 1 : 2 kea');
  expect(seriesText(duel({ you: null, series: { a: 0, b: 3 } }))).toBe('Series: kea 0 : 3 tui');
});

test('a challenge names its two players', () => {
  const invited = { username: 'tui', short_address: '', address: '' };
  const open = { status: 'open', b: null, invited };
  expect(duelTitle(duel(open))).toBe('Waiting for tui');
  expect(duelTitle(duel({ ...open, you: null }))).toBe('kea challenges you');
  expect(duelTitle(duel({ ...open, invited: undefined }))).toBe('Waiting for an opponent');
});

test('people talk during a duel and for some minutes after it', () => {
  const now = Date.parse('2026-05-01T12:00:00.000Z');
  const bot = { username: 'house-rock', kind: 'bot', short_address: '', address: '' };
  const over = (finished_at: string) => duel({ status: 'finished', finished_at });
  expect(mayTalk(duel({}), now)).toBe(true);
  expect(mayTalk(duel({ you: null }), now)).toBe(false);
  expect(mayTalk(duel({ b: bot }), now)).toBe(false);
  expect(mayTalk(duel({ status: 'open', b: null }), now)).toBe(false);
  expect(mayTalk(duel({ status: 'cancelled' }), now)).toBe(false);
  expect(mayTalk(over('2026-05-01T11:47:00.000Z'), now)).toBe(true);
  expect(mayTalk(over('2026-05-01T11:45:00.000Z'), now)).toBe(false);
});

test('the page has the words of the service, and ignores others', () => {
  const document = readFileSync(new URL('../../../api/openapi.yaml', import.meta.url), 'utf8');
  const body = /EmoteIn:[^]*?enum:\s*([^]*?)example/.exec(document)?.[1] ?? '';
  expect(body.match(/\w+/g)).toEqual([...emotes]);
  expect(['hello', 'constructor', ''].map(isEmote)).toEqual([true, false, false]);
});
