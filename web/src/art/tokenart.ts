// Token art: the sixteen materials as cut stones seen from above, with an outline, a girdle turned by half a facet and
// a table. The light comes from the upper left. A noise stream seeded by the token's number varies cut and shading.

import { noise, svgPoints, type Point } from './noise.ts';

interface Cut {
  /** Number of corners of the outline. */
  corners: number;
  /** Distance of the outline from the centre by angle, in units of 100; undefined for a round stone. */
  radius?: (angle: number) => number;
  /** Maximum deviation of a corner as a share of the radius: high for raw materials, 0 for cut stones. */
  rough: number;
  /** Rotation of the outline in radians, so that square cuts stand on their side. */
  rotation?: number;
  hue: number;
  saturation: number;
  lightness: number;
  /** Contrast between lit and shaded facets, in points of lightness. */
  gloss: number;
  /** Hue range among the facets, in degrees. */
  play?: number;
}

export interface Facet {
  points: string;
  fill: string;
}

const oval = (rx: number, ry: number) => (angle: number) =>
  (rx * ry) / Math.hypot(ry * Math.cos(angle), rx * Math.sin(angle));
const star = (inner: number, rays: number) => (angle: number) =>
  inner + (48 - inner) * (0.5 + 0.5 * Math.cos(angle * rays));

const clay: Cut = { corners: 7, rough: 0.16, hue: 14, saturation: 45, lightness: 52, gloss: 8 };

/** Index 0 is tier 1. */
const cuts: readonly Cut[] = [
  clay,
  { corners: 6, rough: 0.06, rotation: 0.52, hue: 31, saturation: 44, lightness: 44, gloss: 12 }, // wood
  { corners: 8, rough: 0.13, hue: 215, saturation: 6, lightness: 56, gloss: 12 }, // stone
  { corners: 6, rough: 0.02, hue: 19, saturation: 58, lightness: 50, gloss: 18 }, // copper
  { corners: 6, rough: 0.02, rotation: 0.52, hue: 36, saturation: 54, lightness: 42, gloss: 18 }, // bronze
  { corners: 8, rough: 0.02, rotation: 0.39, hue: 214, saturation: 9, lightness: 40, gloss: 16 }, // iron
  { corners: 8, rough: 0, hue: 208, saturation: 20, lightness: 58, gloss: 20 }, // steel
  { corners: 10, rough: 0, hue: 212, saturation: 14, lightness: 74, gloss: 17 }, // silver
  { corners: 10, rough: 0, rotation: 0.31, hue: 43, saturation: 78, lightness: 54, gloss: 19 }, // gold
  { corners: 12, rough: 0, hue: 186, saturation: 16, lightness: 80, gloss: 14 }, // platinum
  {
    corners: 8,
    rough: 0,
    rotation: 0.39,
    radius: oval(38, 47),
    hue: 155,
    saturation: 68,
    lightness: 40,
    gloss: 19,
  }, // emerald
  { corners: 12, rough: 0, radius: oval(47, 39), hue: 221, saturation: 72, lightness: 48, gloss: 20 }, // sapphire
  { corners: 8, rough: 0, hue: 346, saturation: 70, lightness: 47, gloss: 20 }, // ruby
  { corners: 16, rough: 0, hue: 196, saturation: 58, lightness: 82, gloss: 15, play: 36 }, // diamond
  { corners: 7, rough: 0.2, hue: 265, saturation: 22, lightness: 25, gloss: 19, play: 20 }, // obsidian
  {
    corners: 16,
    rough: 0,
    radius: star(34, 8),
    hue: 268,
    saturation: 62,
    lightness: 62,
    gloss: 18,
    play: 120,
  }, // stardust
];

const light = -2.2; // radians, upper left in a picture whose y axis points down

/** Returns the facets in a box of 100 × 100, outermost first. A tier outside 1 to 16 is drawn as clay. */
export function tokenFacets(tier: number, seed: string): Facet[] {
  const cut = cuts[tier - 1] ?? clay;
  const next = noise(seed);
  const step = (2 * Math.PI) / cut.corners;
  const rotation = (cut.rotation ?? 0) - Math.PI / 2;
  const at = (angle: number, scale: number): Point => {
    const r = (cut.radius?.(angle - rotation) ?? 47) * scale;
    return [50 + r * Math.cos(angle), 50 + r * Math.sin(angle)];
  };
  const tableScale = 0.44 + next() * 0.12;
  const outline: Point[] = [];
  const girdle: Point[] = [];
  const table: Point[] = [];
  for (let i = 0; i < cut.corners; i++) {
    const angle = rotation + i * step;
    outline.push(at(angle, 1 - cut.rough * next()));
    girdle.push(at(angle + step / 2, 0.74 + (next() - 0.5) * (0.06 + cut.rough)));
    table.push(at(angle, tableScale * (1 + (next() - 0.5) * cut.rough)));
  }
  const shade = (angle: number, weight: number): string => {
    const lit = Math.cos(angle - light) * cut.gloss * weight + (next() - 0.5) * cut.gloss * 0.9;
    const hue = cut.hue + (next() - 0.5) * (cut.play ?? 6);
    return `hsl(${hue.toFixed(0)} ${cut.saturation}% ${Math.max(6, Math.min(97, cut.lightness + lit)).toFixed(1)}%)`;
  };
  const facets: Facet[] = [];
  const add = (angle: number, weight: number, ...points: Point[]) =>
    facets.push({ points: svgPoints(points), fill: shade(angle, weight) });
  for (let i = 0; i < cut.corners; i++) {
    const j = (i + 1) % cut.corners;
    const angle = rotation + (i + 0.5) * step;
    const [o, p, g, h] = [outline[i], outline[j], girdle[i], girdle[j]] as [Point, Point, Point, Point];
    const [t, u] = [table[i], table[j]] as [Point, Point];
    add(angle, 1, o, p, g);
    add(angle + step / 2, 0.9, g, p, h);
    add(angle, 0.5, t, u, g);
    add(angle + step / 2, 0.6, g, u, h);
  }
  facets.push({ points: svgPoints(table), fill: shade(light, 0.55) });
  return facets;
}
