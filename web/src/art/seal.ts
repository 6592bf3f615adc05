// The wax seal of a commitment: the same commitment always gives the same seal.

import { noise, svgPoints, type Point } from './noise.ts';

export interface SealArt {
  /** Edge of the wax, a closed path around 0,0 with a radius of about 20. */
  edge: string;
  /** The pressed pattern: six-fold, as polygons. */
  facets: { points: string; shade: number }[];
}

/** Returns the seal of a commitment in hex. */
export function sealArt(commitment: string): SealArt {
  const next = noise(commitment);
  const lobes = 11;
  const edge: Point[] = [];
  for (let i = 0; i < lobes * 2; i++) {
    const angle = (i * Math.PI) / lobes;
    const r = (i % 2 === 0 ? 20.5 : 18.6) + (next() - 0.5) * 1.8;
    edge.push([r * Math.cos(angle), r * Math.sin(angle)]);
  }
  const facets: SealArt['facets'] = [];
  for (let ring = 0; ring < 3; ring++) {
    const inner = 1.5 + ring * 4;
    const outer = inner + 2.4 + next() * 2;
    const lean = (next() - 0.5) * 0.9;
    const width = 0.12 + next() * 0.3;
    const shade = next();
    for (let i = 0; i < 6; i++) {
      const angle = (i * Math.PI) / 3 + ring * 0.52;
      const at = (r: number, a: number): Point => [r * Math.cos(a), r * Math.sin(a)];
      const points = [
        at(inner, angle),
        at(outer, angle + lean - width),
        at(outer + 1, angle + lean),
        at(outer, angle + lean + width),
      ];
      facets.push({ points: svgPoints(points), shade });
    }
  }
  return { edge: smooth(edge), facets };
}

/** Returns a closed path through the midpoints of the edges, which rounds the corners. */
function smooth(points: readonly Point[]): string {
  const middle = (a: Point, b: Point): Point => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const last = points[points.length - 1] as Point;
  const start = middle(last, points[0] as Point);
  let path = `M${start[0].toFixed(2)} ${start[1].toFixed(2)}`;
  points.forEach((point, i) => {
    const [x, y] = middle(point, points[(i + 1) % points.length] as Point);
    path += `Q${point[0].toFixed(2)} ${point[1].toFixed(2)} ${x.toFixed(2)} ${y.toFixed(2)}`;
  });
  return `${path}Z`;
}
