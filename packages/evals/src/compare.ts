import { EvaluationError } from "./error.js";
import type { Evaluation, LengthResult } from "./evaluate.js";
import { type Interval, mcNemarP, type PairedCounts, pairedDifference } from "./intervals.js";
import { meanInterval, signFlipP } from "./resampling.js";

/** Before and after over the same tasks of one length. */
export interface LengthComparison {
  readonly lengthTokens: number;
  readonly n: number;
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  /** Newcombe's paired score interval, 95 %. */
  readonly interval: Interval;
  /** Exact two-sided McNemar test. */
  readonly p: number;
  readonly counts: PairedCounts;
  readonly reward: RewardComparison;
}

/** Mean rewards of the same tasks, failures as 0. */
export interface RewardComparison {
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  /** Paired bootstrap, 95 %. */
  readonly interval: Interval;
  /** Random sign flips, two-sided. */
  readonly p: number;
}

/**
 * Pairs two evaluations task by task.
 * @throws {EvaluationError} NOT_COMPARABLE unless both hold the same lengths with the same task ids
 */
export function compareEvaluations(before: Evaluation, after: Evaluation): LengthComparison[] {
  return after.lengths.map((length) => {
    const { lengthTokens } = length;
    const earlier = before.lengths.find((other) => other.lengthTokens === lengthTokens);
    if (!earlier) {
      throw new EvaluationError(
        "NOT_COMPARABLE",
        `lengths: ${lengthTokens} is missing before; evaluate the same lengths`,
      );
    }
    const counts = pairedCounts(earlier, length);
    const { difference, interval, n } = pairedDifference(counts);
    return {
      lengthTokens,
      n,
      before: earlier.exactMatch,
      after: length.exactMatch,
      difference,
      interval,
      p: mcNemarP(counts),
      counts,
      reward: rewards(earlier, length),
    };
  });
}

/** The tasks are known to be the same ones. */
function rewards(before: LengthResult, after: LengthResult): RewardComparison {
  const earlier = new Map(before.outcomes.map(({ taskId, reward }) => [taskId, reward]));
  const differences = after.outcomes.map(({ taskId, reward }) => ({
    cluster: taskId,
    value: reward - (earlier.get(taskId) ?? 0),
  }));
  return {
    before: before.meanReward,
    after: after.meanReward,
    difference: after.meanReward - before.meanReward,
    interval: meanInterval(differences),
    p: signFlipP(differences),
  };
}

function pairedCounts(before: LengthResult, after: LengthResult): PairedCounts {
  const earlier = new Map(before.outcomes.map((outcome) => [outcome.taskId, outcome.correct]));
  const counts = { bothRight: 0, onlyAfter: 0, onlyBefore: 0, bothWrong: 0 };
  for (const { taskId, correct } of after.outcomes) {
    const wasCorrect = earlier.get(taskId);
    if (wasCorrect === undefined || earlier.size !== after.outcomes.length) {
      throw new EvaluationError(
        "NOT_COMPARABLE",
        `tasks: "${taskId}" or others at ${after.lengthTokens} tokens were not in both evaluations; evaluate the same tasks`,
      );
    }
    if (correct) counts[wasCorrect ? "bothRight" : "onlyAfter"] += 1;
    else counts[wasCorrect ? "onlyBefore" : "bothWrong"] += 1;
  }
  return counts;
}
