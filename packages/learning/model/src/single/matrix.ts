import { panelRows, scalesAt, tileForms, tileOffset, type WeightFormat, wholePanels } from "./tiles.js";

/** The position of a matrix in the shared memory, in panels of its format. A product sums over columns and returns rows. */
export interface Matrix {
  readonly format: WeightFormat;
  readonly at: number;
  readonly rows: number;
  readonly columns: number;
  /** Distance from eight rows to the next eight. */
  readonly panelBytes: number;
}

export function matrixAt(format: WeightFormat, at: number, rows: number, columns: number): Matrix {
  const { columns: unit, tileBytes } = tileForms[format];
  return { format, at, rows, columns, panelBytes: (columns / unit) * tileBytes };
}

export function matrixBytes({ rows, panelBytes }: Matrix): number {
  return (wholePanels(rows) / panelRows) * panelBytes;
}

/** Typed views of a memory. */
export interface Views {
  readonly floats: Float32Array;
  readonly ints: Int32Array;
  readonly halves: Uint16Array;
  readonly bytes: Int8Array;
}

export function viewsOf(buffer: SharedArrayBuffer): Views {
  return {
    floats: new Float32Array(buffer),
    ints: new Int32Array(buffer),
    halves: new Uint16Array(buffer),
    bytes: new Int8Array(buffer),
  };
}

const rounding = new Float32Array(1);
const roundingBits = new Uint32Array(rounding.buffer);

const most8Bits = 127;

/** Returns the nearest bfloat16, ties to even, as the upper half of a float32. */
function toHalf(value: number): number {
  rounding[0] = value;
  const bits = roundingBits[0] as number;
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fc0;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

/** Returns the address of a weight. */
function addressOf({ format, at, panelBytes }: Matrix, row: number, column: number): number {
  const { columns: unit, tileBytes } = tileForms[format];
  const panel = at + (row >> 3) * panelBytes + Math.floor(column / unit) * tileBytes;
  return panel + tileOffset(format, row & 7, column % unit);
}

/** Writes one row of a matrix of floats, whose panels are eight rows wide. */
export function writeRow(
  views: Views,
  matrix: Matrix,
  row: number,
  values: Float32Array,
  from: number,
): void {
  const at = addressOf(matrix, row, 0);
  writeFloats(views, matrix.format, at, panelRows, values, from, matrix.columns);
}

/** Writes one column, which lies in pieces of eight rows. */
export function writeColumn(
  views: Views,
  matrix: Matrix,
  column: number,
  values: Float32Array,
  from: number,
): void {
  const { format, rows, panelBytes } = matrix;
  const at = addressOf(matrix, 0, column);
  for (let row = 0; row < rows; row++) {
    const to = at + (row >> 3) * panelBytes + tileOffset(format, row & 7, 0);
    writeFloats(views, format, to, 1, values, from + row, 1);
  }
}

/** @param step distance of two numbers in memory, in numbers */
function writeFloats(
  { floats, halves }: Views,
  format: WeightFormat,
  at: number,
  step: number,
  values: Float32Array,
  from: number,
  count: number,
): void {
  if (format === "float32")
    for (let i = 0; i < count; i++) floats[(at >>> 2) + i * step] = values[from + i] as number;
  else for (let i = 0; i < count; i++) halves[(at >>> 1) + i * step] = toHalf(values[from + i] as number);
}

/** Weights that are written between two yields: it takes some milliseconds. */
export const weightsPerPiece = 2 ** 19;

/**
 * Writes a whole matrix piece by piece.
 * @param values float32, row-major [rows, columns], or [columns, rows] if `transposed`
 * @param columnScales divisors of the columns before rounding; the vectors must be multiplied by them before products
 */
export function* writeMatrix(
  views: Views,
  matrix: Matrix,
  values: Float32Array,
  transposed: boolean,
  columnScales?: Float32Array,
): Generator<undefined> {
  const { rows, columns } = matrix;
  let written = 0;
  const source: Source = {
    values,
    rowStep: transposed ? 1 : columns,
    columnStep: transposed ? rows : 1,
    inverses: Float32Array.from({ length: columns }, (_, i) => 1 / (columnScales?.[i] ?? 1)),
  };
  for (let row = 0; row < rows; row += panelRows) {
    const count = Math.min(panelRows, rows - row);
    if (matrix.format === "int8") writeIntPanel(views, matrix, source, row, count);
    else writeFloatPanel(views, matrix, source, row, count);
    written += count * columns;
    if (written < weightsPerPiece) continue;
    written = 0;
    yield;
  }
}

interface Source {
  readonly values: Float32Array;
  readonly rowStep: number;
  readonly columnStep: number;
  /** Factors of the columns. */
  readonly inverses: Float32Array;
}

function writeFloatPanel(
  { floats, halves }: Views,
  matrix: Matrix,
  { values, rowStep, columnStep, inverses }: Source,
  row: number,
  count: number,
): void {
  const { format, columns } = matrix;
  const first = addressOf(matrix, row, 0);
  const { tileBytes } = tileForms[format];
  for (let column = 0; column < columns; column++) {
    const from = row * rowStep + column * columnStep;
    const inverse = inverses[column] as number;
    const at = first + column * tileBytes;
    for (let r = 0; r < count; r++) {
      const value = (values[from + r * rowStep] as number) * inverse;
      if (format === "float32") floats[(at >>> 2) + r] = value;
      else halves[(at + tileOffset("bfloat16", r, 0)) >>> 1] = toHalf(value);
    }
  }
}

/** Quantizes each row of each tile relative to its largest weight. */
function writeIntPanel(
  { floats, bytes }: Views,
  matrix: Matrix,
  { values, rowStep, columnStep, inverses }: Source,
  row: number,
  count: number,
): void {
  const { columns: unit } = tileForms.int8;
  const tile = new Float32Array(unit * panelRows);
  for (let first = 0; first < matrix.columns; first += unit) {
    for (let i = 0; i < unit; i++) {
      const from = row * rowStep + (first + i) * columnStep;
      const inverse = inverses[first + i] as number;
      for (let r = 0; r < count; r++) tile[r * unit + i] = (values[from + r * rowStep] as number) * inverse;
    }
    const at = addressOf(matrix, row, first);
    for (let r = 0; r < count; r++) {
      const from = r * unit;
      let largest = 0;
      for (let i = from; i < from + unit; i++) {
        const size = Math.abs(tile[i] as number);
        if (size > largest) largest = size;
      }
      floats[((at + scalesAt.weights) >>> 2) + r] = largest / most8Bits;
      const inverse = largest === 0 ? 0 : most8Bits / largest;
      for (let i = 0; i < unit; i++) {
        const value = (tile[from + i] as number) * inverse;
        bytes[at + tileOffset("int8", r, i)] = value < 0 ? value - 0.5 : value + 0.5;
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

/** Copies the first weights of one row as float32. */
export function readRow(views: Views, matrix: Matrix, row: number, out: Float32Array): void {
  const { format, at, panelBytes } = matrix;
  const { columns: unit, tileBytes } = tileForms[format];
  const panel = at + (row >> 3) * panelBytes;
  for (let column = 0; column < out.length; column++) {
    const tile = panel + Math.floor(column / unit) * tileBytes;
    const address = tile + tileOffset(format, row & 7, column % unit);
    if (format === "float32") out[column] = views.floats[address >>> 2] as number;
    else if (format === "bfloat16") {
      roundingBits[0] = (views.halves[address >>> 1] as number) << 16;
      out[column] = rounding[0] as number;
    } else {
      const scale = views.floats[((tile + scalesAt.weights) >>> 2) + (row & 7)] as number;
      out[column] = (views.bytes[address] as number) * scale;
    }
  }
}

/** Returns the size of a vector of this many numbers in the layout that a format's products use. */
export function vectorBytes(format: WeightFormat, columns: number): number {
  const { columns: unit, vectorBytes: ofTile } = tileForms[format];
  return (columns / unit) * ofTile;
}
