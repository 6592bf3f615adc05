// How quantities and hashes look everywhere on the page.

const grouping = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** 1234567 → "1,234,567". */
export function grouped(n: number): string {
  return grouping.format(n);
}

/** With its sign: "+12", "−3", "±0". */
export function signed(n: number): string {
  const whole = Math.round(n);
  if (whole === 0) return '±0';
  return `${whole > 0 ? '+' : '−'}${grouped(Math.abs(whole))}`;
}

/** A price against another one: "−67%", "±0%", "+12%", and "35,791,394×" of it where a percentage says nothing. */
export function against(price: number, other: number): string {
  if (price >= 10 * other) return `${grouped(Math.floor(price / other))}×`;
  // Less than nothing is asked for nothing.
  return `${signed(Math.max(-99, (100 * (price - other)) / other))}%`;
}

/** "1 throw", "3 throws". */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

/** Shortens in the middle, where nobody looks: "9f31c02e…77aa41d0". Text of up to 2·keep + 1 characters stays whole. */
export function shortened(text: string, keep = 6): string {
  return text.length <= 2 * keep + 1 ? text : `${text.slice(0, keep)}…${text.slice(-keep)}`;
}

/** A chain address as the API shortens it, with its prefix in sight: "rps1qx7a…m4u9". */
export function shortAddress(address: string): string {
  return address.length <= 13 ? address : `${address.slice(0, 8)}…${address.slice(-4)}`;
}

/** Chance of k wins in a row when ties are thrown again: "1 in 8". */
export function oneIn(wins: number): string {
  return `1 in ${grouped(2 ** wins)}`;
}
