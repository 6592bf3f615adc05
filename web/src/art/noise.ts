// Deterministic noise for the drawings of tokens, addresses and seals: the same text always gives the same picture.
// The numbers are for decoration only; no game logic or proof uses them.

/** Returns a stream of numbers in [0, 1) seeded by the text: FNV-1a for the seed, mulberry32 for the stream. */
export function noise(text: string): () => number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export type Point = readonly [x: number, y: number];

/** Formats points as an SVG attribute with two decimals, enough for a drawing of 100 units. */
export function svgPoints(points: readonly Point[]): string {
  return points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' ');
}
