import { EvaluationError } from "./error.js";
import { type Interval, mcNemarP, type PairedCounts, pairedDifference } from "./intervals.js";
import type { Evaluation, LengthResult } from "./length-results.js";
import { meanInterval, type Observation, signFlipP } from "./resampling.js";

/** Compares before and after on the same tasks of one length. */
export interface LengthComparison {
  readonly lengthTokens: number;
  readonly n: number;
  /** Null when the reward does not report an exact match. */
  readonly exactMatch: MatchComparison | null;
  readonly reward: RewardComparison;
}

/** Fractions of right answers to the same tasks, where failures count as wrong. */
interface MatchComparison {
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  /** 95 % interval: Newcombe's paired score interval, or with several samples per question the paired bootstrap. */
  readonly interval: Interval;
  /** p of the exact two-sided McNemar test, or with several samples per question of random sign flips per question. */
  readonly p: number;
  readonly counts: PairedCounts;
}

/** Mean rewards of the same tasks, where failures count as 0. */
interface RewardComparison {
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  /** 95 % interval of the paired bootstrap over questions. */
  readonly interval: Interval;
  /** Two-sided p of random sign flips, one per question. */
  readonly p: number;
}

/**
 * Pairs two evaluations task by task.
 * @throws {EvaluationError} NOT_COMPARABLE unless both have the same lengths with the same task ids
 */
export function compareEvaluations(before: Evaluation, after: Evaluation): LengthComparison[] {
  return after.lengths.map((length) => {
    const { lengthTokens } = length;
    const earlier = before.lengths.find((other) => other.lengthTokens === lengthTokens);
    if (!earlier) {
      throw new EvaluationError(
        "NOT_COMPARABLE",
        `lengths: the evaluation before training has no length ${lengthTokens}; evaluate the same lengths`,
      );
    }
    checkSameTasks(earlier, length);
    return {
      lengthTokens,
      n: length.n,
      exactMatch: matches(earlier, length),
      reward: rewards(earlier, length),
    };
  });
}

/** Compares the rewards of two results that are known to have the same tasks. */
function rewards(before: LengthResult, after: LengthResult): RewardComparison {
  const earlier = new Map(before.outcomes.map(({ taskId, reward }) => [taskId, reward]));
  const differences = after.outcomes.map(({ taskId, questionId, reward }) => ({
    cluster: questionId,
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

function matches(before: LengthResult, after: LengthResult): MatchComparison | null {
  if (before.exactMatch === null || after.exactMatch === null) return null;
  const earlier = new Map(before.outcomes.map(({ taskId, correct }) => [taskId, correct === true]));
  const counts = { bothRight: 0, onlyAfter: 0, onlyBefore: 0, bothWrong: 0 };
  const differences: Observation[] = [];
  for (const { taskId, questionId, correct } of after.outcomes) {
    const wasCorrect = earlier.get(taskId) === true;
    differences.push({ cluster: questionId, value: Number(correct === true) - Number(wasCorrect) });
    if (correct === true) counts[wasCorrect ? "bothRight" : "onlyAfter"] += 1;
    else counts[wasCorrect ? "onlyBefore" : "bothWrong"] += 1;
  }
  const { difference, interval } = pairedDifference(counts);
  const clustered = after.samples > 1;
  return {
    before: before.exactMatch,
    after: after.exactMatch,
    difference,
    interval: clustered ? meanInterval(differences) : interval,
    p: clustered ? signFlipP(differences) : mcNemarP(counts),
    counts,
  };
}

function checkSameTasks(before: LengthResult, after: LengthResult): void {
  const known = new Set(before.outcomes.map(({ taskId }) => taskId));
  const other = after.outcomes.find(({ taskId }) => !known.has(taskId));
  if (other === undefined && known.size === after.outcomes.length) return;
  throw new EvaluationError(
    "NOT_COMPARABLE",
    `tasks: "${other?.taskId ?? ""}" or others at ${after.lengthTokens} tokens were not in both evaluations; evaluate the same tasks`,
  );
}
