// Formats of quantities and hashes.

const grouping = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** Formats with thousands separators: 1234567 → "1,234,567". */
export function grouped(n: number): string {
  return grouping.format(n);
}

/** Formats with a sign: "+12", "−3", "±0". */
export function signed(n: number): string {
  const whole = Math.round(n);
  if (whole === 0) return '±0';
  return `${whole > 0 ? '+' : '−'}${grouped(Math.abs(whole))}`;
}

/** Formats a price relative to another one: "−67%", "±0%", "+12%"; from a factor of 10 on "35,791,394×". */
export function relativePrice(price: number, other: number): string {
  if (price >= 10 * other) return `${grouped(Math.floor(price / other))}×`;
  // Prices are positive, so −100% cannot occur: the minimum is −99%.
  return `${signed(Math.max(-99, (100 * (price - other)) / other))}%`;
}

/** Formats a count with its noun: "1 throw", "3 throws". */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

/** Shortens a text in the middle: "9f31c02e…77aa41d0". Text of up to 2·keep + 1 characters stays unchanged. */
export function shortened(text: string, keep = 6): string {
  return text.length <= 2 * keep + 1 ? text : `${text.slice(0, keep)}…${text.slice(-keep)}`;
}

/** Shortens a chain address as the API does, with its prefix: "rps1qx7a…m4u9". */
export function shortAddress(address: string): string {
  return address.length <= 13 ? address : `${address.slice(0, 8)}…${address.slice(-4)}`;
}

/** Returns the chance of consecutive wins with replayed ties: "1 in 8". */
export function oneIn(wins: number): string {
  return `1 in ${grouped(2 ** wins)}`;
}
