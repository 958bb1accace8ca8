import type { ImportanceConfig } from "../config/loss-config.js";
import { doubleAlgebra, doubleMatrix } from "./double-algebra.js";
import { importanceWeights } from "./importance.js";

/**
 * Statistics of the weights that correct the sampler/trainer mismatch, over trained tokens. Without a correction they
 * are 1, 1 and 0.
 */
export interface ImportanceStatistics {
  /** Mean weight of the importance correction. */
  readonly importanceMean: number;
  /** Largest weight. */
  readonly importanceMax: number;
  /** Fraction of tokens whose weight is 0. */
  readonly importanceZeroFraction: number;
}

/** Computes them on the host, in float64, with the same formula as in training. */
export function importanceStatistics(config: ImportanceConfig): {
  /** Adds a trained token of row `row`. */
  add(row: number, oldLogprob: number, rolloutLogprob: number): void;
  /** Call this when all tokens of all rows added since the last call are complete. */
  endRows(): void;
  result(): ImportanceStatistics;
} {
  const open = new Map<number, { readonly old: number[]; readonly rollout: number[] }>();
  let tokens = 0;
  let sum = 0;
  let max = 0;
  let zeros = 0;
  return {
    add(row, oldLogprob, rolloutLogprob) {
      if (config.kind === "none") return;
      let pair = open.get(row);
      if (pair === undefined) {
        pair = { old: [], rollout: [] };
        open.set(row, pair);
      }
      pair.old.push(oldLogprob);
      pair.rollout.push(rolloutLogprob);
    },
    endRows() {
      if (config.kind === "none") return;
      for (const { old, rollout } of open.values()) {
        const given = {
          oldLogprobs: doubleMatrix([old]),
          rolloutLogprobs: doubleMatrix([rollout]),
          lossMask: doubleMatrix([old.map(() => 1)]),
        };
        const weights = importanceWeights(doubleAlgebra, given, config).values;
        for (let i = 0; i < old.length; i++) {
          const weight = weights[weights.length === 1 ? 0 : i] ?? Number.NaN;
          tokens += 1;
          sum += weight;
          max = Math.max(max, weight);
          if (weight === 0) zeros += 1;
        }
      }
      open.clear();
    },
    result: () =>
      tokens === 0
        ? { importanceMean: 1, importanceMax: 1, importanceZeroFraction: 0 }
        : { importanceMean: sum / tokens, importanceMax: max, importanceZeroFraction: zeros / tokens },
  };
}
