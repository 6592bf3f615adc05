import { expect, test } from 'vitest';
import type { Daily } from '../api/shapes.ts';
import { dailyText } from './daily.ts';
import { askFor } from './save.ts';

function me(streak: number, available: boolean, status?: string, rank?: number): Daily {
  const [attempt, row] = [status ? { status } : null, rank ? { rank } : null];
  return { me: { streak, available, attempt, row }, total: 41 } as unknown as Daily;
}

test('the daily challenge is proposed by the state of the player', () => {
  expect(dailyText({ me: null, total: 0 })).toMatchObject({
    title: 'One free run a day',
    action: 'Play today’s run',
  });
  expect(dailyText(me(0, true))).toMatchObject({ title: 'One free run a day' });
  expect(dailyText(me(3, true)).detail).toBe('Play today’s run to keep your streak.');
  expect(dailyText(me(3, true)).title).toBe('3 days in a row');
  expect(dailyText(me(0, false, 'active'))).toMatchObject({ action: 'Continue', running: true });
  expect(dailyText(me(0, false, 'deciding')).running).toBe(true);
  expect(dailyText(me(1, false, 'claimed'))).toMatchObject({ title: '1 day in a row', running: false });
  expect(dailyText(me(0, false, 'abandoned')).title).toBe('Played today');
  expect(dailyText(me(1, false, 'lost')).detail).toBe('Come back tomorrow to go on.');
  expect(dailyText(me(1, false, 'lost', 3)).detail).toBe('Rank 3 of 41 so far. Come back tomorrow to go on.');
});

test('a guest is asked once to save the account, and the question stays while its run is on display', () => {
  expect(askFor('r1', null)).toBe(true);
  expect(askFor('r1', 'r1')).toBe(true);
  expect(askFor('r2', 'r1')).toBe(false);
  expect(askFor('r1', 'done')).toBe(false);
});
