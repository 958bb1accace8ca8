import { LearnerError } from "../config/error.js";
import type { AdvantageConfig, BuiltInAdvantage } from "../config/loss-config.js";
import type { GroupAdvantage } from "./define-advantage.js";
import type { EpisodeReward } from "./episode-reward.js";

export interface Advantages {
  /** One number per trajectory. */
  readonly byTrajectory: ReadonlyMap<string, number>;
  readonly groups: number;
  /** Groups of two or more whose rewards are all equal: they teach nothing. */
  readonly zeroVarianceGroups: readonly string[];
  /** Groups with one remaining episode, which has nothing to be compared with. */
  readonly singletonGroups: readonly string[];
}

/**
 * Computes the advantage of each trajectory within its own group. Groups are distinguished by id, never by position,
 * and a trajectory counts once, however many rows it becomes.
 *
 * - `grpo`: (R − mean) / (std + ε), std with `ddof` 0 or 1. Source: DeepSeekMath, arXiv:2402.03300.
 * - `drgrpo`: R − mean. Source: Dr. GRPO, arXiv:2503.20783.
 * - `rloo`: R − mean of the others. Source: arXiv:2402.14740.
 * - `reinforce++`: R, or with `baseline` R − mean, whitened to mean 0 and variance 1 over all trained tokens of the
 *   batch: (x − mean) / √(var + 1e-8), var unbiased. Source: arXiv:2501.03262; numbers as in verl.
 *
 * A group whose rewards are all equal gets exactly 0, without rounding error (with `reinforce++` without baseline, the
 * batch's value).
 * @param own the export of the configuration's module, for kind `module`: it decides every group, including those of one
 *   episode and of equal rewards
 * @throws {LearnerError} GROUP_INVALID if a trajectory id occurs twice or a reward is not finite; CONFIG_INVALID if a
 *   module is missing or does not return one finite number per episode
 */
export function computeAdvantages(
  episodes: readonly EpisodeReward[],
  config: AdvantageConfig,
  own?: GroupAdvantage,
): Advantages {
  const groups = new Map<string, EpisodeReward[]>();
  const byTrajectory = new Map<string, number>();
  for (const episode of episodes) {
    const { groupId, trajectoryId, reward } = episode;
    if (!Number.isFinite(reward))
      throw new LearnerError(
        "GROUP_INVALID",
        `reward of trajectory ${trajectoryId} is ${reward}; leave an episode whose reward failed out of its group`,
        { details: { groupId, trajectoryId } },
      );
    if (byTrajectory.has(trajectoryId))
      throw new LearnerError(
        "GROUP_INVALID",
        `trajectory ${trajectoryId} occurs twice in the batch; give each trajectory once, with all of its conversations`,
        { details: { groupId, trajectoryId } },
      );
    byTrajectory.set(trajectoryId, 0);
    const members = groups.get(groupId);
    if (members === undefined) groups.set(groupId, [episode]);
    else members.push(episode);
  }

  const zeroVarianceGroups: string[] = [];
  const singletonGroups: string[] = [];
  for (const [groupId, members] of groups) {
    const first = members[0]?.reward ?? 0;
    if (members.length === 1) {
      singletonGroups.push(groupId);
    } else if (members.every((member) => member.reward === first)) {
      zeroVarianceGroups.push(groupId);
      const decidedElsewhere = isOwn(config) || (config.kind === "reinforce++" && !config.baseline);
      if (!decidedElsewhere) continue;
    }
    const advantages = isOwn(config)
      ? ownAdvantages(members, config, own)
      : groupAdvantages(
          members.map((member) => member.reward),
          config,
        );
    members.forEach((member, index) => {
      byTrajectory.set(member.trajectoryId, advantages[index] ?? 0);
    });
  }
  if (config.kind === "reinforce++") whiten(byTrajectory, episodes);
  return { byTrajectory, groups: groups.size, zeroVarianceGroups, singletonGroups };
}

type OwnAdvantageConfig = Extract<AdvantageConfig, { readonly module: string }>;

const isOwn = (config: AdvantageConfig): config is OwnAdvantageConfig => "module" in config;

function ownAdvantages(
  members: readonly EpisodeReward[],
  { module }: OwnAdvantageConfig,
  own: GroupAdvantage | undefined,
): readonly number[] {
  if (own === undefined)
    throw new LearnerError(
      "CONFIG_INVALID",
      `advantage.module: "${module}" was not loaded; pass the loaded module to createLearner`,
    );
  // A JavaScript module may return anything.
  const given = Array.from(own(members) ?? []);
  if (given.length === members.length && given.every((value) => Number.isFinite(value))) return given;
  throw new LearnerError(
    "CONFIG_INVALID",
    `advantage.module: "${module}" returned [${given.map(String).join(", ")}] for a group of ${members.length} episodes; return one finite number per episode`,
  );
}

/** Whitens to mean 0 and variance 1 over tokens, each of which has its trajectory's value. */
function whiten(values: Map<string, number>, episodes: readonly EpisodeReward[]): void {
  let tokens = 0;
  let sum = 0;
  for (const { trajectoryId, tokens: own = 1 } of episodes) {
    tokens += own;
    sum += own * (values.get(trajectoryId) ?? 0);
  }
  const mean = sum / Math.max(tokens, 1);
  let squares = 0;
  for (const { trajectoryId, tokens: own = 1 } of episodes)
    squares += own * ((values.get(trajectoryId) ?? 0) - mean) ** 2;
  const std = Math.sqrt(squares / Math.max(tokens - 1, 1) + 1e-8);
  for (const [trajectoryId, value] of values) values.set(trajectoryId, (value - mean) / std);
}

/** Advantages of one group's rewards, in their order; for `reinforce++` the values before whitening over the batch. */
export function groupAdvantages(rewards: readonly number[], config: BuiltInAdvantage): readonly number[] {
  const count = rewards.length;
  if (count === 1) {
    // verl uses mean 0 and std 1 for a single sample, so that it trains on its raw reward.
    const bare = config.singleton === "reward" || (config.kind === "reinforce++" && !config.baseline);
    const spread = config.kind === "grpo" ? 1 + config.epsilon : 1;
    return rewards.map((reward) => (bare ? reward / spread : 0));
  }
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / count;
  const centered = rewards.map((reward) => reward - mean);
  switch (config.kind) {
    case "drgrpo":
      return centered;
    case "reinforce++":
      return config.baseline ? centered : rewards;
    case "rloo":
      return centered.map((value) => (value * count) / (count - 1));
    case "grpo": {
      const squares = centered.reduce((sum, value) => sum + value * value, 0);
      const std = Math.sqrt(squares / (count - config.ddof));
      return centered.map((value) => value / (std + config.epsilon));
    }
  }
}
