import { LearnerError } from "./error.js";
import type { AdvantageConfig } from "./loss-config.js";

/** What one trajectory earned, with the group it is compared within. */
export interface EpisodeReward {
  readonly groupId: string;
  readonly trajectoryId: string;
  readonly reward: number;
}

export interface Advantages {
  /** One scalar a trajectory; every conversation of the trajectory trains on it. */
  readonly byTrajectory: ReadonlyMap<string, number>;
  readonly groups: number;
  /** Groups of two or more in which every reward is the same: they teach nothing. */
  readonly zeroVarianceGroups: readonly string[];
  /** Groups of which one episode is left: nothing to compare it with. */
  readonly singletonGroups: readonly string[];
}

/**
 * Advantage of each trajectory over its own group. Groups are told apart by id, never by position,
 * and a trajectory counts once whatever number of rows it becomes.
 *
 * - `grpo`: (R − mean) / (std + ε), std with `ddof` 0 or 1. Source: DeepSeekMath, arXiv:2402.03300.
 * - `drgrpo`: R − mean. Source: Dr. GRPO, arXiv:2503.20783.
 * - `rloo`: R − mean of the others. Source: arXiv:2402.14740.
 *
 * A group whose rewards are all equal gets exactly 0, free of rounding.
 * @throws {LearnerError} GROUP_INVALID when a trajectory id occurs twice or a reward is not finite
 */
export function computeAdvantages(episodes: readonly EpisodeReward[], config: AdvantageConfig): Advantages {
  const groups = new Map<string, EpisodeReward[]>();
  const byTrajectory = new Map<string, number>();
  for (const episode of episodes) {
    const { groupId, trajectoryId, reward } = episode;
    if (!Number.isFinite(reward))
      throw new LearnerError(
        "GROUP_INVALID",
        `reward of trajectory ${trajectoryId} is ${reward}; a failed reward must leave the group instead`,
        { details: { groupId, trajectoryId } },
      );
    if (byTrajectory.has(trajectoryId))
      throw new LearnerError(
        "GROUP_INVALID",
        `trajectory ${trajectoryId} occurs twice in the batch; each must be given once, whatever its number of conversations`,
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
      continue;
    }
    const advantages = groupAdvantages(
      members.map((member) => member.reward),
      config,
    );
    members.forEach((member, index) => {
      byTrajectory.set(member.trajectoryId, advantages[index] ?? 0);
    });
  }
  return { byTrajectory, groups: groups.size, zeroVarianceGroups, singletonGroups };
}

/** Advantages of one group's rewards, in their order. */
export function groupAdvantages(rewards: readonly number[], config: AdvantageConfig): readonly number[] {
  const count = rewards.length;
  if (count === 1) {
    // verl takes mean 0 and std 1 for a lone sample, so that it trains on its bare reward.
    const bare = config.kind === "grpo" && config.singleton === "reward";
    return rewards.map((reward) => (bare ? reward / (1 + config.epsilon) : 0));
  }
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / count;
  const centred = rewards.map((reward) => reward - mean);
  switch (config.kind) {
    case "drgrpo":
      return centred;
    case "rloo":
      return centred.map((value) => (value * count) / (count - 1));
    case "grpo": {
      const squares = centred.reduce((sum, value) => sum + value * value, 0);
      const std = Math.sqrt(squares / (count - config.ddof));
      return centred.map((value) => value / (std + config.epsilon));
    }
  }
}
