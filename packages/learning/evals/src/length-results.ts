import type { Interval } from "./intervals.js";
import { meanInterval } from "./resampling.js";
import { passAtK, questionOf, sampledShareInterval } from "./samples.js";
import type { EvalItem } from "./suite/item.js";
import { rewardComponent } from "./suite/rewarded-prediction.js";
import type { ItemOutcome } from "./suite/runner.js";
import { byCategory, taskCategory } from "./task-category.js";

/** The outcome of one sample of a question. */
export interface TaskOutcome {
  /** Id of the sample. The first sample has the task's own id. */
  readonly taskId: string;
  /** The task that the sample answers. */
  readonly questionId: string;
  /** The task's `metadata.category`; absent when it has none. */
  readonly category?: string;
  /** Null when the reward does not report an exact match. */
  readonly correct: boolean | null;
  readonly reward: number;
  readonly answer: string;
  readonly answers: readonly string[];
  /** Why the episode or its scoring failed; absent when it did not. */
  readonly failure?: string;
}

/** Everything that was measured at one length. Sums are over the episodes that did not fail. */
export interface LengthResult {
  /** Nominal document length under which the row is listed. */
  readonly lengthTokens: number;
  /** Number of questions. */
  readonly n: number;
  /** k: how often each question was asked. */
  readonly samples: number;
  /** Number of failed episodes. */
  readonly failures: number;
  /**
   * mean@k: the fraction of right answers over all samples, where failures count as wrong; null when the reward does
   * not report an exact match.
   */
  readonly exactMatch: number | null;
  /** 95 % interval: Wilson's for one sample per question, else the bootstrap over questions. */
  readonly exactMatchInterval: Interval | null;
  /**
   * pass@k: the fraction of questions with at least one right sample; null when the reward does not report an exact
   * match.
   */
  readonly passAtK: number | null;
  /** 95 % Wilson interval over questions. */
  readonly passAtKInterval: Interval | null;
  /** Mean over all samples, where failures count as 0. */
  readonly meanReward: number;
  /** 95 % bootstrap interval over questions. */
  readonly meanRewardInterval: Interval;
  /** Results of tasks with a category, by its name. */
  readonly categories: readonly CategoryResult[];
  readonly documentTokens: number;
  readonly promptTokens: number;
  readonly sampledTokens: number;
  readonly conversations: number;
  /** Number of conversations truncated by their token limit. */
  readonly truncated: number;
  readonly droppedDocumentTokens: number;
  /** Wall-clock time of the whole length. */
  readonly seconds: number;
  /** Wall-clock time divided by document tokens. */
  readonly microsecondsPerDocumentToken: number;
  readonly sampledTokensPerDocumentToken: number;
  /** Highest resident set of the process that sampled, up to the end of this length. */
  readonly peakRssBytes: number;
  readonly outcomes: readonly TaskOutcome[];
}

/** The results of one category of the tasks of a length. */
export interface CategoryResult {
  readonly category: string;
  readonly episodes: number;
  /** Mean over the category's samples, where failures count as 0. */
  readonly meanReward: number;
  /** 95 % bootstrap interval over questions. */
  readonly meanRewardInterval: Interval;
}

/** The scores of one agent at each length. */
export interface Evaluation {
  readonly agent: string;
  /** Sampling temperature; 0 is greedy. */
  readonly temperature: number;
  readonly seed: number;
  readonly lengths: readonly LengthResult[];
}

/** The component of a reward that is 1 when the answer is one of the right ones, else 0. */
const exactMatchComponent = "exactMatch";

/**
 * Summarizes one length of a suite that `rewardScorer` scored.
 * @param run.outcomes one outcome for each item, in the order of the items
 */
export function lengthResult(run: {
  readonly lengthTokens: number;
  readonly items: readonly EvalItem[];
  readonly outcomes: readonly ItemOutcome[];
  readonly seconds: number;
  readonly peakRssBytes: number;
}): LengthResult {
  const { lengthTokens, items, outcomes, seconds, peakRssBytes } = run;
  const predictions = outcomes.flatMap(({ prediction }) => (prediction ? [prediction] : []));
  const matches = predictions.map((prediction) => rewardComponent(prediction, exactMatchComponent));
  const tellsMatch = matches.length > 0 && matches.every((match) => match !== undefined);
  const sum = (of: (prediction: (typeof predictions)[number]) => number | undefined) =>
    predictions.reduce((total, prediction) => total + (of(prediction) ?? 0), 0);
  const documentTokens = sum((prediction) => prediction.documentTokens);
  const sampledTokens = sum(({ counts }) => counts.sampledTokens);
  const perDocumentToken = (value: number) => (documentTokens === 0 ? 0 : value / documentTokens);
  const taskOutcomes = outcomes.map((outcome, place) =>
    taskOutcome(items[place] as EvalItem, outcome, tellsMatch),
  );
  const n = new Set(taskOutcomes.map(({ questionId }) => questionId)).size;
  const rights = taskOutcomes.map(({ questionId, correct }) => ({
    cluster: questionId,
    value: correct === true ? 1 : 0,
  }));
  const rewards = taskOutcomes.map(rewardObservation);
  const passed = tellsMatch ? passAtK(rights) : null;
  return {
    lengthTokens,
    n,
    samples: outcomes.length / n,
    failures: outcomes.filter(({ failure }) => failure !== undefined).length,
    exactMatch: tellsMatch ? meanOf(rights) : null,
    exactMatchInterval: tellsMatch ? sampledShareInterval(rights) : null,
    passAtK: passed?.share ?? null,
    passAtKInterval: passed?.interval ?? null,
    meanReward: meanOf(rewards),
    meanRewardInterval: meanInterval(rewards),
    categories: categoriesOf(taskOutcomes),
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
    outcomes: taskOutcomes,
  };
}

const meanOf = (observations: readonly { readonly value: number }[]) =>
  observations.reduce((sum, { value }) => sum + value, 0) / observations.length;

const rewardObservation = ({ questionId, reward }: TaskOutcome) => ({ cluster: questionId, value: reward });

function taskOutcome(item: EvalItem, outcome: ItemOutcome, tellsMatch: boolean): TaskOutcome {
  const { itemId, prediction, scores, failure } = outcome;
  const match = prediction && rewardComponent(prediction, exactMatchComponent);
  const category = taskCategory(item.metadata);
  return {
    taskId: itemId,
    questionId: questionOf(item),
    ...(category === undefined ? {} : { category }),
    correct: tellsMatch ? match === 1 : null,
    reward: scores["reward"] ?? 0,
    answer: prediction?.text ?? "",
    answers: item.answers,
    ...(failure === undefined ? {} : { failure }),
  };
}

function categoriesOf(outcomes: readonly TaskOutcome[]): CategoryResult[] {
  const values = outcomes.map((outcome) => ({
    category: outcome.category,
    value: rewardObservation(outcome),
  }));
  return [...byCategory(values)].map(([category, rewards]) => ({
    category,
    episodes: rewards.length,
    meanReward: meanOf(rewards),
    meanRewardInterval: meanInterval(rewards),
  }));
}
