/**
 * Matrix products of libtensorflow on a CPU give a row the same bits whatever the other rows are and wherever it lies, as long
 * as their number is a multiple of this: 1, 2 to 4, 8, and multiples of 16 rows were each found to round in a way of
 * their own (`batch-invariance.test.ts`).
 */
export const rowTile = 16;

/** The least multiple of `tile` that is at least `count`. */
export function wholeTiles(count: number, tile: number): number {
  return Math.ceil(count / tile) * tile;
}
