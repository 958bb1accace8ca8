import type { EvalItem } from "./item.js";
import type { Prediction } from "./system.js";

/** A number that every answered item gets. */
export interface Metric {
  /** Key in the scores, such as "exactMatch". */
  readonly name: string;
  /** Heading in the report, such as "EM". */
  readonly label: string;
  /** share: 0 or 1 (Wilson interval, McNemar test); mean: any number (bootstrap interval, permutation test). */
  readonly kind: "share" | "mean";
}

/** Scores predictions. A failure to score is an error, and never a zero. */
export interface Scorer {
  /** Changes whenever the same prediction may be scored differently, so that cached predictions are scored again. */
  readonly name: string;
  /** The metrics, at least one. Plots and comparisons show the first. */
  readonly metrics: readonly Metric[];
  /** Whether predictions without text are scored as well. Absent: they score 0 in everything. */
  readonly judgesEmpty?: boolean;
  score(
    item: EvalItem,
    prediction: Prediction,
    signal: AbortSignal,
  ): Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>;
}
