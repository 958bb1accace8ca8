import type { KlConfig } from "../config/loss-config.js";
import { doubleAlgebra, doubleMatrix } from "../loss/double-algebra.js";
import { klEstimate } from "../loss/kl.js";
import type { GatheredRows } from "../rows/training-row.js";
import type { RowScores } from "./score-rows.js";

/**
 * Adds β · Σ KL(π_old ‖ reference) over a trajectory's trained tokens to the penalties of its reward: KL in the reward,
 * which verl's `use_kl_in_reward` sums in the same way for outcome rewards.
 */
export function klPenalties(
  gathered: GatheredRows,
  scores: RowScores,
  kl: KlConfig,
  coefficient: number,
): GatheredRows {
  const penalties = new Map(gathered.penalties);
  gathered.rows.forEach((row, index) => {
    const policy = scores.policy.get(index);
    const reference = scores.reference.get(index);
    if (policy === undefined || reference === undefined) return;
    const trained = [...row.lossMask.keys()].filter((place) => row.lossMask[place] === 1);
    const pick = (values: Float32Array) =>
      doubleMatrix([trained.map((place) => values[place] ?? Number.NaN)]);
    const estimate = klEstimate(doubleAlgebra, pick(policy), pick(reference), kl);
    const sum = estimate.values.reduce((total, value) => total + value, 0);
    penalties.set(row.trajectoryId, (penalties.get(row.trajectoryId) ?? 0) + coefficient * sum);
  });
  return { ...gathered, penalties };
}

/**
 * Returns β after an update whose KL was `klNats` per token: it changes by at most 20 % of `trajectories / horizon`.
 * Source: Ziegler et al., arXiv:1909.08593, section 2.2.
 */
export function nextKlCoefficient(
  coefficient: number,
  kl: KlConfig,
  klNats: number,
  trajectories: number,
): number {
  if (kl.adaptive === null) return coefficient;
  const error = Math.min(Math.max(klNats / kl.adaptive.target - 1, -0.2), 0.2);
  return Math.max(0, coefficient * (1 + (error * trajectories) / kl.adaptive.horizon));
}
