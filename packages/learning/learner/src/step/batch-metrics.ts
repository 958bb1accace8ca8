import { meanAndStd } from "../loss/metrics.js";
import type { RowBatch } from "../rows/training-row.js";

/** Statistics of a batch that do not depend on the update. Lengths in tokens. */
export interface BatchMetrics {
  /** Mean reward over trajectories, as scored. */
  readonly rewardMean: number;
  /** Population standard deviation of rewards over trajectories. */
  readonly rewardStd: number;
  /** Every part of the reward by name, over the trajectories that have it. */
  readonly rewardComponents: Readonly<Record<string, { readonly mean: number; readonly std: number }>>;
  /** Agents' counters by name: turns, calls of each tool, records; over the trajectories that have them. */
  readonly agentCounters: Readonly<Record<string, { readonly mean: number; readonly std: number }>>;
  /** Mean over conversations with a step reward; 0 without any. */
  readonly stepRewardMean: number;
  /** Mean penalty for length and KL over trajectories. */
  readonly rewardPenaltyMean: number;
  /** Population standard deviation of advantages over trajectories. */
  readonly advantageStd: number;
  /** Number of groups. */
  readonly groups: number;
  /** Number of trajectories. */
  readonly trajectories: number;
  /** Fraction of groups whose rewards are all equal. */
  readonly zeroVarianceFraction: number;
  /** Number of groups with one remaining episode. */
  readonly singletonGroups: number;
  /** Rows of the groups that are computed: see `zeroVariance`. */
  readonly rows: number;
  /** Conversations without a trained token. */
  readonly emptyConversations: number;
  /** Trajectories removed from the loss because a length limit cut them off. */
  readonly overlongTrajectories: number;
  /** Mean number of conversations. */
  readonly conversationsPerTrajectory: number;
  /** Fraction of conversations that stopped at their length limit. */
  readonly truncatedFraction: number;
  /** Sampled tokens per conversation. */
  readonly responseTokensMean: number;
  /** The longest reply. */
  readonly responseTokensMax: number;
  /** Sampled tokens per memory update; 0 if there are none. */
  readonly memoryTokensMean: number;
  /** The longest memory update. */
  readonly memoryTokensMax: number;
  /** Tokens of the rows, with prompts and without padding. */
  readonly rowTokens: number;
  /** Sampling temperature, at which the policy is also trained; mean over rows. */
  readonly temperatureMean: number;
  /** Policy versions between the weights that sampled a row and those that it trains, over rows. */
  readonly stalenessMean: number;
  /** The largest such difference. */
  readonly stalenessMax: number;
}

/** @param policyVersion version of the weights that the batch trains */
export function batchMetrics(batch: RowBatch, policyVersion: number): BatchMetrics {
  const { rows, advantages, members, penalties } = batch;
  const rewards = meanAndStd(members.map(({ score }) => score.reward));
  const staleness = rows.map((row) => policyVersion - row.policyVersion);
  const conversations = members.flatMap(({ trajectory }) => trajectory.conversations);
  const responses = conversations.map(({ sampledTokenIds }) => sampledTokenIds.length);
  const memories = conversations
    .filter(({ kind }) => kind === "memory")
    .map(({ sampledTokenIds }) => sampledTokenIds.length);
  const truncated = conversations.filter(({ stopReason }) => stopReason === "length").length;
  const taken = [...penalties.values()].reduce((sum, value) => sum + value, 0);
  return {
    rewardMean: rewards.mean,
    rewardStd: rewards.std,
    rewardComponents: statisticsOf(members.map(({ score }) => score.components)),
    agentCounters: statisticsOf(members.map(({ trajectory }) => trajectory.counters ?? {})),
    stepRewardMean: meanAndStd(members.flatMap(({ score }) => [...(score.stepRewards ?? [])])).mean,
    rewardPenaltyMean: taken / Math.max(members.length, 1),
    advantageStd: meanAndStd([...advantages.byTrajectory.values()]).std,
    groups: advantages.groups,
    trajectories: members.length,
    zeroVarianceFraction: advantages.zeroVarianceGroups.length / Math.max(advantages.groups, 1),
    singletonGroups: advantages.singletonGroups.length,
    rows: rows.length,
    emptyConversations: batch.emptyConversations,
    overlongTrajectories: batch.overlongTrajectories,
    conversationsPerTrajectory: conversations.length / Math.max(members.length, 1),
    truncatedFraction: truncated / Math.max(conversations.length, 1),
    responseTokensMean: meanAndStd(responses).mean,
    responseTokensMax: largest(responses),
    memoryTokensMean: meanAndStd(memories).mean,
    memoryTokensMax: largest(memories),
    rowTokens: rows.reduce((sum, row) => sum + row.tokenIds.length, 0),
    temperatureMean: meanAndStd(rows.map((row) => row.temperature)).mean,
    stalenessMean: meanAndStd(staleness).mean,
    stalenessMax: largest(staleness),
  };
}

/** Computes the maximum without Math.max(...values), because a step may have more rows than a call can take arguments. */
function largest(values: readonly number[]): number {
  return values.reduce((max, value) => Math.max(max, value), 0);
}

function statisticsOf(
  records: readonly Readonly<Record<string, number>>[],
): Record<string, { readonly mean: number; readonly std: number }> {
  const values = new Map<string, number[]>();
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const list = values.get(name);
      if (list === undefined) values.set(name, [value]);
      else list.push(value);
    }
  }
  return Object.fromEntries([...values].map(([name, list]) => [name, meanAndStd(list)]));
}
