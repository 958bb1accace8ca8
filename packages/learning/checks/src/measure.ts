/** One number of a comparison with a reference, and its tolerance. */
export interface Measure {
  readonly name: string;
  readonly value: number;
  readonly bar: number;
  /** atMost: the value must not exceed the bar. atLeast: it must not fall below the bar. */
  readonly goal: "atMost" | "atLeast";
  /** The place where the worst value was found. */
  readonly where?: string;
}

/** Returns whether the value is within its tolerance; NaN never is. */
export function passes({ value, bar, goal }: Measure): boolean {
  return goal === "atMost" ? value <= bar : value >= bar;
}

/**
 * Returns the largest |actual − expected| of the elements for which `counts` is true; NaN if one of these is NaN,
 * Infinity if the lengths differ.
 */
export function maxDifference(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  counts: (index: number) => boolean = () => true,
): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (let i = 0; i < expected.length; i++) {
    // Math.max propagates NaN.
    if (counts(i)) largest = Math.max(largest, Math.abs((actual[i] as number) - (expected[i] as number)));
  }
  return largest;
}
