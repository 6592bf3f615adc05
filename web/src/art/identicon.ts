// Identicons: three by three patches with rotational symmetry about the centre, distinguishable at 20 pixels.

import { noise } from './noise.ts';

export interface Quilt {
  ground: string;
  cloth: string;
  /** One path for all patches, in a box of 12 × 12. */
  path: string;
}

/** Patches in a unit square, as corner lists; the noise selects the index. */
const patches: readonly (readonly (readonly [number, number])[])[] = [
  [
    [0, 0],
    [1, 0],
    [0, 1],
  ],
  [
    [0, 0],
    [1, 0.5],
    [0, 1],
  ],
  [
    [0.5, 0],
    [1, 0.5],
    [0.5, 1],
    [0, 0.5],
  ],
  [
    [0, 0],
    [1, 0],
    [1, 0.5],
    [0, 0.5],
  ],
  [
    [0, 0],
    [0.5, 0],
    [1, 1],
    [0, 0.5],
  ],
  [
    [0.2, 0.2],
    [0.8, 0.2],
    [0.8, 0.8],
    [0.2, 0.8],
  ],
  [
    [0, 0],
    [1, 0],
    [0.5, 0.5],
    [1, 1],
    [0, 1],
  ],
  [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ],
];

/** Column, row and quarter turns of each patch. */
const corners = [
  [0, 0, 0],
  [2, 0, 1],
  [2, 2, 2],
  [0, 2, 3],
] as const;
const sides = [
  [1, 0, 0],
  [2, 1, 1],
  [1, 2, 2],
  [0, 1, 3],
] as const;

/** Returns the identicon of an address. */
export function quilt(address: string): Quilt {
  const next = noise(address);
  const hue = Math.floor(next() * 360);
  const pick = () => patches[Math.floor(next() * patches.length)] ?? [];
  const [corner, side, centre] = [pick(), pick(), pick()];
  const [turnCorner, turnSide] = [Math.floor(next() * 4), Math.floor(next() * 4)];
  const path = [
    ...corners.map(([x, y, turn]) => place(corner, x, y, turn + turnCorner)),
    ...sides.map(([x, y, turn]) => place(side, x, y, turn + turnSide)),
    place(centre, 1, 1, 0),
  ].join('');
  return { ground: `hsl(${hue} 45% 88%)`, cloth: `hsl(${(hue + 20 + next() * 40) % 360} 48% 38%)`, path };
}

function place(patch: readonly (readonly [number, number])[], x: number, y: number, turns: number): string {
  const points = patch.map(([px, py]) => {
    let [u, v] = [px - 0.5, py - 0.5];
    for (let i = 0; i < turns % 4; i++) [u, v] = [-v, u];
    return `${((x + u + 0.5) * 4).toFixed(2)} ${((y + v + 0.5) * 4).toFixed(2)}`;
  });
  return `M${points.join('L')}Z`;
}
