/** The median of the values. See `medianRange` for its confidence interval. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/**
 * The range of order statistics that contains the true median with a probability of at least 95 %, for any
 * distribution.
 */
export function medianRange(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  let below = 0.5 ** n;
  let left = 0;
  let choose = 1;
  while (left + 1 < n / 2) {
    choose = (choose * (n - left)) / (left + 1);
    if (below + choose * 0.5 ** n > 0.025) break;
    below += choose * 0.5 ** n;
    left += 1;
  }
  return [sorted[left] ?? Number.NaN, sorted[n - 1 - left] ?? Number.NaN];
}
