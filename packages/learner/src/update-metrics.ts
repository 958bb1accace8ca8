import type { ResolvedLearnerConfig } from "./config.js";
import { meanAndStd, type TokenStatistics, tokenStatistics } from "./metrics.js";
import type { MicroBatch, MicroBatchArrays } from "./micro-batches.js";
import type { Outputs, StepResult } from "./optimizer-step.js";
import type { RowBatch, TrainingRow } from "./rows.js";

/** What one update did. Logs in nats; fractions in [0, 1]; token statistics are means over trained tokens. */
export interface UpdateMetrics extends TokenStatistics {
  /** Of the weights after the update. */
  readonly policyVersion: number;
  /** Optimiser steps done since the learner's first. */
  readonly step: number;
  /** Mean over the update's optimiser steps. */
  readonly loss: number;
  /** Before clipping; mean over the update's optimiser steps. */
  readonly gradientNorm: number;
  /** Of the last optimiser step. */
  readonly learningRate: number;
  readonly rewardMean: number;
  /** Population standard deviation over trajectories. */
  readonly rewardStd: number;
  /** Every part of the reward by name, over the trajectories that have it. */
  readonly rewardComponents: Readonly<Record<string, { readonly mean: number; readonly std: number }>>;
  readonly advantageStd: number;
  readonly groups: number;
  readonly trajectories: number;
  /** Groups whose rewards are all the same, as a fraction of all. */
  readonly zeroVarianceFraction: number;
  /** Groups of which one episode was left. */
  readonly singletonGroups: number;
  readonly rows: number;
  readonly emptyConversations: number;
  readonly conversationsPerTrajectory: number;
  /** Tokens of the rows, prompts included, padding not. */
  readonly rowTokens: number;
  /** Fraction of the computed token places that was padding. */
  readonly paddingFraction: number;
  readonly microBatches: number;
  readonly optimizerSteps: number;
  /** Policy versions between the weights that sampled a row and those it trained, over rows. */
  readonly stalenessMean: number;
  readonly stalenessMax: number;
  readonly durationMs: number;
  /** Row tokens a second, each pass counted. */
  readonly tokensPerSecond: number;
}

/** Gathers an update's metrics while its steps run. */
export interface UpdateRecorder {
  /** Adds the tokens of a micro-batch. `untouched`: no step of this update has changed the weights yet. */
  addTokens(
    rows: readonly TrainingRow[],
    batch: MicroBatch,
    arrays: MicroBatchArrays,
    outputs: Outputs,
    untouched: boolean,
  ): void;
  addStep(result: StepResult, learningRate: number): void;
  tokens(): TokenStatistics;
  /** Optimiser steps recorded so far. */
  steps(): number;
  finish(after: { policyVersion: number; step: number; durationMs: number }): UpdateMetrics;
}

/** @param policyVersion of the weights before the update */
export function recordUpdate(
  batch: RowBatch,
  config: ResolvedLearnerConfig,
  policyVersion: number,
): UpdateRecorder {
  const statistics = tokenStatistics(config.loss);
  const steps: (StepResult & { readonly learningRate: number })[] = [];
  return {
    addTokens(rows, microBatch, arrays, outputs, untouched) {
      const width = microBatch.bucket.length - 1;
      const { policyLogprobs, refLogprobs, entropy } = outputs;
      microBatch.rowIndices.forEach((rowIndex, r) => {
        const row = rows[rowIndex];
        if (row === undefined) return;
        const fresh = untouched && row.policyVersion === policyVersion;
        for (let at = r * width; at < r * width + row.tokenIds.length - 1; at++) {
          if (arrays.lossMask[at] === 0) continue;
          const refLogprob = refLogprobs?.[at];
          statistics.add({
            policyLogprob: policyLogprobs?.[at] ?? Number.NaN,
            rolloutLogprob: arrays.rolloutLogprobs[at] ?? Number.NaN,
            advantage: row.advantage,
            entropy: entropy?.[at] ?? 0,
            fresh,
            ...(refLogprob === undefined ? {} : { refLogprob }),
          });
        }
      });
    },
    addStep(result, learningRate) {
      steps.push({ ...result, learningRate });
    },
    tokens: () => statistics.result(),
    steps: () => steps.length,
    finish({ policyVersion: after, step, durationMs }) {
      const { rows, advantages, members } = batch;
      const rewards = meanAndStd(members.map(({ score }) => score.reward));
      const staleness = rows.map((row) => policyVersion - row.policyVersion);
      const rowTokens = rows.reduce((sum, row) => sum + row.tokenIds.length, 0);
      const passTokens = rowTokens * config.epochs;
      const computed = steps.reduce((sum, result) => sum + result.computedTokens, 0);
      return {
        ...statistics.result(),
        policyVersion: after,
        step,
        loss: meanAndStd(steps.map((result) => result.loss)).mean,
        gradientNorm: meanAndStd(steps.map((result) => result.gradientNorm)).mean,
        learningRate: steps.at(-1)?.learningRate ?? 0,
        rewardMean: rewards.mean,
        rewardStd: rewards.std,
        rewardComponents: componentsOf(batch),
        advantageStd: meanAndStd([...advantages.byTrajectory.values()]).std,
        groups: advantages.groups,
        trajectories: members.length,
        zeroVarianceFraction: advantages.zeroVarianceGroups.length / Math.max(advantages.groups, 1),
        singletonGroups: advantages.singletonGroups.length,
        rows: rows.length,
        emptyConversations: batch.emptyConversations,
        conversationsPerTrajectory: (rows.length + batch.emptyConversations) / Math.max(members.length, 1),
        rowTokens,
        paddingFraction: computed === 0 ? 0 : 1 - passTokens / computed,
        microBatches: steps.reduce((sum, result) => sum + result.microBatches, 0),
        optimizerSteps: steps.length,
        stalenessMean: meanAndStd(staleness).mean,
        stalenessMax: staleness.reduce((max, value) => Math.max(max, value), 0),
        durationMs,
        tokensPerSecond: (passTokens / durationMs) * 1000,
      };
    },
  };
}

function componentsOf(batch: RowBatch): UpdateMetrics["rewardComponents"] {
  const values = new Map<string, number[]>();
  for (const { score } of batch.members) {
    for (const [name, value] of Object.entries(score.components)) {
      const list = values.get(name);
      if (list === undefined) values.set(name, [value]);
      else list.push(value);
    }
  }
  return Object.fromEntries([...values].map(([name, list]) => [name, meanAndStd(list)]));
}
