// Reports achievements that the player has just unlocked. The service counts a run or a duel shortly after its end and
// sends no event for it, so the page reads the achievements some seconds after each end.

import { get, serverTime } from '../api/client.ts';
import { getStored, setStored } from './storage.ts';
import { toasts } from './toasts.svelte.ts';
import { t } from '../text/language.ts';

/** Milliseconds after the end of a run or a duel. */
const delay = 4000;
/** The maximum age of a reported unlock in milliseconds: this page has not seen the end that brought an older one. */
const maxAge = 5 * 60_000;
/** The maximum number of stored reports. */
const maxStored = 100;

export interface Unlock {
  id: string;
  unlocked_at: string | null;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

/** Returns the achievements that were unlocked within the last five minutes and are not among `reported`. */
export function freshUnlocks<T extends Unlock>(
  all: readonly T[],
  reported: readonly string[],
  now: number,
): T[] {
  return all.filter(
    (one) =>
      one.unlocked_at !== null &&
      now - Date.parse(one.unlocked_at) < maxAge &&
      !reported.includes(`${one.id} ${one.unlocked_at}`),
  );
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Reports achievements unlocked by a run or a duel that has just ended. */
export function checkUnlocks(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void read().catch(() => undefined), delay);
}

async function read(): Promise<void> {
  const { achievements } = await get('/api/achievements');
  // Stored, so that another tab or a reload does not report the same unlock again.
  const reported = getStored('unlocks', isTexts) ?? [];
  const fresh = freshUnlocks(achievements, reported, serverTime());
  if (fresh.length === 0) return;
  const added = fresh.map(({ id, unlocked_at }) => `${id} ${unlocked_at ?? ''}`);
  setStored('unlocks', [...reported, ...added].slice(-maxStored));
  for (const { id, title, text } of fresh)
    toasts.show({
      title: t('Unlocked: {title}', { title: t(title) }),
      text: t(text),
      href: '/achievements',
      seal: `achievement/${id}`,
    });
}
