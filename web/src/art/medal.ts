// Medals: a rim of rays, a rosette and a plate for the place. The hash of a final table determines rim and rosette, so
// all medals of one season or cup have one coinage; the place determines the metal.

import { noise, svgPoints, type Point } from './noise.ts';
import type { Facet } from './tokenart.ts';

interface Metal {
  hue: number;
  saturation: number;
  lightness: number;
}

const bronze: Metal = { hue: 24, saturation: 50, lightness: 47 };
/** Index 0 is the first place. */
const metals: readonly Metal[] = [
  { hue: 44, saturation: 76, lightness: 54 },
  { hue: 212, saturation: 12, lightness: 70 },
  bronze,
];

const light = -2.2; // radians, upper left in a picture whose y axis points down
const rimInside = 35;
const plate = 17;

/** Returns the facets in a box of 100 × 100, outermost first. A place beyond the third is drawn in bronze. */
export function medalFacets(hash: string, place: number): Facet[] {
  const { hue, saturation, lightness } = metals[place - 1] ?? bronze;
  const next = noise(`medal/${hash}`);
  const rays = 14 + Math.floor(next() * 9);
  const valley = 44 - next() * 5;
  const leaves = 5 + Math.floor(next() * 4);
  const waist = plate + 4 + next() * 8;
  const lean = (next() - 0.5) * 0.8;
  const turn = next() * 2 * Math.PI;
  const facets: Facet[] = [];
  const at = (r: number, angle: number): Point => [50 + r * Math.cos(angle), 50 + r * Math.sin(angle)];
  const add = (lit: number, ...points: Point[]) =>
    facets.push({
      points: svgPoints(points),
      fill: `hsl(${hue} ${saturation}% ${Math.max(20, Math.min(92, lightness + lit)).toFixed(1)}%)`,
    });
  const lit = (angle: number) => 15 * Math.cos(angle - light);
  const ring = (r: number, corners: number): Point[] =>
    Array.from({ length: corners }, (_, i) => at(r, (2 * Math.PI * i) / corners));

  for (let i = 0; i < rays; i++) {
    const half = Math.PI / rays;
    const angle = turn + 2 * half * i;
    const tip = at(47, angle);
    const foot = at(rimInside - 1, angle);
    add(lit(angle - 0.5), foot, at(rimInside - 1, angle - half), at(valley, angle - half), tip);
    add(lit(angle + 0.5) - 5, foot, tip, at(valley, angle + half), at(rimInside - 1, angle + half));
  }
  add(-18, ...ring(rimInside, 48));
  for (let i = 0; i < leaves; i++) {
    const half = Math.PI / leaves;
    const angle = turn + 2 * half * i;
    const tip = at(rimInside - 2, angle + lean * half);
    const foot = at(plate - 2, angle);
    add(lit(angle - 0.8) + 10, foot, at(waist, angle - half), tip);
    add(lit(angle + 0.8) + 3, foot, tip, at(waist, angle + half));
  }
  add(24, ...ring(plate, 40));
  return facets;
}
