/** The scale of one axis of a plot, and its ticks. */
export interface Axis {
  /** Returns the pixel position of a value. */
  at(value: number): number;
  readonly ticks: readonly number[];
}

export interface AxisRange {
  readonly min: number;
  readonly max: number;
}

/** Creates a linear axis over at least the range, with round ends and about `count` ticks. */
export function linearAxis(range: AxisRange, fromPx: number, toPx: number, count = 5): Axis {
  const span = range.max > range.min ? range.max - range.min : Math.abs(range.max) || 1;
  const step = roundStep(span / count);
  const low = Math.floor(range.min / step + 1e-9) * step;
  const high = Math.max(low + step, Math.ceil(range.max / step - 1e-9) * step);
  const steps = Math.round((high - low) / step);
  return {
    at: (value) => fromPx + ((value - low) / (high - low)) * (toPx - fromPx),
    // Ticks are multiplied and not summed, so that 0.30000000000000004 does not appear.
    ticks: Array.from({ length: steps + 1 }, (_, i) => Number((low + i * step).toPrecision(12))),
  };
}

/** Creates a logarithmic axis over positive values. Its ticks are the given values, thinned to at most `most`. */
export function logAxis(values: readonly number[], fromPx: number, toPx: number, most = 9): Axis {
  const sorted = [...new Set(values)].filter((value) => value > 0).sort((a, b) => a - b);
  const min = Math.log(sorted[0] ?? 1);
  const max = Math.log(sorted.at(-1) ?? 2);
  const span = max > min ? max - min : 1;
  const every = Math.ceil(sorted.length / most);
  return {
    at: (value) => fromPx + ((Math.log(value) - min) / span) * (toPx - fromPx),
    ticks: sorted.filter((_, i) => i % every === 0),
  };
}

/** Returns the next larger round number (1, 2 or 5 times a power of ten). */
function roundStep(raw: number): number {
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= raw * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Formats a number briefly: 1.5M, 24K, 0.25. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  const round = (scaled: number) => String(Number(scaled.toPrecision(4)));
  if (size >= 1e6) return `${round(value / 1e6)}M`;
  if (size >= 10_000) return `${round(value / 1e3)}K`;
  return round(value);
}
