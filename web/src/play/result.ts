// The result of the player's daily run: where it is in the ranking, and the line to share.

import type { Daily, Me } from '../api/shapes.ts';
import { t } from '../text/language.ts';
import { counted, grouped } from '../text/numbers.ts';
import { calendarDay } from '../text/times.ts';
import { endingTitle } from './sentences.ts';

/** Milliseconds for which an account with a bound start has to be secured before rankings show it. */
const secureMs = 3 * 86_400_000;
/** Milliseconds after the end of a run within which the ranking has counted it. */
const countingMs = 30_000;

/** Why an ended run has no rank; `ranked` if it has one. */
export type Ranking = 'ranked' | 'counting' | 'void' | 'network' | 'unsecured' | 'none';

/** Returns the state of the caller's ended run in today's ranking. `now` is in milliseconds, by the server's clock. */
export function rankingOf(
  { me, starts_at }: Pick<Daily, 'me' | 'starts_at'>,
  account: Pick<Me, 'start' | 'secured_at'> | null,
  now: number,
): Ranking {
  if (me?.row) return 'ranked';
  if (me?.voided || me?.attempt?.status === 'void') return 'void';
  if (me?.attempt?.unranked) return 'network';
  // The ranking of a day shows the accounts that were secured long enough when it began.
  const secured = account?.secured_at ? Date.parse(account.secured_at) + secureMs : Infinity;
  if (account?.start === 'bound' && secured >= Date.parse(starts_at)) return 'unsecured';
  const ended = me?.attempt?.ended_at ? Date.parse(me.attempt.ended_at) : 0;
  return now - ended < countingMs ? 'counting' : 'none';
}

/** Returns the rank of today's run: "3 of 41 so far"; null without one. */
export function rankText({ me, total }: Pick<Daily, 'me' | 'total'>): string | null {
  if (!me?.row) return null;
  return t('{rank} of {total} so far', { rank: grouped(me.row.rank), total: grouped(total) });
}

/**
 * Returns the line to share of the caller's ended run; '' without one:
 * "Roshambo daily, Nov 28, 2026 · Glass claimed · 7 throws · rank 3 of 41 · 5 days in a row".
 */
export function shareLine({ day, total, me }: Pick<Daily, 'day' | 'total' | 'me'>): string {
  const run = me?.attempt;
  if (!run) return '';
  const facts = [
    t('Roshambo daily, {day}', { day: calendarDay(day) }),
    endingTitle(run),
    counted(run.throws.length, 'throw'),
  ];
  if (me.row) facts.push(t('rank {rank} of {total}', { rank: grouped(me.row.rank), total: grouped(total) }));
  if (me.streak > 1) facts.push(counted(me.streak, '{n} day in a row', '{n} days in a row'));
  return facts.join(' · ');
}
