// Quiet hours: the service keeps them in UTC, and people choose them in their time zone.

const day = 24 * 60;

/** Returns a time of the day, "HH:MM", some minutes later, on the next day or the day before. */
export function later(time: string, minutes: number): string {
  const [hours = 0, rest = 0] = time.split(':').map(Number);
  const at = (((hours * 60 + rest + minutes) % day) + day) % day;
  return [Math.floor(at / 60), at % 60].map((n) => String(n).padStart(2, '0')).join(':');
}

/** Returns the minutes from local time to UTC today. */
export function toUTC(): number {
  return new Date().getTimezoneOffset();
}
