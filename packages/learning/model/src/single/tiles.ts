/** The number format of a matrix's weights. */
export type WeightFormat = "float32" | "bfloat16" | "int8";

/** Number of rows that lie side by side. */
export const panelRows = 8;

/**
 * Memory layout of a format: panels of eight rows one after another, so that a product reads one stream. A panel has the eight
 * weights of its first column, then those of the second, and so on, because lanes are rows: sums need no addition across lanes,
 * and an element of the vector is loaded into all of them. 8-bit weights lie in pairs of columns, in tiles of 64 columns followed
 * by eight float32 scales, one per row. The vector is split into tiles as well, of 16-bit integers with one scale each, because
 * a few large activations would otherwise take the precision of all others.
 */
interface TileForm {
  readonly columns: number;
  readonly tileBytes: number;
  /** Of the part of the vector that a tile is multiplied by. */
  readonly vectorBytes: number;
}

export const tileForms: Readonly<Record<WeightFormat, TileForm>> = {
  float32: { columns: 1, tileBytes: 32, vectorBytes: 4 },
  bfloat16: { columns: 1, tileBytes: 16, vectorBytes: 4 },
  int8: { columns: 64, tileBytes: 544, vectorBytes: 144 },
};

/** From a tile to its scales, in bytes. */
export const scalesAt = { weights: 512, vector: 128 } as const;

/** Returns the number of rows that a matrix takes in memory. */
export function wholePanels(rows: number): number {
  return Math.ceil(rows / panelRows) * panelRows;
}

/** Returns the byte offset within its tile of a weight. */
export function tileOffset(format: WeightFormat, row: number, column: number): number {
  if (format === "float32") return 4 * row;
  // The lower halves of four 32-bit words are rows 0 to 3, and the upper halves rows 4 to 7.
  if (format === "bfloat16") return row < 4 ? 4 * row : 4 * row - 14;
  return 16 * (column >> 1) + 2 * row + (column & 1);
}
