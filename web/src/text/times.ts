// Formats of times: relative ones for text, absolute ones for tooltips.

const absoluteFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** Returns "just now", "12 s ago", "5 min ago", "3 h ago" or "2 days ago". A time in the future is "just now", too. */
export function ago(then: number, now: number): string {
  const seconds = Math.floor((now - then) / 1000);
  if (seconds < 3) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  const days = Math.floor(seconds / 86_400);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}

export function absolute(then: number): string {
  return absoluteFormat.format(then);
}

/** Formats a remaining time: "27 days 8 h", "3 h 59 min", "4 min 05 s", "12 s"; "0 s" for zero and less. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  if (h >= 48) return `${Math.floor(h / 24)} days ${h % 24} h`;
  if (h > 0) return `${h} h ${String(min).padStart(2, '0')} min`;
  if (min > 0) return `${min} min ${String(s).padStart(2, '0')} s`;
  return `${s} s`;
}
