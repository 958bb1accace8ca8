import { rowUnit, tileForms, type WeightFormat } from "./kernels.js";

/** The position of a matrix in the shared memory, in tiles of its format. A product sums over columns and returns rows. */
export interface Matrix {
  readonly format: WeightFormat;
  readonly at: number;
  readonly rows: number;
  readonly columns: number;
  /** Distance from four rows to the next four. */
  readonly groupBytes: number;
}

export function matrixAt(format: WeightFormat, at: number, rows: number, columns: number): Matrix {
  const { columns: unit, tileBytes } = tileForms[format];
  return { format, at, rows, columns, groupBytes: (columns / unit) * tileBytes };
}

export function matrixBytes({ rows, groupBytes }: Matrix): number {
  return (rows / rowUnit) * groupBytes;
}

/** Typed views of a memory. */
export interface Views {
  readonly floats: Float32Array;
  readonly ints: Int32Array;
  readonly halves: Uint16Array;
  readonly shorts: Int16Array;
  readonly bytes: Int8Array;
}

export function viewsOf(buffer: SharedArrayBuffer): Views {
  return {
    floats: new Float32Array(buffer),
    ints: new Int32Array(buffer),
    halves: new Uint16Array(buffer),
    shorts: new Int16Array(buffer),
    bytes: new Int8Array(buffer),
  };
}

const rounding = new Float32Array(1);
const roundingBits = new Uint32Array(rounding.buffer);

const most8Bits = 127;
const most16Bits = 32_767;
/** Room for four rows of eight. */
const roundingTile = new Float32Array(32);
const roundingTileBits = new Uint32Array(roundingTile.buffer);

/** Returns the nearest bfloat16, ties to even, as the upper half of a float32. */
function toHalf(value: number): number {
  rounding[0] = value;
  const bits = roundingBits[0] as number;
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fc0;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

/** Returns the byte offset of an entry within its matrix, for formats whose entries can be written separately. */
function entryOffset({ format, groupBytes }: Matrix, row: number, column: number): number {
  const { columns: unit, rowBytes, tileBytes } = tileForms[format];
  const tile = (row >> 2) * groupBytes + Math.floor(column / unit) * tileBytes;
  return tile + (row & 3) * rowBytes + (column % unit) * (rowBytes / unit);
}

export function writeEntry(views: Views, matrix: Matrix, row: number, column: number, value: number): void {
  const at = matrix.at + entryOffset(matrix, row, column);
  if (matrix.format === "float32") views.floats[at >>> 2] = value;
  else views.halves[at >>> 1] = toHalf(value);
}

/**
 * Writes a whole matrix.
 * @param values float32, row-major [rows, columns], or [columns, rows] if `transposed`
 * @param columnScales divisors of the columns before rounding; the vectors must be multiplied by them before products
 */
export function writeMatrix(
  views: Views,
  matrix: Matrix,
  values: Float32Array,
  transposed: boolean,
  columnScales?: Float32Array,
): void {
  const { format, rows, columns } = matrix;
  const { columns: unit, tileBytes } = tileForms[format];
  const [rowStep, columnStep] = transposed ? [1, rows] : [columns, 1];
  const tile = new Float32Array(rowUnit * unit);
  const inverses = Float32Array.from({ length: columns }, (_, i) => 1 / (columnScales?.[i] ?? 1));
  for (let row = 0; row < rows; row += rowUnit) {
    for (let first = 0; first < columns; first += unit) {
      for (let i = 0; i < unit; i++) {
        const from = row * rowStep + (first + i) * columnStep;
        const inverse = inverses[first + i] as number;
        for (let r = 0; r < rowUnit; r++)
          tile[r * unit + i] = (values[from + r * rowStep] as number) * inverse;
      }
      writeTile(views, format, tile, matrix.at + (row >> 2) * matrix.groupBytes + (first / unit) * tileBytes);
    }
  }
}

function writeTile(
  { floats, halves, bytes }: Views,
  format: WeightFormat,
  tile: Float32Array,
  at: number,
): void {
  if (format === "float32") floats.set(tile, at >>> 2);
  else if (format === "bfloat16") {
    roundingTile.set(tile);
    for (let i = 0; i < tile.length; i++) {
      const bits = roundingTileBits[i] as number;
      // Weights are finite, so this cannot round a NaN to infinity.
      halves[(at >>> 1) + i] = (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
    }
  } else {
    const unit = tile.length / rowUnit;
    for (let r = 0; r < rowUnit; r++) {
      let largest = 0;
      for (let i = 0; i < unit; i++) {
        const size = Math.abs(tile[r * unit + i] as number);
        if (size > largest) largest = size;
      }
      const inverse = largest === 0 ? 0 : most8Bits / largest;
      floats[((at + tile.length) >>> 2) + r] = largest / most8Bits;
      for (let i = 0; i < unit; i++) {
        const value = (tile[r * unit + i] as number) * inverse;
        bytes[at + r * unit + i] = value < 0 ? value - 0.5 : value + 0.5;
      }
    }
  }
}

/** Returns the root mean square of each column over all rows of matrices that multiply the same vector; 1 where it is 0. */
export function columnSizes(
  matrices: readonly Float32Array[],
  columns: number,
  transposed: boolean,
): Float32Array {
  const sums = new Float64Array(columns);
  let count = 0;
  for (const values of matrices) {
    const rows = values.length / columns;
    count += rows;
    // In memory order.
    for (let at = 0; at < values.length; at += transposed ? rows : columns) {
      let sum = 0;
      for (let i = 0; transposed && i < rows; i++)
        sum += (values[at + i] as number) * (values[at + i] as number);
      if (transposed) sums[at / rows] = (sums[at / rows] as number) + sum;
      for (let i = 0; !transposed && i < columns; i++)
        sums[i] = (sums[i] as number) + (values[at + i] as number) * (values[at + i] as number);
    }
  }
  return Float32Array.from(sums, (sum) => (sum === 0 ? 1 : Math.sqrt(sum / count)));
}

/** Copies one row as float32. */
export function readRow(views: Views, matrix: Matrix, row: number, out: Float32Array): void {
  const { format, columns } = matrix;
  const { columns: unit, rowBytes, tileBytes } = tileForms[format];
  for (let tile = 0; tile * unit < columns; tile++) {
    const tileAt = matrix.at + (row >> 2) * matrix.groupBytes + tile * tileBytes;
    const at = tileAt + (row & 3) * rowBytes;
    const scale = views.floats[(tileAt + rowUnit * rowBytes) / 4 + (row & 3)] as number;
    for (let i = 0; i < unit; i++) {
      if (format === "float32") out[tile * unit + i] = views.floats[(at >>> 2) + i] as number;
      else if (format === "bfloat16") {
        roundingBits[0] = (views.halves[(at >>> 1) + i] as number) << 16;
        out[tile * unit + i] = rounding[0] as number;
      } else out[tile * unit + i] = (views.bytes[at + i] as number) * scale;
    }
  }
}

/** Returns the size of a vector of this many numbers in the layout that a format's products use. */
export function vectorBytes(format: WeightFormat, columns: number): number {
  const { columns: unit, vectorBytes: ofTile } = tileForms[format];
  return (columns / unit) * ofTile;
}

/** Writes a vector at byte `at` in the layout that a format's products use. */
export function prepareVector(
  views: Views,
  format: WeightFormat,
  vector: Float32Array,
  columns: number,
  at: number,
): void {
  const { floats } = views;
  if (format === "int8") prepareInts(views, vector, columns, at);
  else if (format === "float32")
    floats.set(columns === vector.length ? vector : vector.subarray(0, columns), at >>> 2);
  else {
    const base = at >>> 2;
    for (let i = 0; i < columns; i += 8) {
      for (let j = 0; j < 4; j++) {
        floats[base + i + j] = vector[i + 2 * j] as number;
        floats[base + i + 4 + j] = vector[i + 2 * j + 1] as number;
      }
    }
  }
}

/** Quantizes each tile's numbers to 16 bits relative to its largest. */
function prepareInts({ floats, shorts }: Views, vector: Float32Array, columns: number, at: number): void {
  const { columns: unit, vectorBytes: tileBytes } = tileForms.int8;
  for (let tile = 0; tile * unit < columns; tile++) {
    const from = tile * unit;
    let largest = 0;
    // A NaN stays the largest and reaches the results through the scale.
    for (let i = 0; i < unit; i++) largest = Math.max(largest, Math.abs(vector[from + i] as number));
    const inverse = largest === 0 ? 0 : most16Bits / largest;
    const base = (at + tile * tileBytes) >>> 1;
    for (let i = 0; i < unit; i++) shorts[base + i] = Math.round((vector[from + i] as number) * inverse);
    floats[(base + unit) >>> 1] = largest / most16Bits;
  }
}
