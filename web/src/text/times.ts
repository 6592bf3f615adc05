// Formats of times: relative ones for text, absolute ones for tooltips.

import { language, t } from './language.ts';
import { counted } from './numbers.ts';

const absoluteFormat = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });

/** Returns "just now", "12 s ago", "5 min ago", "3 h ago" or "2 days ago". A time in the future is "just now", too. */
export function ago(then: number, now: number): string {
  const seconds = Math.floor((now - then) / 1000);
  if (seconds < 3) return t('just now');
  if (seconds < 60) return t('{n} s ago', { n: seconds });
  if (seconds < 3600) return t('{n} min ago', { n: Math.floor(seconds / 60) });
  if (seconds < 86_400) return t('{n} h ago', { n: Math.floor(seconds / 3600) });
  const days = Math.floor(seconds / 86_400);
  return days === 1 ? t('yesterday') : counted(days, '{n} day ago', '{n} days ago');
}

const dayFormat = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });

/** Formats a UTC day of the service: "2026-11-24" → "Nov 24, 2026". */
export function calendarDay(date: string): string {
  return dayFormat.format(Date.parse(date));
}

export function absolute(then: number): string {
  return absoluteFormat.format(then);
}

/** Formats a remaining time: "27 days 8 h", "3 h 59 min", "4 min 05 s", "12 s"; "0 s" for zero and less. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  if (h >= 48) return counted(Math.floor(h / 24), '{n} day {h} h', '{n} days {h} h', { h: h % 24 });
  if (h > 0) return t('{h} h {min} min', { h, min: two(min) });
  if (min > 0) return t('{min} min {s} s', { min, s: two(s) });
  return t('{s} s', { s });
}
