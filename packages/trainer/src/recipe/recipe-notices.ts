import { resolveLearnerConfig } from "@palimpsest/learner";
import type { Recipe } from "./recipe-schema.js";

/** Returns warnings about a valid recipe, to be shown before the run starts. */
export function recipeNotices({ learner, rollout }: Pick<Recipe, "learner" | "rollout">): readonly string[] {
  const { oldLogprobs, importance } = resolveLearnerConfig(learner);
  const isRounded = learner.precision === "bfloat16" || rollout.precision === "bfloat16";
  if (!isRounded || oldLogprobs !== "rollout" || importance.kind !== "none") return [];
  return [
    "learner.oldLogprobs is rollout and matrix products are in bfloat16, so that sampler and learner differ by rounding, which the importance ratio takes for a change of the policy; set oldLogprobs to recompute and importance to { kind: tis-token, cap: 2 }",
  ];
}
