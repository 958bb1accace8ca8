/**
 * On a CPU, libtensorflow's matrix products give a row the same bits regardless of its position and of the other rows, as
 * long as the number of rows is a multiple of this: 1, 2 to 4, 8, and multiples of 16 rows were each found to round in
 * their own way (`batch-invariance.test.ts`).
 */
export const rowTile = 16;

/** Returns the smallest multiple of `tile` that is at least `count`. */
export function wholeTiles(count: number, tile: number): number {
  return Math.ceil(count / tile) * tile;
}
