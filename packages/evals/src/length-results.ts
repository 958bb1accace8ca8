import type { Interval } from "./intervals.js";
import { meanInterval } from "./resampling.js";
import { passAtK, questionOf, sampledShareInterval } from "./samples.js";
import type { EvalItem } from "./suite/item.js";
import { rewardComponent } from "./suite/rewarded-prediction.js";
import type { ItemOutcome } from "./suite/runner.js";
import { byCategory, taskCategory } from "./task-category.js";

/** The outcome of one sample of a question. */
export interface TaskOutcome {
  /** Of the sample: the first has the task's own id. */
  readonly taskId: string;
  /** The task that the sample answers. */
  readonly questionId: string;
  /** The task's `metadata.category`; absent where it has none. */
  readonly category?: string;
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
  /** Questions. */
  readonly n: number;
  /** k: how often each question was asked. */
  readonly samples: number;
  /** Episodes that failed. */
  readonly failures: number;
  /** mean@k: share of right answers over all samples, failures as wrong; null where the reward tells no exact match. */
  readonly exactMatch: number | null;
  /** 95 %: Wilson for one sample a question, bootstrap over questions for several. */
  readonly exactMatchInterval: Interval | null;
  /** pass@k: share of questions with at least one right sample; null where the reward tells no exact match. */
  readonly passAtK: number | null;
  /** Wilson over questions, 95 %. */
  readonly passAtKInterval: Interval | null;
  /** Over all samples, failures as 0. */
  readonly meanReward: number;
  /** Bootstrap over questions, 95 %. */
  readonly meanRewardInterval: Interval;
  /** Of tasks that have a category, by its name. */
  readonly categories: readonly CategoryResult[];
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

/** One category of the tasks of a length. */
export interface CategoryResult {
  readonly category: string;
  readonly episodes: number;
  /** Failures as 0. */
  readonly meanReward: number;
  /** Bootstrap over questions, 95 %. */
  readonly meanRewardInterval: Interval;
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
