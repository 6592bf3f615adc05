// Drawings that belong to a thing (a token, an address, a seal) are made from its name or hash: the same text
// always gives the same picture. This is decoration, not proof: nothing is decided by these numbers.

/** A stream of numbers in [0, 1) fixed by the text: FNV-1a to start, mulberry32 to go on. */
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

/** Points as an SVG attribute, two decimals: enough for a drawing of 100 units. */
export function svgPoints(points: readonly Point[]): string {
  return points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' ');
}
