/** A two-sided 95 % interval; within [0, 1] for fractions, within [-1, 1] for differences. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 0.975 quantile of the standard normal distribution. */
const z = 1.959963984540054;

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

/**
 * Returns the Wilson score interval of a fraction, which keeps its 95 % coverage for small n and for fractions near 0
 * and 1, where the usual p ± 2 SE has no width. Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927).
 * @param n at least 1; with 0 nothing is known and the interval is all of [0, 1]
 */
export function wilsonInterval(successes: number, n: number): Interval {
  if (n === 0) return { low: 0, high: 1 };
  const p = successes / n;
  const center = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return {
    low: successes === 0 ? 0 : clamp(center - half, 0, 1),
    high: successes === n ? 1 : clamp(center + half, 0, 1),
  };
}

/** Counts of the tasks by whether they were right before and after. */
export interface PairedCounts {
  readonly bothRight: number;
  readonly onlyAfter: number;
  readonly onlyBefore: number;
  readonly bothWrong: number;
}

/**
 * Returns the interval of the difference of two fractions, computed from the two score intervals. Source: R. G.
 * Newcombe, Stat. Med. 17 (1998) 873–890 (method 10; φ = 0: independent samples) and 2635–2650.
 */
export function differenceInterval(
  after: { readonly share: number; readonly interval: Interval },
  before: { readonly share: number; readonly interval: Interval },
  phi = 0,
): Interval {
  const difference = after.share - before.share;
  const side = (a: number, b: number) => Math.sqrt(Math.max(0, a * a - 2 * phi * a * b + b * b));
  const down = side(after.share - after.interval.low, before.interval.high - before.share);
  const up = side(after.interval.high - after.share, before.share - before.interval.low);
  return { low: clamp(difference - down, -1, 1), high: clamp(difference + up, -1, 1) };
}

/** Returns the difference after − before over the same tasks, with Newcombe's paired score interval. */
export function pairedDifference(counts: PairedCounts): {
  difference: number;
  interval: Interval;
  n: number;
} {
  const { bothRight: a, onlyAfter: b, onlyBefore: c, bothWrong: d } = counts;
  const n = a + b + c + d;
  if (n === 0) return { difference: 0, interval: { low: -1, high: 1 }, n };
  const share = (successes: number) => ({ share: successes / n, interval: wilsonInterval(successes, n) });
  const margins = (a + b) * (c + d) * (a + c) * (b + d);
  const cross = a * d - b * c;
  // The correlation is continuity-corrected: small positive values count as none.
  const corrected = cross > n / 2 ? cross - n / 2 : Math.min(0, cross);
  const phi = margins === 0 ? 0 : corrected / Math.sqrt(margins);
  return { difference: (b - c) / n, interval: differenceInterval(share(a + b), share(a + c), phi), n };
}

/**
 * Returns the exact two-sided McNemar p: the probability of so uneven a split of the changed tasks if nothing changed.
 */
export function mcNemarP(counts: PairedCounts): number {
  const changed = counts.onlyAfter + counts.onlyBefore;
  const least = Math.min(counts.onlyAfter, counts.onlyBefore);
  // The binomial tail at 1/2 is summed from logarithms, so that it does not underflow.
  let logTerm = -changed * Math.log(2);
  let tail = 0;
  for (let k = 0; k <= least; k++) {
    tail += Math.exp(logTerm);
    logTerm += Math.log((changed - k) / (k + 1));
  }
  return Math.min(1, 2 * tail);
}
