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

/** Judges predictions. A failure to judge is an error, never a zero. */
export interface Scorer {
  /** Changes whenever the same prediction may be scored otherwise: then kept predictions are scored again. */
  readonly name: string;
  /** The first is the one that plots and comparisons show. At least one. */
  readonly metrics: readonly Metric[];
  /** Whether a prediction without text is judged as well; absent: it scores 0 in everything. */
  readonly judgesEmpty?: boolean;
  score(
    item: EvalItem,
    prediction: Prediction,
    signal: AbortSignal,
  ): Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>;
}
