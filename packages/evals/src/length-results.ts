import { type Interval, wilsonInterval } from "./intervals.js";
import type { EvalItem } from "./suite/item.js";
import { rewardComponent } from "./suite/rewarded-prediction.js";
import type { ItemOutcome } from "./suite/runner.js";

/** One question's outcome. */
export interface TaskOutcome {
  readonly taskId: string;
  /** Null where the reward tells no exact match. */
  readonly correct: boolean | null;
  readonly reward: number;
  readonly answer: string;
  readonly answers: readonly string[];
  /** Why the episode or its scoring failed; absent where it did not. */
  readonly failure?: string;
}

/** Everything measured at one length. Sums are over episodes that did not fail. */
export interface LengthResult {
  /** Nominal document length that the row is listed under. */
  readonly lengthTokens: number;
  readonly n: number;
  readonly failures: number;
  /** Share of right answers over all n, failures as wrong; null where the reward tells no exact match. */
  readonly exactMatch: number | null;
  /** Wilson, 95 %. */
  readonly exactMatchInterval: Interval | null;
  /** Over all n, failures as 0. */
  readonly meanReward: number;
  readonly documentTokens: number;
  readonly promptTokens: number;
  readonly sampledTokens: number;
  readonly conversations: number;
  /** Conversations cut by their token limit. */
  readonly truncated: number;
  readonly droppedDocumentTokens: number;
  /** Wall clock of the whole length. */
  readonly seconds: number;
  /** Wall clock over document tokens. */
  readonly microsecondsPerDocumentToken: number;
  readonly sampledTokensPerDocumentToken: number;
  /** Resident set of the process that sampled, highest until this length ended. */
  readonly peakRssBytes: number;
  readonly outcomes: readonly TaskOutcome[];
}

export interface Evaluation {
  readonly agent: string;
  /** 0 is greedy. */
  readonly temperature: number;
  readonly seed: number;
  readonly lengths: readonly LengthResult[];
}

/** The component of a reward that is 1 where the answer is one of the right ones, else 0. */
const exactMatchComponent = "exactMatch";

/**
 * One length of a suite that `rewardScorer` scored.
 * @param run.outcomes one for each item, in the items' order
 */
export function lengthResult(run: {
  readonly lengthTokens: number;
  readonly items: readonly EvalItem[];
  readonly outcomes: readonly ItemOutcome[];
  readonly seconds: number;
  readonly peakRssBytes: number;
}): LengthResult {
  const { lengthTokens, items, outcomes, seconds, peakRssBytes } = run;
  const n = outcomes.length;
  const predictions = outcomes.flatMap(({ prediction }) => (prediction ? [prediction] : []));
  const matches = predictions.map((prediction) => rewardComponent(prediction, exactMatchComponent));
  const tellsMatch = matches.length > 0 && matches.every((match) => match !== undefined);
  const correct = matches.filter((match) => match === 1).length;
  const sum = (of: (prediction: (typeof predictions)[number]) => number | undefined) =>
    predictions.reduce((total, prediction) => total + (of(prediction) ?? 0), 0);
  const documentTokens = sum((prediction) => prediction.documentTokens);
  const sampledTokens = sum(({ counts }) => counts.sampledTokens);
  const perDocumentToken = (value: number) => (documentTokens === 0 ? 0 : value / documentTokens);
  return {
    lengthTokens,
    n,
    failures: outcomes.filter(({ failure }) => failure !== undefined).length,
    exactMatch: tellsMatch ? correct / n : null,
    exactMatchInterval: tellsMatch ? wilsonInterval(correct, n) : null,
    meanReward: outcomes.reduce((total, { scores }) => total + (scores["reward"] ?? 0), 0) / n,
    documentTokens,
    promptTokens: sum(({ counts }) => counts.promptTokens),
    sampledTokens,
    conversations: sum(({ counts }) => counts.conversations),
    truncated: sum(({ counts }) => counts.truncated),
    droppedDocumentTokens: sum((prediction) => prediction.droppedDocumentTokens),
    seconds,
    microsecondsPerDocumentToken: perDocumentToken(seconds * 1e6),
    sampledTokensPerDocumentToken: perDocumentToken(sampledTokens),
    peakRssBytes,
    outcomes: outcomes.map((outcome, place): TaskOutcome => {
      const { itemId, prediction, scores, failure } = outcome;
      const match = prediction && rewardComponent(prediction, exactMatchComponent);
      return {
        taskId: itemId,
        correct: tellsMatch ? match === 1 : null,
        reward: scores["reward"] ?? 0,
        answer: prediction?.text ?? "",
        answers: items[place]?.answers ?? [],
        ...(failure === undefined ? {} : { failure }),
      };
    }),
  };
}
