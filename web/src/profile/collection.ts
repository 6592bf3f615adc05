// Arithmetic of a collection.

import type { CollectedTier } from '../api/shapes.ts';

/** The shapes of token pictures: how wide the table of the stone is. */
export const shapes = ['narrow', 'medium', 'wide'] as const;

/** What a collection holds, and how much there is to collect. */
export interface Sum {
  tokens: number;
  tiers: number;
  allTiers: number;
  shapes: number;
  allShapes: number;
}

/** Adds up a collection. */
export function sumOf(collection: readonly CollectedTier[]): Sum {
  const sum = { tokens: 0, tiers: 0, shapes: 0 };
  for (const { count, shapes: owned } of collection) {
    sum.tokens += count;
    sum.tiers += count > 0 ? 1 : 0;
    sum.shapes += owned.length;
  }
  return { ...sum, allTiers: collection.length, allShapes: collection.length * shapes.length };
}

/** Returns for each shape whether a tier has it. */
export function marks({ shapes: owned }: Pick<CollectedTier, 'shapes'>): boolean[] {
  return shapes.map((shape) => owned.some((one) => one.shape === shape));
}
