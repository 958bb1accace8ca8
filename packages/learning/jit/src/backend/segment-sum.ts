import type { HostArray } from "../base/spec.js";

/**
 * Adds each row of `values` to the row of `sums` that its segment names; rows of other segments are left out.
 * @param width number of values per row
 */
export function addRows(sums: HostArray, values: HostArray, segments: HostArray, width: number): void {
  const count = sums.length / width;
  segments.forEach((segment, row) => {
    if (segment < 0 || segment >= count) return;
    const to = segment * width;
    const from = row * width;
    for (let column = 0; column < width; column += 1) {
      sums[to + column] = (sums[to + column] ?? 0) + (values[from + column] ?? 0);
    }
  });
}
