import { OptimizerConfig, resolveLearnerConfig, ScheduleConfig } from "@palimpsest/learner";
import type { Recipe } from "./recipe-schema.js";

/** Returns warnings about a valid recipe, to be shown before the run starts. */
export function recipeNotices(recipe: Pick<Recipe, "learner" | "rollout" | "train">): readonly string[] {
  const { learner, rollout, train } = recipe;
  const config = resolveLearnerConfig(learner);
  return [
    ...roundingNotices(learner, rollout),
    ...scheduleNotices(config, train.steps),
    ...optimizerNotices(config),
  ];
}

/** Presets are of advantages and losses; what the systems they are named after have optimizers and rates of is left to the recipe. */
const systemOptimizers = {
  verl: "beta2 0.999, weightDecay 0.01 and a learningRate of 0.000001",
  trl: "beta2 0.999 and a learningRate of 0.000001",
  "trl-grpo": "beta2 0.999 and a learningRate of 0.000001",
  slime: "beta2 0.98, weightDecay 0.1 and a learningRate of 0.000001",
} as const;

/** Warns that a preset of another system does not set that system's optimizer. */
function optimizerNotices({
  preset,
  optimizer,
  schedule,
}: ReturnType<typeof resolveLearnerConfig>): readonly string[] {
  const own = new Map<string, string>(Object.entries(systemOptimizers)).get(preset);
  const { beta2, weightDecay } = optimizer;
  const plain = OptimizerConfig.parse({});
  const { learningRate } = ScheduleConfig.parse({});
  const isPlain = beta2 === plain.beta2 && weightDecay === plain.weightDecay;
  if (own === undefined || !isPlain || schedule.learningRate !== learningRate) return [];
  return [
    `learner.preset is ${preset}, which sets neither optimizer nor schedule: this run has beta2 ${beta2}, weightDecay ${weightDecay} and a learningRate of ${learningRate}, and ${preset} itself ${own}; set learner.optimizer and learner.schedule`,
  ];
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
