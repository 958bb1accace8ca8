/** How far numbers in [0, 1] are from a uniform distribution. */
export interface Uniformity {
  /** Largest distance between their distribution function and the uniform one. */
  readonly distance: number;
  /** Probability of at least this distance if the numbers are uniform; a small one is suspicious. */
  readonly pValue: number;
}

/**
 * Runs the Kolmogorov-Smirnov test of numbers against the uniform distribution on [0, 1].
 * Source: M. Stephens, JRSS B 32 (1970): the asymptotic distribution with a correction for small samples.
 */
export function kolmogorovSmirnov(values: readonly number[]): Uniformity {
  const n = values.length;
  if (n === 0) return { distance: 0, pValue: 1 };
  const sorted = [...values].sort((a, b) => a - b);
  let distance = 0;
  for (const [at, value] of sorted.entries()) {
    distance = Math.max(distance, (at + 1) / n - value, value - at / n);
  }
  const scaled = distance * (Math.sqrt(n) + 0.12 + 0.11 / Math.sqrt(n));
  let pValue = 0;
  for (let k = 1; k <= 100; k++)
    pValue += 2 * (k % 2 === 1 ? 1 : -1) * Math.exp(-2 * k * k * scaled * scaled);
  return { distance, pValue: scaled < 0.2 ? 1 : Math.min(1, Math.max(0, pValue)) };
}
