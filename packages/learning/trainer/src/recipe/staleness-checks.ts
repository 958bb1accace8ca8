import { type ResolvedLearnerConfig, resolveLearnerConfig } from "@palimpsest/learner";
import { loadOf } from "./engine-settings.js";
import type { Recipe } from "./recipe-schema.js";

/**
 * The importance correction that error messages suggest as an alternative to a change of the loss. Either of the two
 * makes rows of older weights trainable.
 */
const corrections =
  "learner.importance, such as { kind: tis-token, cap: 2 }, which weights each token by the ratio of its probabilities under the learner and under the sampler";

/**
 * Returns contradictions with asynchronous steps. π_old of a row that older weights sampled is the sampler's log-prob, unless an
 * importance correction compares it with the learner's own; without one the loss alone has to bound the ratio.
 * @param given the value of `train.staleGroups` as written
 */
export function stalenessProblems({ train, learner, rollout }: Recipe, given: unknown): string[] {
  const { maxStaleness } = train;
  if (maxStaleness === 0) {
    if (given === undefined) return [];
    return [
      `train.staleGroups: ${String(given)} has no effect with train.maxStaleness 0, which makes steps synchronous; set maxStaleness, for example to 2, or leave staleGroups out`,
    ];
  }
  const problems =
    rollout.engine === undefined || loadOf(rollout.engine) === "reload"
      ? []
      : [
          `train.maxStaleness: is ${maxStaleness}, but an engine (rollout.engine) that is restarted for each version loses what it is sampling; set maxStaleness to 0, or use one that reloads weights, vllm or sglang`,
        ];
  const resolved = resolveLearnerConfig(learner);
  const fault = resolved.importance.kind === "none" ? unboundedLoss(resolved) : undefined;
  if (fault === undefined) return problems;
  return [
    ...problems,
    `train.maxStaleness: is ${maxStaleness} and learner.importance is none, but ${fault}, or ${corrections}; or set maxStaleness to 0`,
  ];
}

function unboundedLoss({ loss }: ResolvedLearnerConfig): string | undefined {
  switch (loss.kind) {
    case "clip":
      if (loss.dualClip !== null) return undefined;
      return "learner.loss.dualClip is null, so that the loss of a token with a negative advantage is unbounded if older weights sampled it; set learner.loss.dualClip, for example to 3";
    case "gspo":
      return `learner.loss gspo clips ratios outside 1 - ${loss.clipLow} to 1 + ${loss.clipHigh}, which is nearly every row that older weights sampled; set another learner.loss`;
    // These losses bound or drop a token's weight on both sides of the ratio.
    case "cispo":
    case "dppo":
      return undefined;
  }
}

/** Returns settings that contradict, or have no effect with, steps that replace groups which teach nothing. */
export function refillProblems({ train, learner }: Recipe): string[] {
  const { zeroVarianceRefills, maxStaleness, staleGroups } = train;
  if (zeroVarianceRefills === 0) return [];
  const problems: string[] = [];
  if (maxStaleness > 0 && staleGroups === "wait")
    problems.push(
      `train.zeroVarianceRefills: is ${zeroVarianceRefills}, but with train.staleGroups wait a step trains only its own groups and cannot replace any; set staleGroups to refill, or maxStaleness to 0`,
    );
  const { advantage } = resolveLearnerConfig(learner);
  if (!("module" in advantage) && advantage.kind === "reinforce++" && !advantage.baseline)
    problems.push(
      `train.zeroVarianceRefills: is ${zeroVarianceRefills}, but learner.advantage reinforce++ without baseline compares rewards across the whole batch, so that groups of equal rewards teach as well; set advantage.baseline to true, or zeroVarianceRefills to 0`,
    );
  return problems;
}
