import { resolveLearnerConfig } from "@palimpsest/learner";
import type { Recipe } from "./recipe-schema.js";

/** What a person should know of a recipe that can run, before it does. */
export function recipeNotices({ learner, rollout }: Pick<Recipe, "learner" | "rollout">): readonly string[] {
  const { oldLogprobs, importance } = resolveLearnerConfig(learner);
  const isRounded = learner.precision === "bfloat16" || rollout.precision === "bfloat16";
  if (!isRounded || oldLogprobs !== "rollout" || importance.kind !== "none") return [];
  return [
    "learner.oldLogprobs is rollout and products are in bfloat16: sampler and learner differ by their rounding, which the ratio takes for a change of the policy; set oldLogprobs to recompute and importance to { kind: tis-token, cap: 2 }",
  ];
}
