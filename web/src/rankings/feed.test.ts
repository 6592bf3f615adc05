import { expect, test } from 'vitest';
import type { FeedEvent } from '../api/shapes.ts';
import { feedLink, feedText, namesOf } from './feed.ts';

const empty: FeedEvent = {
  id: 1,
  kind: 'tier_claimed',
  time: '',
  username: 'kea',
  address: null,
  short_address: null,
  tier: null,
  material: null,
  coins: null,
  streak: null,
  achievement: null,
  title: null,
  season: null,
  cup: null,
  cup_kind: null,
  first: null,
  above: null,
  opponent: null,
  medals: [],
  table_hash: null,
  run_id: null,
  duel_id: null,
  token_id: null,
  tx_hash: null,
  reason: null,
};

const player = (username: string) => ({ username, address: `rps1${username}`, short_address: 'rps1…' });
const medals = [
  { ...player('ida'), place: 1 },
  { ...player('bo'), place: 2 },
  { ...player('cy'), place: 3 },
];

test.each([
  [
    { kind: 'tier_claimed', material: 'Emerald', run_id: 'r1', token_id: 4 },
    'kea claimed an Emerald',
    '/r/r1',
  ],
  [
    { kind: 'sale', material: 'Ruby', coins: 4000, token_id: 4, tx_hash: 'ab' },
    'kea sold a Ruby for 4,000 coins',
    '/token/4',
  ],
  [
    { kind: 'duel_won', coins: 500, duel_id: 'D1', tx_hash: 'ab' },
    'kea won a duel for a stake of 500 coins',
    '/d/D1',
  ],
  [
    { kind: 'achievement', title: 'Phoenix', achievement: 'phoenix' },
    'kea unlocked “Phoenix”',
    '/achievements',
  ],
  [{ kind: 'streak', streak: 30 }, 'kea played the daily challenge 30 days in a row', null],
  [
    { kind: 'tier_claimed', material: 'Ruby', first: 'player', run_id: 'r1' },
    'kea claimed a Ruby for the first time',
    '/r/r1',
  ],
  [
    { kind: 'tier_claimed', material: 'Iron', first: 'service', run_id: 'r1' },
    'kea is the first player here to claim an Iron',
    '/r/r1',
  ],
  [
    { kind: 'upset', above: 1240, opponent: player('nils'), duel_id: 'D1', tx_hash: 'ab' },
    'kea beat nils, rated 1,240 points higher',
    '/d/D1',
  ],
  [
    { kind: 'season_closed', season: 2, medals, tx_hash: 'ab' },
    'Season 2 is over. Medals: ida bo cy',
    '/season?number=2',
  ],
  [{ kind: 'season_closed', season: 3, username: null }, 'Season 3 is over', '/season?number=3'],
  [
    { kind: 'cup_closed', cup: 5, cup_kind: 'bots', medals: medals.slice(0, 2), tx_hash: 'ab' },
    'Bot cup 5 is over. Medals: ida bo',
    '/cups/5',
  ],
  [
    { kind: 'cup_closed', cup: 6, cup_kind: 'people', medals: medals.slice(0, 1) },
    'Cup 6 is over. Medal: ida',
    '/cups/6',
  ],
  [
    { kind: 'result_voided', duel_id: '8ABC', reason: 'one person' },
    'Duel declared void: one person',
    '/d/8ABC',
  ],
  [
    { kind: 'result_restored', run_id: 'R1', reason: 'a mistake' },
    'Daily run counts again: a mistake',
    '/r/R1',
  ],
] satisfies [Partial<FeedEvent>, string, string | null][])('%o', (change, text, link) => {
  const event = { ...empty, ...change };
  const names = namesOf(event);
  const said = feedText(event).map((part) => (part.i === undefined ? part.text : names[part.i]?.username));
  expect(said.join('')).toBe(text);
  expect(feedLink(event)).toBe(link);
});
