// Formats of quantities and hashes.

import { grouped, language, plural, t, type Params } from './language.ts';

export { grouped } from './language.ts';

/** Formats with a fixed number of decimals. */
export function decimal(x: number, digits: number): string {
  return x.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Formats a share of 1 as a percentage. */
export function percentage(share: number, digits = 0): string {
  return share.toLocaleString(language, {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Formats with a sign: "+12", "−3", "±0". */
export function signed(n: number): string {
  const whole = Math.round(n);
  return `${signOf(whole)}${grouped(Math.abs(whole))}`;
}

function signOf(whole: number): string {
  return whole === 0 ? '±' : whole > 0 ? '+' : '−';
}

/** Formats a price relative to another one: "−67%", "±0%", "+12%"; from a factor of 10 on "35,791,394×". */
export function relativePrice(price: number, other: number): string {
  if (price >= 10 * other) return `${grouped(Math.floor(price / other))}×`;
  // Prices are positive, so −100% cannot occur: the minimum is −99%.
  const percent = Math.max(-99, Math.round((100 * (price - other)) / other));
  return `${signOf(percent)}${percentage(Math.abs(percent) / 100)}`;
}

/** Formats a count with its noun: "1 throw", "3 throws". A noun with {n} is a whole sentence. */
export function counted(n: number, one: string, many = `${one}s`, params?: Params): string {
  return plural(n, withNumber(one), withNumber(many), params);
}

function withNumber(form: string): string {
  return form.includes('{') ? form : `{n} ${form}`;
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
  return t('1 in {n}', { n: grouped(2 ** wins) });
}
