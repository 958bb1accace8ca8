/** Reorders the rows of each head from [pair, half] to [half, pair]. */
export function separateHalves(values: Float32Array, heads: number, headDim: number): Float32Array {
  const width = values.length / (heads * headDim);
  const result = new Float32Array(values.length);
  for (let head = 0; head < heads; head++) {
    for (let row = 0; row < headDim; row++) {
      const from = (head * headDim + 2 * (row % (headDim / 2)) + Math.floor(row / (headDim / 2))) * width;
      result.set(values.subarray(from, from + width), (head * headDim + row) * width);
    }
  }
  return result;
}
