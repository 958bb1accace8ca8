import { type ResolvedLearnerConfig, resolveLearnerConfig } from "@palimpsest/learner";
import type { Recipe } from "../recipe/recipe-schema.js";

/**
 * The importance correction that error messages suggest as an alternative to a change of the loss. Either of the two
 * makes rows of older weights trainable.
 */
const corrections =
  "learner.importance, such as { kind: tis-token, cap: 2 }, which weighs each token by how much likelier it has become";

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
      `train.staleGroups: ${String(given)} would do nothing with train.maxStaleness 0, which makes steps synchronous; set maxStaleness, such as 2, or leave staleGroups out`,
    ];
  }
  const problems =
    rollout.engine === undefined
      ? []
      : [
          `train.maxStaleness ${maxStaleness} and rollout.engine: an engine does not tell which of a reply's tokens it sampled before it loaded new weights; set maxStaleness to 0, or leave rollout.engine out`,
        ];
  const resolved = resolveLearnerConfig(learner);
  const fault = resolved.importance.kind === "none" ? unboundedLoss(resolved) : undefined;
  if (fault === undefined) return problems;
  return [
    ...problems,
    `train.maxStaleness ${maxStaleness} and learner.importance none: ${fault}, or ${corrections}; or set maxStaleness to 0`,
  ];
}

function unboundedLoss({ loss }: ResolvedLearnerConfig): string | undefined {
  switch (loss.kind) {
    case "clip":
      if (loss.dualClip !== null) return undefined;
      return "learner.loss.dualClip is null, so the loss of a token with a negative advantage has no bound once older weights have sampled it; set learner.loss.dualClip, such as 3";
    case "gspo":
      return `learner.loss gspo clips ratios beyond 1 - ${loss.clipLow} and 1 + ${loss.clipHigh}, which nearly every row of older weights is; set another learner.loss`;
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
      `train.zeroVarianceRefills ${zeroVarianceRefills} and train.staleGroups wait: a step that takes its own groups alone has none in place of others; set staleGroups to refill, or maxStaleness to 0`,
    );
  const { advantage } = resolveLearnerConfig(learner);
  if (!("module" in advantage) && advantage.kind === "reinforce++" && !advantage.baseline)
    problems.push(
      `train.zeroVarianceRefills ${zeroVarianceRefills} and learner.advantage reinforce++ without baseline: advantages are over the whole batch, so that groups of equal rewards teach, too; set advantage.baseline to true, or zeroVarianceRefills to 0`,
    );
  return problems;
}
