/**
 * Computes an exponential average without a bias toward zero at the beginning. Missing values stay missing.
 * @param weight weight of earlier values, in [0, 1)
 */
export function smoothed(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return [...values];
  let sum = 0;
  let norm = 0;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    sum = weight * sum + (1 - weight) * value;
    norm = weight * norm + (1 - weight);
    return sum / norm;
  });
}

export interface Curve {
  readonly run: string;
  readonly steps: readonly number[];
  readonly values: readonly (number | null)[];
}

/** Aligns the curves of several runs over the union of their steps. */
export function overlaid(curves: readonly Curve[]): {
  readonly steps: number[];
  readonly values: (number | null)[][];
} {
  const steps = [...new Set(curves.flatMap((curve) => curve.steps))].sort((a, b) => a - b);
  const place = new Map(steps.map((step, at) => [step, at]));
  const values = curves.map((curve) => {
    const own = new Array<number | null>(steps.length).fill(null);
    curve.steps.forEach((step, at) => {
      own[place.get(step) ?? 0] = curve.values[at] ?? null;
    });
    return own;
  });
  return { steps, values };
}
