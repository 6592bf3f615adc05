// Texts for today's challenge on the Play page.

import type { Daily } from '../api/shapes.ts';
import { counted, grouped } from '../text/numbers.ts';
import { t } from '../text/language.ts';

export interface DailyText {
  title: string;
  detail: string;
  action: string;
  /** Today's run is in progress. */
  running: boolean;
}

/** Returns the texts for a player's state of the challenge. */
export function dailyText({ me, total }: Pick<Daily, 'me' | 'total'>): DailyText {
  const streak = me?.streak ?? 0;
  const status = me?.attempt?.status;
  const running = status === 'active' || status === 'deciding';
  if (running)
    return {
      title: t('Today’s run is in progress'),
      detail: t('Finish it to score.'),
      action: t('Continue'),
      running,
    };
  if (me && !me.available) {
    const title = streak > 0 ? counted(streak, '{n} day in a row', '{n} days in a row') : t('Played today');
    const detail = me.row
      ? t('Rank {rank} of {total} so far. Come back tomorrow to go on.', {
          rank: grouped(me.row.rank),
          total: grouped(total),
        })
      : t('Come back tomorrow to go on.');
    return { title, detail, action: t('See your result of today'), running };
  }
  if (streak > 0) {
    const title = counted(streak, '{n} day in a row', '{n} days in a row');
    return {
      title,
      detail: t('Play today’s run to keep your streak.'),
      action: t('Play today’s run'),
      running,
    };
  }
  const detail = t('How far do you get?');
  return { title: t('One free run a day'), detail, action: t('Play today’s run'), running };
}
