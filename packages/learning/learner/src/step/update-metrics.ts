import { entry } from "@palimpsest/jit";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { type ImportanceStatistics, importanceStatistics } from "../loss/importance-statistics.js";
import { meanAndStd, type TokenSample, type TokenStatistics, tokenStatistics } from "../loss/metrics.js";
import type { MicroBatchArrays } from "../rows/micro-batches.js";
import type { RowBatch, TrainingRow } from "../rows/training-row.js";
import { type BatchMetrics, batchMetrics } from "./batch-metrics.js";
import type { Outputs, StepResult } from "./step-request.js";

/** The metrics of one update. Logs in nats; fractions in [0, 1]; token statistics are means over trained tokens. */
export interface UpdateMetrics extends TokenStatistics, ImportanceStatistics, BatchMetrics {
  /** Version of the weights after the update. */
  readonly policyVersion: number;
  /** Number of optimizer steps done since the learner's first. */
  readonly step: number;
  /** Mean loss over the update's optimizer steps. */
  readonly loss: number;
  /** Gradient norm before clipping, mean over the update's optimizer steps. */
  readonly gradientNorm: number;
  /** Learning rate of the last optimizer step. */
  readonly learningRate: number;
  /** β of this update. */
  readonly klCoefficient: number;
  /** Fraction of the computed token positions that was padding. */
  readonly paddingFraction: number;
  /** Number of micro-batches that were computed. */
  readonly microBatches: number;
  /** Number of applied steps. */
  readonly optimizerSteps: number;
  /** Steps that `gradientGate` skipped. */
  readonly stepsSkippedByGradient: number;
  /** Whether `maxPolicyKl` ended the update early. */
  readonly stoppedByPolicyKl: boolean;
  /** Time of the update. */
  readonly durationMs: number;
  /** Row tokens per second, each pass counted. */
  readonly tokensPerSecond: number;
  /** Teraflops per second that the model's forward and backward passes count for: see `trainingFlops`. */
  readonly modelTeraflops: number;
  /** The same as a fraction of the configured `peakTeraflops`; null if none is configured. */
  readonly modelFlopUtilization: number | null;
}

interface FinishedUpdate {
  readonly policyVersion: number;
  readonly step: number;
  readonly durationMs: number;
  readonly klCoefficient: number;
  /** Operations of one training pass over the batch's rows. */
  readonly flops: number;
}

/** Collects an update's metrics while its steps run. */
export interface UpdateRecorder {
  beginStep(): void;
  /** Adds the tokens of a micro-batch. `untouched`: whether no step of this update has changed the weights yet. */
  addTokens(
    rows: readonly TrainingRow[],
    arrays: MicroBatchArrays,
    outputs: Outputs,
    untouched: boolean,
  ): void;
  /** `skipped`: why the step was not applied, if it was not. */
  addStep(result: StepResult, learningRate: number, skipped: "gradient" | "policyKl"): void;
  tokens(): TokenStatistics;
  /** Mean k3 of the policy from π_old over the tokens since `beginStep`. */
  stepPolicyKl(): number;
  /** Number of optimizer steps applied so far. */
  steps(): number;
  finish(after: FinishedUpdate): UpdateMetrics;
}

/** Returns whether these weights sampled the row. Truncation raises the probabilities of what it keeps, so truncated rows cannot be compared. */
export function isFresh(
  row: Pick<TrainingRow, "policyVersion" | "truncated">,
  policyVersion: number,
): boolean {
  return row.policyVersion === policyVersion && !row.truncated;
}

/** @param policyVersion version of the weights before the update */
export function recordUpdate(
  batch: RowBatch,
  config: ResolvedLearnerConfig,
  policyVersion: number,
): UpdateRecorder {
  const statistics = tokenStatistics(config.loss);
  const importance = importanceStatistics(config.importance);
  const steps: (StepResult & { readonly learningRate: number })[] = [];
  const skippedBy = { gradient: 0, policyKl: 0 };
  let stepTokens = 0;
  let stepKl = 0;
  return {
    beginStep() {
      stepTokens = 0;
      stepKl = 0;
    },
    addTokens(rows, arrays, outputs, untouched) {
      const { policyLogprobs, refLogprobs, entropy } = outputs;
      const { rowOfToken, lossMask, onPolicy, oldLogprobs, rolloutLogprobs } = arrays;
      // One object for all tokens: an update has many thousands, and the device waits for them.
      const token: { -readonly [Name in keyof TokenSample]: TokenSample[Name] } = {
        ...{ policyLogprob: 0, oldLogprob: 0, rolloutLogprob: 0, advantage: 0, entropy: 0, fresh: false },
      };
      let last = -1;
      for (let at = 0; at < rowOfToken.length; at++) {
        const rowIndex = rowOfToken[at] as number;
        if (rowIndex < 0 || lossMask[at] === 0) continue;
        if (rowIndex !== last) {
          const row = entry(rows, rowIndex);
          last = rowIndex;
          token.advantage = row.advantage;
          token.fresh = untouched && isFresh(row, policyVersion);
        }
        const policyLogprob = policyLogprobs?.[at] ?? Number.NaN;
        const oldLogprob = onPolicy[at] === 1 ? policyLogprob : (oldLogprobs[at] ?? Number.NaN);
        const logRatio = policyLogprob - oldLogprob;
        stepTokens += 1;
        if (logRatio !== 0) stepKl += Math.expm1(logRatio) - logRatio;
        token.policyLogprob = policyLogprob;
        token.oldLogprob = oldLogprob;
        token.rolloutLogprob = rolloutLogprobs[at] ?? Number.NaN;
        token.entropy = entropy?.[at] ?? 0;
        if (refLogprobs !== undefined) token.refLogprob = refLogprobs[at] ?? Number.NaN;
        importance.add(rowIndex, oldLogprob, token.rolloutLogprob);
        statistics.add(token);
      }
      importance.endRows();
    },
    addStep(result, learningRate, skipped) {
      steps.push({ ...result, learningRate });
      if (!result.applied) skippedBy[skipped] += 1;
    },
    stepPolicyKl: () => (stepTokens === 0 ? 0 : stepKl / stepTokens),
    tokens: () => statistics.result(),
    steps: () => steps.filter((step) => step.applied).length,
    finish({ policyVersion: after, step, durationMs, klCoefficient, flops }) {
      const described = batchMetrics(batch, policyVersion);
      const passTokens = described.rowTokens * config.epochs;
      const computed = steps.reduce((sum, result) => sum + result.computedTokens, 0);
      const modelTeraflops = (flops * config.epochs) / (durationMs / 1000) / 1e12;
      const peak = config.peakTeraflops;
      return {
        ...statistics.result(),
        ...importance.result(),
        ...described,
        policyVersion: after,
        step,
        loss: meanAndStd(steps.map((result) => result.loss)).mean,
        gradientNorm: meanAndStd(steps.map((result) => result.gradientNorm)).mean,
        learningRate: steps.at(-1)?.learningRate ?? 0,
        klCoefficient,
        paddingFraction: computed === 0 ? 0 : 1 - passTokens / computed,
        microBatches: steps.reduce((sum, result) => sum + result.microBatches, 0),
        optimizerSteps: steps.length - skippedBy.gradient - skippedBy.policyKl,
        stepsSkippedByGradient: skippedBy.gradient,
        stoppedByPolicyKl: skippedBy.policyKl > 0,
        durationMs,
        tokensPerSecond: (passTokens / durationMs) * 1000,
        modelTeraflops,
        modelFlopUtilization: peak === null ? null : modelTeraflops / peak,
      };
    },
  };
}
