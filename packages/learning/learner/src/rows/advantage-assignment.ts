import type { ScoredTrajectory } from "@palimpsest/trajectories";
import { LearnerError } from "../config/error.js";
import type { AdvantageConfig, StepAdvantageConfig } from "../config/loss-config.js";
import { type Advantages, computeAdvantages } from "../loss/advantages.js";
import type { GroupAdvantage } from "../loss/define-advantage.js";
import { trainedTokens } from "./dealt-row.js";
import type { GatheredRows, RowBatch } from "./training-row.js";

/** The parts of a configuration that decide the advantage of a conversation. */
export interface AssignmentConfig {
  readonly advantage: AdvantageConfig;
  /** Null or absent: only the outcome's advantage. */
  readonly stepAdvantage?: StepAdvantageConfig | null;
  /** Default "copy". */
  readonly spread?: "copy" | "divide";
}

/**
 * Assigns every row its advantage.
 *
 * - Outcome: over the group's trajectories, rewards minus penalties; each conversation gets all of it (`copy`) or
 *   a share, divided by the number of the trajectory's conversations (`divide`).
 * - With `stepAdvantage`: α · outcome + (1 − α) · step, where the step's advantage is over the group's conversations at
 *   the same step. Source: ReMemR1, arXiv:2509.23040.
 *
 * @param own the export of `advantage`'s module, for kind `module`
 * @throws {LearnerError} GROUP_INVALID if a trajectory lacks required step rewards
 */
export function assignAdvantages(
  gathered: GatheredRows,
  config: AssignmentConfig,
  own?: GroupAdvantage,
): RowBatch {
  const { rows, members, penalties } = gathered;
  const tokens = new Map<string, number>();
  for (const row of rows)
    tokens.set(row.trajectoryId, (tokens.get(row.trajectoryId) ?? 0) + trainedTokens(row));
  const advantages = computeAdvantages(
    members.map(({ trajectory: { groupId, trajectoryId }, score }) => ({
      groupId,
      trajectoryId,
      reward: score.reward - (penalties.get(trajectoryId) ?? 0),
      tokens: tokens.get(trajectoryId) ?? 0,
      components: score.components,
    })),
    config.advantage,
    own,
  );
  const conversations = new Map(
    members.map(({ trajectory }) => [trajectory.trajectoryId, trajectory.conversations.length]),
  );
  const { stepAdvantage } = config;
  const steps = stepAdvantage ? stepAdvantages(gathered, stepAdvantage) : undefined;
  const alpha = stepAdvantage?.outcomeWeight ?? 1;
  const assigned = rows.map((row) => {
    const whole = advantages.byTrajectory.get(row.trajectoryId) ?? 0;
    const outcome = config.spread === "divide" ? whole / (conversations.get(row.trajectoryId) ?? 1) : whole;
    const step = steps?.byTrajectory.get(placeOf(row.trajectoryId, row.step)) ?? 0;
    return { ...row, advantage: steps === undefined ? outcome : alpha * outcome + (1 - alpha) * step };
  });
  return { ...gathered, rows: assigned, advantages };
}

/** Advantages of every conversation over those of its group at the same step, keyed by `placeOf`. */
function stepAdvantages(gathered: GatheredRows, config: StepAdvantageConfig): Advantages {
  const tokens = new Map(
    gathered.rows.map((row) => [placeOf(row.trajectoryId, row.step), trainedTokens(row)]),
  );
  const entries = gathered.members.flatMap(({ trajectory, score }) => {
    const { groupId, trajectoryId } = trajectory;
    const rewards = stepRewardsOf({ trajectory, score });
    return trajectory.conversations.map(({ step }, index) => ({
      groupId: placeOf(groupId, step),
      trajectoryId: placeOf(trajectoryId, step),
      reward: config.scale * (rewards[index] ?? Number.NaN),
      tokens: tokens.get(placeOf(trajectoryId, step)) ?? 0,
    }));
  });
  return computeAdvantages(entries, config.advantage);
}

function stepRewardsOf({ trajectory, score }: ScoredTrajectory): readonly number[] {
  const { trajectoryId, groupId, conversations } = trajectory;
  const rewards = score.stepRewards ?? [];
  if (rewards.length === conversations.length) return rewards;
  throw new LearnerError(
    "GROUP_INVALID",
    `trajectory ${trajectoryId} has ${rewards.length} stepRewards for ${conversations.length} conversations; use a reward that scores every step, or set stepAdvantage to null`,
    { details: { trajectoryId, groupId } },
  );
}

function placeOf(id: string, step: number): string {
  return `${id} step ${step}`;
}
