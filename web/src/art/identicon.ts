// Identicons: three by three patches with rotational symmetry about the centre, distinguishable at 20 pixels.

import { noise } from './noise.ts';

export interface Quilt {
  ground: string;
  cloth: string;
  /** One path for all patches, in a box of 12 × 12. */
  path: string;
}

type Corner = readonly [x: number, y: number];

/** Returns the corners of a patch in a unit square: "0,0 1,0 0,1". */
function corners(text: string): Corner[] {
  return text.split(' ').map((corner) => corner.split(',').map(Number) as [number, number]);
}

/** The noise selects one. */
const patches: readonly (readonly Corner[])[] = [
  corners('0,0 1,0 0,1'),
  corners('0,0 1,0.5 0,1'),
  corners('0.5,0 1,0.5 0.5,1 0,0.5'),
  corners('0,0 1,0 1,0.5 0,0.5'),
  corners('0,0 0.5,0 1,1 0,0.5'),
  corners('0.2,0.2 0.8,0.2 0.8,0.8 0.2,0.8'),
  corners('0,0 1,0 0.5,0.5 1,1 0,1'),
  corners('0,0 1,0 1,1 0,1'),
];

/** Columns and rows of the patches at the corners and at the sides, each turned by a quarter more than the one before. */
const atCorners = corners('0,0 2,0 2,2 0,2');
const atSides = corners('1,0 2,1 1,2 0,1');

/** Returns the identicon of an address. */
export function quilt(address: string): Quilt {
  const next = noise(address);
  const hue = Math.floor(next() * 360);
  const pick = () => patches[Math.floor(next() * patches.length)] ?? [];
  const [corner, side, centre] = [pick(), pick(), pick()];
  const [turnCorner, turnSide] = [Math.floor(next() * 4), Math.floor(next() * 4)];
  const path = [
    ...atCorners.map(([x, y], turn) => place(corner, x, y, turn + turnCorner)),
    ...atSides.map(([x, y], turn) => place(side, x, y, turn + turnSide)),
    place(centre, 1, 1, 0),
  ].join('');
  return { ground: `hsl(${hue} 45% 88%)`, cloth: `hsl(${(hue + 20 + next() * 40) % 360} 48% 38%)`, path };
}

function place(patch: readonly Corner[], x: number, y: number, turns: number): string {
  const points = patch.map(([px, py]) => {
    let [u, v] = [px - 0.5, py - 0.5];
    for (let i = 0; i < turns % 4; i++) [u, v] = [-v, u];
    return `${((x + u + 0.5) * 4).toFixed(2)} ${((y + v + 0.5) * 4).toFixed(2)}`;
  });
  return `M${points.join('L')}Z`;
}
