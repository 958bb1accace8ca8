/** Number of rows that are moved together: as many as a cache line has float32 values. */
const tile = 16;

/**
 * Writes a piece of a [rows, columns] tensor, transposed, to its position in a stack.
 * @param values row-major, from element `offset` of the tensor on; pieces need not contain whole rows
 * @param into  the stack; the tensor's transpose begins at `start`, as [columns, rows]
 */
export function placeTransposed(
  values: Float32Array,
  offset: number,
  into: Float32Array,
  { start, rows, columns }: { readonly start: number; readonly rows: number; readonly columns: number },
): void {
  let at = 0;
  while (at < values.length) {
    const [row, column] = [Math.floor((offset + at) / columns), (offset + at) % columns];
    const whole = column === 0 ? Math.min(tile, Math.floor((values.length - at) / columns)) : 0;
    if (whole === 0) {
      // The piece begins within a row or ends before a row does, so these values are copied one by one.
      const length = Math.min(columns - column, values.length - at);
      for (let i = 0; i < length; i++) into[start + (column + i) * rows + row] = values[at + i] as number;
      at += length;
      continue;
    }
    for (let c = 0; c < columns; c++) {
      const to = start + c * rows + row;
      for (let r = 0; r < whole; r++) into[to + r] = values[at + r * columns + c] as number;
    }
    at += whole * columns;
  }
}

/**
 * Does the reverse of `placeTransposed`: fills `into` with rows of the [rows, columns] tensor whose transpose is in a
 * stack.
 * @param into whole rows, from `firstRow` on
 */
export function takeTransposed<Values extends Float32Array | Uint16Array>(
  stack: Values,
  { start, rows, columns }: { readonly start: number; readonly rows: number; readonly columns: number },
  firstRow: number,
  into: Values,
): void {
  const count = into.length / columns;
  for (let row = 0; row < count; row += tile) {
    const whole = Math.min(tile, count - row);
    for (let c = 0; c < columns; c++) {
      const from = start + c * rows + firstRow + row;
      for (let r = 0; r < whole; r++) into[(row + r) * columns + c] = stack[from + r] as number;
    }
  }
}
