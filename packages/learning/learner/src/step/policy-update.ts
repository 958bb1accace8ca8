/**
 * Responsibility: one update of the policy: rows, π_old, advantages, and the optimizer steps of every epoch.
 * Not responsible for: counters and random state, which the learner keeps; what a step computes.
 *
 * POLICYUPDATE-1. π_old is computed from the weights before the update's first step, by the learner's own forward pass
 *     (`recompute`): the first step's ratios are exactly 1, and the sampler's batching cannot affect the weights.
 * POLICYUPDATE-2. Rows that older weights sampled keep the sampler's log-probs as π_old, unless an importance correction compares
 *     the two.
 */

import { entry, type JitModule } from "@palimpsest/jit";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import type { Random } from "../config/random.js";
import { aggregationWeights } from "../loss/aggregation.js";
import type { GroupAdvantage } from "../loss/define-advantage.js";
import { assignAdvantages } from "../rows/advantage-assignment.js";
import { trainedTokens } from "../rows/dealt-row.js";
import type { GatheredRows, RowBatch, TrainingRow } from "../rows/training-row.js";
import { checkFresh, type EarlierDifferences } from "../state/fresh-checks.js";
import { learningRateAt } from "../state/schedule.js";
import type { Together } from "../together/together.js";
import { klPenalties } from "./kl-reward.js";
import { optimizerStep } from "./optimizer-step.js";
import { type RowScores, scoreRows } from "./score-rows.js";
import type { AtOnce, StepResult } from "./step-request.js";
import type { TrainedTokens } from "./trained-tokens.js";
import { isFresh, recordUpdate, type UpdateRecorder } from "./update-metrics.js";

export interface PolicyUpdate {
  readonly module: JitModule;
  readonly config: ResolvedLearnerConfig;
  /** The estimator that a module exports. */
  readonly ownAdvantage: GroupAdvantage | undefined;
  /** Selects the mini-batches. */
  readonly random: Random;
  /** Version of the weights before the update. */
  readonly policyVersion: number;
  readonly klCoefficient: number;
  /** Number of optimizer steps done since the learner's first. */
  readonly step: () => number;
  /** How far apart sampler and learner were in the last updates. */
  readonly earlier: EarlierDifferences;
  /** Whether no step was ever applied to these weights. */
  readonly untouched: boolean;
  /** Called after each optimizer step. */
  readonly onStep: (result: StepResult) => void;
  /** Collects what traces show of tokens. Default: nothing is kept. */
  readonly tokens?: TrainedTokens | undefined;
  readonly signal: AbortSignal | undefined;
  /** Set if several learners train together. */
  readonly together: Together | undefined;
}

/** The progress of an update, filled while it runs, so that a failure can report how far it came. */
export interface UpdateProgress {
  recorder?: UpdateRecorder;
  trainedRows?: readonly TrainingRow[];
}

/** @throws {LearnerError} as `Learner.update` */
export async function runUpdate(
  gathered: GatheredRows,
  update: PolicyUpdate,
  progress: UpdateProgress,
): Promise<UpdateRecorder> {
  const { config, random } = update;
  const scores: RowScores = { policy: new Map(), reference: new Map() };
  const score = (indices: readonly number[]) =>
    scoreRows(update.module, config, gathered.rows, indices, scores, update.signal, update.together);
  const all = gathered.rows.map((_, index) => index);
  let penalized = gathered;
  if (config.kl.in === "reward" && update.klCoefficient > 0) {
    await score(all);
    penalized = klPenalties(gathered, scores, config.kl, update.klCoefficient);
  }
  const batch = assignAdvantages(penalized, config, update.ownAdvantage);
  const trained = trainedRows(batch, config);
  progress.trainedRows = trained.map((index) => entry(batch.rows, index));
  const recorder = recordUpdate({ ...batch, rows: progress.trainedRows }, config, update.policyVersion);
  update.tokens?.begin(batch.rows);
  progress.recorder = recorder;
  const own = all.map((index) => hasOwnOld(batch.rows[index], update));
  for (let epoch = 0; epoch < config.epochs; epoch++) {
    const parts = miniBatches(batch, trained, config.miniBatches, random);
    if (epoch === 0) {
      // The first part's log-probs come out of its own step.
      const later = parts.slice(1).flat();
      await score(later.filter((index) => own[index] && !scores.policy.has(index)));
    }
    for (const [place, part] of parts.entries()) {
      const first = epoch === 0 && place === 0;
      const rows = part.map((index) => {
        const row = entry(batch.rows, index);
        if (!own[index]) return row;
        if (first) return { ...row, onPolicy: true };
        const oldLogprobs = scores.policy.get(index);
        return oldLogprobs === undefined ? row : { ...row, oldLogprobs };
      });
      const keep = (row: number, place: number, logprob: number) => {
        const index = part[row];
        if (index === undefined || !own[index]) return;
        let kept = scores.policy.get(index);
        if (kept === undefined) {
          kept = new Float32Array(rows[row]?.tokenIds.length ?? 0);
          scores.policy.set(index, kept);
        }
        kept[place] = logprob;
      };
      const onToken = first && config.epochs > 1 ? keep : undefined;
      const result = await policyStep(rows, update, recorder, first, onToken);
      if (result === "moved too far") return recorder;
    }
  }
  return recorder;
}

function hasOwnOld(row: TrainingRow | undefined, { config, policyVersion }: PolicyUpdate): boolean {
  if (row === undefined || config.oldLogprobs === "rollout") return false;
  return row.policyVersion === policyVersion || config.importance.kind !== "none";
}

/** Returns the indices of the rows that are computed: see `zeroVariance`. */
function trainedRows({ rows }: RowBatch, { zeroVariance }: ResolvedLearnerConfig): number[] {
  const teaching = new Set(rows.filter(({ advantage }) => advantage !== 0).map(({ groupId }) => groupId));
  const all = zeroVariance === "train" || teaching.size === 0;
  return rows.flatMap(({ groupId }, index) => (all || teaching.has(groupId) ? [index] : []));
}

/** Returns the row indices of each optimizer step of one pass: groups are distributed evenly, and shuffled if there are several steps. */
function miniBatches(
  batch: RowBatch,
  indices: readonly number[],
  count: number,
  random: Random,
): (readonly number[])[] {
  if (count === 1) return [indices];
  const groupIds = random.shuffle([...new Set(indices.map((index) => batch.rows[index]?.groupId ?? ""))]);
  const place = new Map(groupIds.map((id, index) => [id, index % count]));
  const parts = Array.from({ length: count }, (_, part) =>
    indices.filter((index) => place.get(batch.rows[index]?.groupId ?? "") === part),
  );
  return parts.filter((part) => part.length > 0);
}

async function policyStep(
  rows: readonly (TrainingRow & { readonly onPolicy?: boolean })[],
  update: PolicyUpdate,
  recorder: UpdateRecorder,
  first: boolean,
  onToken: ((row: number, place: number, policyLogprob: number) => void) | undefined,
): Promise<"done" | "moved too far"> {
  const { config } = update;
  const extents = rows.map((row) => ({ tokens: trainedTokens(row), trajectoryId: row.trajectoryId }));
  const learningRate = learningRateAt(update.step(), config.schedule);
  let movedTooFar = false;
  recorder.beginStep();
  const result = await optimizerStep(update.module, config, {
    objective: "policy",
    rows,
    weights: aggregationWeights(extents, config.aggregation, config.normTokens),
    klCoefficient: update.klCoefficient,
    learningRate,
    step: update.step(),
    signal: update.signal,
    together: update.together,
    onMicroBatch: (_batch, arrays, outputs) => {
      recorder.addTokens(rows, arrays, outputs, first);
      update.tokens?.add(rows, arrays, outputs);
      if (onToken === undefined) return;
      arrays.rowOfToken.forEach((row, at) => {
        if (row >= 0 && arrays.lossMask[at] !== 0)
          onToken(row, arrays.placeInRow[at] ?? 0, outputs["policyLogprobs"]?.[at] ?? Number.NaN);
      });
    },
    ...atOnceOf(rows, update, first),
    beforeApply: (gradientNorm) => {
      if (first) checkFresh(recorder.tokens(), config, update.earlier, update.untouched);
      movedTooFar = !first && config.maxPolicyKl !== null && recorder.stepPolicyKl() > config.maxPolicyKl;
      return movedTooFar ? "skip" : checkGradient(gradientNorm, config);
    },
  });
  if (result.applied) update.onStep(result);
  recorder.addStep(result, learningRate, movedTooFar ? "policyKl" : "gradient");
  return movedTooFar ? "moved too far" : "done";
}

/** Returns the checks before a step is applied, if the device can make all of them. */
function atOnceOf(
  rows: readonly TrainingRow[],
  { config, earlier, untouched, policyVersion }: PolicyUpdate,
  first: boolean,
): { readonly atOnce?: AtOnce } {
  const { maxLogprobDifference, gradientGate, firstStepChecks, maxPolicyKl } = config;
  if (first ? firstStepChecks && untouched : maxPolicyKl !== null) return {};
  return {
    atOnce: {
      normLimit: gradientGate?.norm ?? Number.POSITIVE_INFINITY,
      differenceLimit: (first ? maxLogprobDifference : undefined) ?? Number.POSITIVE_INFINITY,
      earlier: earlier.updates,
      isFresh: (index) => first && isFresh(entry(rows, index), policyVersion),
    },
  };
}

/** Decides whether a step with this gradient norm, before clipping, is applied. @throws {LearnerError} GRADIENT_GATE */
function checkGradient(
  gradientNorm: number,
  { gradientGate }: Pick<ResolvedLearnerConfig, "gradientGate">,
): "apply" | "skip" {
  if (gradientGate === null || gradientNorm <= gradientGate.norm) return "apply";
  if (gradientGate.action === "skip") return "skip";
  throw new LearnerError(
    "GRADIENT_GATE",
    `the gradient norm is ${gradientNorm}, more than gradientGate.norm ${gradientGate.norm}, so the step was not applied; examine the batch, lower the learning rate, or set gradientGate.action to "skip"`,
    { details: { gradientNorm } },
  );
}
