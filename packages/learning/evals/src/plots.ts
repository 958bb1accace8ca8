import type { Evaluation } from "./length-results.js";
import { linePlot, type PlotSeries } from "./line-plot.js";

/** The mean reward of one training step. */
export interface RewardPoint {
  readonly step: number;
  /** Mean reward of the step's episodes. */
  readonly reward: number;
}

/** Plots the reward by training step, with each step's value pale behind a moving average. */
export function rewardPlot(curve: readonly RewardPoint[]): string {
  const window = Math.max(1, Math.round(curve.length / 15));
  const points = curve.map(({ step, reward }) => ({ x: step, y: reward }));
  const smooth = points.map(({ x }, i) => {
    const recent = points.slice(Math.max(0, i - window + 1), i + 1);
    return { x, y: recent.reduce((sum, point) => sum + point.y, 0) / recent.length };
  });
  const average = { name: window > 1 ? `mean of the last ${window} steps` : "mean reward", points: smooth };
  return linePlot({
    title: "Reward while training",
    xLabel: "training step",
    yLabel: "mean reward",
    series: window > 1 ? [{ name: "each step", points, faint: true }, average] : [average],
    yMin: 0,
    yMax: 1,
  });
}

/** Plots exact match by document length with 95 % intervals, one line per evaluation. */
export function exactMatchPlot(
  evaluations: readonly { readonly name: string; readonly evaluation: Evaluation }[],
): string {
  return linePlot({
    title: "Exact match by document length",
    xLabel: "document tokens (log scale)",
    yLabel: "exact match, 95 % interval",
    xScale: "log",
    series: evaluations.map(
      ({ name, evaluation }): PlotSeries => ({
        name,
        points: evaluation.lengths.flatMap(({ lengthTokens, exactMatch, exactMatchInterval }) =>
          exactMatch === null ? [] : [{ x: lengthTokens, y: exactMatch, ...exactMatchInterval }],
        ),
      }),
    ),
    yMin: 0,
    yMax: 1,
  });
}

/** Plots the time per document token by length, which is flat when the cost is linear in length. */
export function timePerTokenPlot(evaluation: Evaluation): string {
  return linePlot({
    title: "Time per document token",
    xLabel: "document tokens (log scale)",
    yLabel: "microseconds",
    xScale: "log",
    series: [
      {
        name: "wall clock over document tokens",
        points: evaluation.lengths.map(({ lengthTokens, microsecondsPerDocumentToken }) => ({
          x: lengthTokens,
          y: microsecondsPerDocumentToken,
        })),
      },
    ],
    yMin: 0,
  });
}

/** Plots the peak resident set by length, which is flat when memory does not grow with length. */
export function peakMemoryPlot(evaluation: Evaluation): string {
  return linePlot({
    title: "Peak memory of the process",
    xLabel: "document tokens (log scale)",
    yLabel: "MiB, resident",
    xScale: "log",
    series: [
      {
        name: "peak resident set",
        points: evaluation.lengths.map(({ lengthTokens, peakRssBytes }) => ({
          x: lengthTokens,
          y: peakRssBytes / 2 ** 20,
        })),
      },
    ],
    yMin: 0,
  });
}
