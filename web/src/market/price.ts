// Prices that forms propose.

/**
 * Returns the price that the form for a listing starts with: the last sale of the tier, and at least one coin more than
 * the house pays, as for less the house buys the token at once.
 */
export function startingPrice(pays: number, lastSale: number | null | undefined): number {
  return Math.max(pays + 1, lastSale ?? 0);
}
