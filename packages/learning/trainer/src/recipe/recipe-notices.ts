import { resolveLearnerConfig } from "@palimpsest/learner";
import type { Recipe } from "./recipe-schema.js";

/** Returns warnings about a valid recipe, to be shown before the run starts. */
export function recipeNotices(recipe: Pick<Recipe, "learner" | "rollout" | "train">): readonly string[] {
  const { learner, rollout, train } = recipe;
  const config = resolveLearnerConfig(learner);
  return [...roundingNotices(learner, rollout), ...scheduleNotices(config, train.steps)];
}

/** Warns that the learning rate ends before the run, as it does when a run is made longer. */
function scheduleNotices(
  { schedule, epochs, miniBatches }: ReturnType<typeof resolveLearnerConfig>,
  steps: number,
): readonly string[] {
  const { kind, totalSteps, endFraction, learningRate } = schedule;
  const optimizerSteps = steps * epochs * miniBatches;
  if (kind === "constant" || totalSteps >= optimizerSteps) return [];
  return [
    `learner.schedule.totalSteps is ${totalSteps}, but train.steps ${steps} make ${optimizerSteps} optimizer steps, so that those after ${totalSteps} have the learning rate ${learningRate * endFraction}; raise totalSteps to ${optimizerSteps}`,
  ];
}

function roundingNotices(learner: Recipe["learner"], rollout: Recipe["rollout"]): readonly string[] {
  const { oldLogprobs, importance } = resolveLearnerConfig(learner);
  const isRounded = learner.precision === "bfloat16" || rollout.precision === "bfloat16";
  if (!isRounded || oldLogprobs !== "rollout" || importance.kind !== "none") return [];
  return [
    "learner.oldLogprobs is rollout and matrix products are in bfloat16, so that sampler and learner differ by rounding, which the importance ratio takes for a change of the policy; set oldLogprobs to recompute and importance to { kind: tis-token, cap: 2 }",
  ];
}
