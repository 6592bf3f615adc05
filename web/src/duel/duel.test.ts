import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { render } from 'svelte/server';
import { describe, expect, test } from 'vitest';
import type { Duel, DuelRound } from '../api/shapes.ts';
import { verify } from '../proof/proof.ts';
import { checkDecided, commitmentOf, failedRounds, passes, verdictOf } from './check.ts';
import Fingerprints from './Fingerprints.svelte';
import { forget, seal, sealedHand } from './hands.ts';
import { isLoopback } from './loopback.ts';
import {
  currentRound,
  duelTitle,
  endTitle,
  sideState,
  roundOnTable,
  roundReason,
  roundTitle,
  seats,
  announcement,
} from './view.ts';

const player = (username: string) => ({
  username,
  short_address: username,
  address: username,
  kind: 'guest' as const,
});

function round(n: number, change: Partial<DuelRound> = {}): DuelRound {
  return {
    round: n,
    committed: { a: false, b: false },
    revealed: { a: false, b: false },
    you_revealed: false,
    outcome: 'pending',
    deadline: null,
    commitment_a: null,
    commitment_b: null,
    move_a: null,
    move_b: null,
    salt_a: null,
    salt_b: null,
    forfeited_by: null,
    ...change,
  };
}

const both = { a: true, b: true };
const won = (n: number) =>
  round(n, { committed: both, revealed: both, outcome: 'a', move_a: 'rock', move_b: 'scissors' });

function duel(change: Partial<Duel> = {}): Duel {
  return {
    id: '0123ABCD',
    status: 'active',
    kind: 'open',
    you: null,
    a: player('kea'),
    b: player('tui'),
    stake: 0,
    rated: false,
    listed: true,
    resigned_by: null,
    rounds: [round(1)],
    wins: { a: 0, b: 0 },
    winner: null,
    version: 1,
    created_at: '',
    started_at: null,
    finished_at: null,
    expires_at: null,
    stake_tx_a: null,
    stake_tx_b: null,
    settle_tx: null,
    ...change,
  };
}

test('a hand is sealed with a fresh salt, found by its commitment, and forgotten', async () => {
  const [one, two] = [await seal('rock'), await seal('rock')];
  expect(one).not.toBe(two);
  const hand = sealedHand(one);
  expect(hand && (await commitmentOf(hand.move, hand.salt))).toBe(one);
  expect(hand?.salt).toMatch(/^[0-9a-f]{32}$/);
  forget([one, null]);
  expect(sealedHand(one)).toBeNull();
  expect(sealedHand(two)?.move).toBe('rock');
});

test('a commitment is the SHA-256 of move:salt', async () => {
  // printf rock:salt | sha256sum
  expect(await commitmentOf('rock', 'salt')).toBe(
    'ec1e7a2967f31c5156f5b45ddcca46b66e4a5df06ed609645651de987c520a57',
  );
});

describe('the viewer has the near seat', () => {
  test.each([
    [null, 'kea', 'tui'],
    ['a', 'You', 'tui'],
    ['b', 'You', 'kea'],
  ] as const)('seen by %s', (you, near, far) => {
    expect(seats(duel({ you })).map(({ name }) => name)).toEqual([near, far]);
  });
});

test('the last decided round is shown until the viewer seals the next hand', () => {
  const decided = won(1);
  expect(roundOnTable(duel({ rounds: [round(1)] }))?.round).toBe(1);
  expect(roundOnTable(duel({ you: 'a', rounds: [decided, round(2)] }))?.round).toBe(1);
  const theirs = round(2, { committed: { a: false, b: true } });
  expect(roundOnTable(duel({ you: 'a', rounds: [decided, theirs] }))?.round).toBe(1);
  expect(roundOnTable(duel({ you: 'b', rounds: [decided, theirs] }))?.round).toBe(2);
  expect(roundOnTable(duel({ rounds: [decided, theirs] }))?.round).toBe(2);
  const over = duel({ status: 'finished', rounds: [decided] });
  expect(roundOnTable(over)?.round).toBe(1);
  expect(currentRound(over)).toBeNull();
});

test('an envelope opens when the round is decided, also for its owner', () => {
  const mine = round(1, {
    committed: both,
    commitment_a: 'aa',
    move_a: 'rock',
    revealed: { a: true, b: false },
  });
  expect(sideState(mine, 'a')).toEqual({ state: 'sealed', commitment: 'aa', move: null });
  expect(sideState(won(1), 'a')).toMatchObject({ state: 'open', move: 'rock' });
  expect(sideState(round(1), 'b').state).toBe('empty');
});

test.each([
  [won(1), null, 'kea wins', 'Rock beats scissors'],
  [won(1), 'a', 'You win', 'Rock beats scissors'],
  [won(1), 'b', 'You lose', 'Rock beats scissors'],
  [round(1, { outcome: 'tie' }), 'a', 'Tie', 'Same hand, replayed'],
  [round(1, { outcome: 'void', forfeited_by: 'both' }), 'a', 'Void', 'Both missed the deadline, replayed'],
  [round(1, { outcome: 'void' }), 'a', 'Void', 'Equal fingerprints, replayed'],
  [
    round(1, { outcome: 'b', forfeited_by: 'a', committed: { a: false, b: true } }),
    'a',
    'You lose',
    'You did not seal a hand in time',
  ],
  [
    round(1, { outcome: 'b', forfeited_by: 'a', committed: both }),
    'b',
    'You win',
    'kea did not reveal in time',
  ],
] as const)('title and reason of a round', (given, you, title, reason) => {
  const [near, far] = seats(duel({ you }));
  expect(roundTitle(given, near, far)).toBe(title);
  expect(roundReason(given, near, far)).toBe(reason);
});

test.each([
  [{ status: 'open', b: null, you: 'a' }, 'Waiting for an opponent', ''],
  [{ status: 'open', b: null }, 'kea is waiting for an opponent', ''],
  [{ status: 'expired', b: null, you: 'a' }, 'Your duel', 'Expired'],
  [{ status: 'cancelled', b: null }, 'Duel by kea', 'Cancelled'],
  [{ status: 'finished', winner: 'b', you: 'b' }, 'You vs. kea', 'You won the duel'],
  [{ status: 'finished', winner: 'b' }, 'kea vs. tui', 'tui won'],
  [{ status: 'finished', winner: null }, 'kea vs. tui', 'A draw'],
] as const)('the title of %o is %s', (change, title, end) => {
  const given = duel(change);
  expect(duelTitle(given)).toBe(title);
  if (end) expect(endTitle(given)).toBe(end);
});

test('the announcement of a decided round has hands, outcome and score', () => {
  const given = duel({ you: 'b', rounds: [won(1), round(2)], wins: { a: 1, b: 0 } });
  expect(announcement(given)).toBe('Round 1. You: scissors. kea: rock. You lose. Score 0 to 1.');
});

/** Returns round n, won by a, with hands that fit their commitments. */
async function revealed(n: number): Promise<DuelRound> {
  const [commitment_a, commitment_b] = await Promise.all([
    commitmentOf('rock', 'salt a'),
    commitmentOf('scissors', 'salt b'),
  ]);
  return { ...won(n), commitment_a, commitment_b, salt_a: 'salt a', salt_b: 'salt b' };
}

test('a move without its salt fails for a player, and shows a spectator nothing', async () => {
  const full = await revealed(1);
  for (const player of [true, false]) {
    const [check] = await checkDecided([full], player);
    expect(check && verdictOf(check)).toBe(true);
  }
  const [seen] = await checkDecided([{ ...full, salt_b: null }]);
  expect(seen).toMatchObject({ a: true, b: 'unknown', outcome: true });
  expect(seen && verdictOf(seen)).toBe(undefined);
  const [own] = await checkDecided([{ ...full, salt_b: null }], true);
  expect(own && verdictOf(own)).toBe(false);
  const [hidden] = await checkDecided([{ ...full, move_b: null, salt_b: null }], true);
  expect(hidden && verdictOf(hidden)).toBe(false);
});

test('a round of which a salt is missing has no tick', async () => {
  const full = await revealed(1);
  const shown = async (round: DuelRound, player: boolean): Promise<string> => {
    const [check] = await checkDecided([round], player);
    return render(Fingerprints, { props: { both: seats(duel()), round, check } }).body;
  };
  expect(await shown(full, false)).toContain('data-holds="true"');
  expect(await shown({ ...full, salt_b: null }, false)).not.toContain('data-holds');
  expect(await shown({ ...full, salt_b: null }, true)).toContain('data-holds="false"');
});

test('a malformed round fails, and the others are checked', async () => {
  const given = [await revealed(1), null, { ...(await revealed(3)), committed: null }, await revealed(4)];
  const rounds = given as unknown as DuelRound[];
  const checks = await checkDecided(rounds, true);
  expect(checks.map(passes)).toEqual([true, false, false, true]);
  expect(failedRounds({ rounds }, checks).map(({ n }) => n)).toEqual([2, 3]);
});

test('a round under another number fails', async () => {
  const checks = await checkDecided([await revealed(1), await revealed(1)], true);
  expect(checks.map(passes)).toEqual([true, false]);
});

test('the evidence of a failed round has a bounded length, and what was sent', async () => {
  const bad = { ...(await revealed(1)), salt_a: 'x'.repeat(1e6), more: 'x'.repeat(1e6) };
  const [failed] = failedRounds({ rounds: [bad] }, await checkDecided([bad], true), ['sealed']);
  expect(failed).toMatchObject({ n: 1, evidence: { round: 1, move_a: 'rock', sent: 'sealed' } });
  expect(JSON.stringify(failed).length).toBeLessThan(2000);
});

// The page's checks of single rounds agree with the verifier's report on the proof.
describe('rounds of the vectors', () => {
  const folder = path.resolve(import.meta.dirname, '../../../vectors/duel');
  test.each(readdirSync(folder))('%s', async (file) => {
    const bytes = readFileSync(path.join(folder, file));
    const { report, duel: claims } = await verify(new Uint8Array(bytes).buffer, {
      key: null,
      witnesses: [],
      quorum: 0,
    });
    if (!claims) return;
    const fails = report.checks.filter(({ result }) => result === 'fail').map(({ id }) => id);
    const checks = await checkDecided(claims.rounds);
    if (report.valid) expect(checks.every(passes)).toBe(true);
    if (fails.includes('outcomes')) expect(checks.every(({ outcome }) => outcome)).toBe(false);
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['localhost', true],
  ['play.localhost', true],
  ['[::1]', true],
  ['192.168.1.20', false],
  ['127.example.org', false],
  ['localhost.example.org', false],
])('a link to %s works on this computer alone: %s', (host, local) => {
  expect(isLoopback(host)).toBe(local);
});
