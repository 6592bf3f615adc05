/**
 * The figures of the house's record: shares of hands and outcomes with their exact 99 % intervals, and the tests of
 * uniformity. A record holds the totals over the verified games of a chain; the Go and the Python verifier derive it
 * from the public log. All figures are integers, so that every program returns the same ones. docs/protocol.md is
 * the specification.
 */

/** Totals over all games; hands are in the order rock, paper, scissors. */
export interface GameRecord {
  runs: number;
  claimed: number;
  lost: number;
  abandoned: number;
  /** Runs that recoveries made void, which count nowhere else, and these recoveries. */
  voided: number;
  recoveries: number;
  /** Void runs by the tier that they had reached, from tier 0 on. */
  void_tiers: number[];
  throws: number;
  house: number[];
  players: number[];
  wins: number;
  ties: number;
  losses: number;
  staked: number;
  won: number;
  given: number;
  duels: number;
}

/** A count of a total, with the interval of its probability in parts per million, rounded outwards. */
export interface Share {
  what: string;
  count: number;
  of: number;
  low_ppm: number;
  high_ppm: number;
}

/** Pearson's test of three counts against equal probabilities: chi-square in thousandths, p in parts per million. */
export interface Test {
  what: string;
  chi_square_milli: number;
  p_ppm: number;
}

export interface Audit {
  record: GameRecord;
  /** Won, in base value, over staked, in parts per million, rounded down; null when nothing was staked. */
  paid_back_ppm: number | null;
  shares: Share[];
  tests: Test[];
}

const MILLION = 1_000_000;
const ALPHA = 0.01; // the probability that an interval does not hold the true value, at most
const HANDS = ['rock', 'paper', 'scissors'];

/** Returns the figures of a record. */
export function audit(r: GameRecord): Audit {
  const outcomes = [r.wins, r.ties, r.losses];
  const counts: [string, number, number][] = [
    ...HANDS.map((hand, i): [string, number, number] => [`house ${hand}`, r.house[i] ?? 0, r.throws]),
    ...['wins', 'ties', 'losses'].map((name, i): [string, number, number] => [name, outcomes[i] ?? 0, r.throws]),
    ...HANDS.map((hand, i): [string, number, number] => [`players ${hand}`, r.players[i] ?? 0, r.throws]),
    ['runs claimed', r.claimed, r.runs],
    ...(r.voided > 0 ? withVoid(r, outcomes) : []),
  ];
  const back = r.staked > 0 ? (BigInt(r.won) * BigInt(MILLION)) / BigInt(r.staked) : null;
  return {
    record: r,
    paid_back_ppm: back === null ? null : Math.min(Number(back), Number.MAX_SAFE_INTEGER),
    shares: counts.filter(([, , of]) => of > 0).map(([what, count, of]) => share(what, count, of)),
    tests: r.throws > 0 ? [uniformity('hands of the house', r.house), uniformity('outcomes', outcomes)] : [],
  };
}

/** The shares as if each void run had been won, or lost, with one more throw: the house decides which runs it loses. */
function withVoid(r: GameRecord, outcomes: number[]): [string, number, number][] {
  const shares = ['wins', 'ties', 'losses'].flatMap((name, i): [string, number, number][] => [
    [`${name}, void won`, (outcomes[i] ?? 0) + (i === 0 ? r.voided : 0), r.throws + r.voided],
    [`${name}, void lost`, (outcomes[i] ?? 0) + (i === 2 ? r.voided : 0), r.throws + r.voided],
  ]);
  return [
    ...shares,
    ['runs claimed, void won', r.claimed + r.voided, r.runs + r.voided],
    ['runs claimed, void lost', r.claimed, r.runs + r.voided],
  ];
}

function share(what: string, count: number, of: number): Share {
  const [low, high] = interval(count, of);
  return { what, count, of, low_ppm: Math.floor(low * MILLION), high_ppm: Math.ceil(high * MILLION) };
}

/** The test has 2 degrees of freedom, for which the probability of a larger value is exp(-chi/2). */
function uniformity(what: string, counts: number[]): Test {
  const n = counts.reduce((sum, k) => sum + k, 0);
  const chi = counts.reduce((sum, k) => sum + (3 * k - n) * (3 * k - n), 0) / (3 * n);
  return { what, chi_square_milli: Math.floor(1000 * chi), p_ppm: Math.floor(MILLION * Math.exp(-chi / 2)) };
}

/** Returns the Clopper-Pearson interval at 99 % for the probability of an event seen `count` times of `n`. */
export function interval(count: number, n: number): [low: number, high: number] {
  return [
    count > 0 ? quantile(ALPHA / 2, count, n - count + 1) : 0,
    count < n ? quantile(1 - ALPHA / 2, count + 1, n - count) : 1,
  ];
}

/** Returns the x with incompleteBeta(x, a, b) = p, by bisection. */
function quantile(p: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, a, b) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The regularized incomplete beta function by its continued fraction (DLMF 8.17.22). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  if (x <= 0) return 0;
  const logarithm = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(logarithm) * betaFraction(x, a, b)) / a;
}

/** Evaluates the continued fraction by Lentz's method. */
function betaFraction(x: number, a: number, b: number): number {
  const floor = (v: number): number => (Math.abs(v) < 1e-300 ? 1e-300 : v);
  let c = 1;
  let d = 1 / floor(1 - ((a + b) * x) / (a + 1));
  let f = d;
  for (let m = 1; m < MILLION; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    [d, c] = [1 / floor(1 + even * d), floor(1 + even / c)];
    f *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    [d, c] = [1 / floor(1 + odd * d), floor(1 + odd / c)];
    f *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return f;
}

/** The logarithm of the gamma function for x >= 1: recurrence up to 15, then Stirling's series (DLMF 5.11.1). */
function logGamma(x: number): number {
  let shift = 0;
  for (; x < 15; x++) shift += Math.log(x);
  const y = 1 / (x * x);
  const series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x;
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series - shift;
}
