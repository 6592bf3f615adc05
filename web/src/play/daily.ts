// Texts for today's challenge on the Play page.

import type { Daily } from '../api/shapes.ts';
import { counted } from '../text/numbers.ts';

export interface DailyText {
  title: string;
  detail: string;
  action: string;
  /** Today's run is in progress. */
  running: boolean;
}

/** Returns the texts for a player's state of the challenge. */
export function dailyText({ me }: Pick<Daily, 'me'>): DailyText {
  const streak = me?.streak ?? 0;
  const status = me?.attempt?.status;
  const running = status === 'active' || status === 'deciding';
  if (running)
    return {
      title: 'Today’s run is in progress',
      detail: 'Finish it to score.',
      action: 'Continue',
      running,
    };
  if (me && !me.available) {
    const title = streak > 0 ? `${counted(streak, 'day')} in a row` : 'Played today';
    return { title, detail: 'Come back tomorrow to go on.', action: 'See today’s ranking', running };
  }
  if (streak > 0) {
    const title = `${counted(streak, 'day')} in a row`;
    return { title, detail: 'Play today’s run to keep your streak.', action: 'Play today’s run', running };
  }
  const detail = 'One free run a day. Play on two days in a row to start a streak.';
  return { title: 'Today’s run is open', detail, action: 'Play today’s run', running };
}
