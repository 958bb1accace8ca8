import type { Metrics } from "@palimpsest/telemetry";
import type { StepResult } from "./step-result.js";

/** Writes one step's numbers into the learner's Prometheus registry. */
export function recordStep(metrics: Metrics, result: StepResult): void {
  const { update } = result;
  metrics.counter("palimpsest_learner_updates_total").inc();
  metrics.histogram("palimpsest_learner_update_seconds").observe(result.updateSeconds);
  metrics.gauge("palimpsest_learner_policy_version").set(update.policyVersion);
  metrics.counter("palimpsest_learner_trained_tokens_total").inc(update.tokens);
  metrics.gauge("palimpsest_learner_loss").set(update.loss);
  metrics.gauge("palimpsest_learner_kl_nats").set({ pair: "reference" }, update.klK3);
  metrics.gauge("palimpsest_learner_kl_nats").set({ pair: "old" }, update.policyKlK3);
  metrics.gauge("palimpsest_learner_kl_nats").set({ pair: "sampler" }, update.freshKlK3);
  metrics.gauge("palimpsest_learner_entropy_nats").set(update.entropy);
  metrics.gauge("palimpsest_learner_clip_ratio").set(update.clipFractionHigh + update.clipFractionLow);
  metrics.gauge("palimpsest_learner_gradient_norm").set(update.gradientNorm);
  metrics.gauge("palimpsest_learner_learning_rate").set(update.learningRate);
  metrics.gauge("palimpsest_learner_ratio_max").set(update.ratioMax);
  const difference = metrics.gauge("palimpsest_learner_logprob_difference_nats");
  difference.set({ of: "mean" }, update.freshLogprobDifferenceMean);
  difference.set({ of: "p99" }, update.freshLogprobDifferenceP99);
  metrics.counter("palimpsest_learner_skipped_steps_total").inc(update.stepsSkippedByGradient);
  metrics.gauge("palimpsest_learner_teraflops").set(update.modelTeraflops);
  const tokens = metrics.gauge("palimpsest_learner_tokens");
  tokens.set({ kind: "response" }, update.responseTokensMean);
  tokens.set({ kind: "memory" }, update.memoryTokensMean);
  metrics.gauge("palimpsest_learner_zero_variance_ratio").set(update.zeroVarianceFraction);
  metrics.histogram("palimpsest_learner_checkpoint_seconds").observe(result.checkpointSeconds);
  metrics.gauge("palimpsest_training_step").set(result.step);
  const seconds = metrics.histogram("palimpsest_training_step_seconds");
  seconds.observe({ phase: "rollout" }, result.waitSeconds);
  seconds.observe({ phase: "update" }, result.updateSeconds);
  seconds.observe({ phase: "checkpoint" }, result.checkpointSeconds);
  seconds.observe({ phase: "publish" }, result.publishSeconds);
  const reward = metrics.gauge("palimpsest_training_reward");
  reward.set({ part: "reward" }, update.rewardMean);
  for (const [part, { mean }] of Object.entries(update.rewardComponents)) reward.set({ part }, mean);
  if (result.rejected !== undefined) {
    metrics.counter("palimpsest_training_groups_refilled_total").inc(result.rejected.groups);
    metrics.gauge("palimpsest_training_sampled_reward").set(result.rejected.sampledRewardMean);
  } else metrics.counter("palimpsest_training_groups_refilled_total").inc(0);
  metrics.histogram("palimpsest_training_staleness_versions").observe(update.stalenessMean);
  metrics.counter("palimpsest_training_episodes_total").inc(update.trajectories);
  metrics.counter("palimpsest_training_weights_published_bytes_total").inc(result.publishedBytes);
}

/**
 * Returns one step's numbers under the names of metrics.jsonl, as TensorBoard groups them. A category of tasks is `reward/NAME`,
 * or `reward/category/NAME` if a component of the reward has its name.
 */
export function scalarsOf({
  update,
  rewardByCategory: rewardsOfCategories = {},
  rejected,
  ...result
}: StepResult): Record<string, number> {
  const { rewardComponents, agentCounters, ...numbers } = update;
  const scalars: Record<string, number> = {};
  for (const [name, value] of Object.entries(numbers)) {
    if (typeof value === "number") scalars[`update/${name}`] = value;
  }
  for (const [name, { mean }] of Object.entries(rewardComponents)) scalars[`reward/${name}`] = mean;
  for (const [category, mean] of Object.entries(rewardsOfCategories)) {
    const name = rewardComponents[category] === undefined ? category : `category/${category}`;
    scalars[`reward/${name}`] = mean;
  }
  Object.assign(scalars, storeScalars(update), rejectedScalars(rejected));
  for (const [name, value] of Object.entries(result)) {
    if (name.endsWith("Seconds") && typeof value === "number") scalars[`seconds/${name}`] = value;
  }
  return scalars;
}

/** Scalars of a step that rejects groups which teach nothing. */
export function rejectedScalars(rejected: StepResult["rejected"]): Record<string, number> {
  if (rejected === undefined) return {};
  return { "rejected/groups": rejected.groups, "rejected/sampledRewardMean": rejected.sampledRewardMean };
}

/**
 * Scalars of agents with a store, under the names of the original's log: memory_reward/mean, num_turns/mean,
 * initial_memory_count, final_memory_count, tool_call_counts/TOOL; counters that the original lacks go under counters/.
 */
export function storeScalars({
  rewardMean,
  agentCounters,
}: Pick<StepResult["update"], "rewardMean" | "agentCounters">): Record<string, number> {
  if (agentCounters["final_memory_count"] === undefined) return {};
  const scalars: Record<string, number> = { "memory_reward/mean": rewardMean };
  for (const [name, { mean }] of Object.entries(agentCounters)) scalars[originalName(name)] = mean;
  return scalars;
}

function originalName(counter: string): string {
  if (counter === "num_turns") return "num_turns/mean";
  if (counter === "initial_memory_count" || counter === "final_memory_count") return counter;
  return counter.startsWith("tool_call_counts.") ? counter.replace(".", "/") : `counters/${counter}`;
}
