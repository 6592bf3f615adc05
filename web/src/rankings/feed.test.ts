import { expect, test } from 'vitest';
import type { FeedEvent } from '../api/shapes.ts';
import { feedLink, feedText } from './feed.ts';

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
  run_id: null,
  duel_id: null,
  token_id: null,
  tx_hash: null,
  reason: null,
};

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
  [{ kind: 'season_closed', season: 2, tx_hash: 'ab' }, 'kea won season 2', '/season?number=2'],
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
] as const)('%o', (change, text, link) => {
  const event = { ...empty, ...change };
  const said = feedText(event).map((part) => (part.i === 0 ? event.username : part.text));
  expect(said.join('')).toBe(text);
  expect(feedLink(event)).toBe(link);
});
