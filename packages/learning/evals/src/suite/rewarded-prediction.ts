import type { Agent } from "@palimpsest/agents";
import type { TrajectoryReward } from "@palimpsest/rewards";
import type { Score, Task } from "@palimpsest/trajectories";
import { type OnEpisode, predictionOf } from "../baselines/agent-system.js";
import { documentText, type EvalItem } from "./item.js";
import type { Scorer } from "./scorer.js";
import type { Prediction, System } from "./system.js";

/** Names of the measures that a reward stores in a prediction. */
const rewardMeasure = "reward";
const componentPrefix = "reward.";

/** A task whose document may come in pieces, as an agent reads it. */
export type RewardedTask = Omit<Task, "document"> & {
  readonly document: Parameters<Agent["run"]>[0]["document"];
};

type ScoredEpisode = Awaited<ReturnType<Agent["run"]>> & {
  readonly memorySteps: Awaited<ReturnType<Agent["run"]>>["steps"];
};

/**
 * Runs one episode and scores its complete record with the training reward, so that the reward sees the same as in
 * training. The score is stored in the prediction's measures.
 * @throws whatever the agent or the reward throws: a failure of either is a failed item
 */
export async function rewardedPrediction(
  agent: Agent,
  reward: TrajectoryReward,
  task: RewardedTask,
  {
    onScored,
    ...options
  }: {
    readonly temperature: number;
    readonly topP?: number;
    readonly seed: number;
    readonly signal: AbortSignal;
    /** Receives the episode and its score, from which a trace can be made. */
    readonly onScored?: (episode: ScoredEpisode, score: Score) => void;
  },
): Promise<Prediction> {
  const { question, document, records } = task;
  const result = await agent.run({ question, document, ...(records ? { records } : {}) }, options);
  const scored = { ...task, document: typeof document === "string" ? document : "" };
  const episode = { ...result, memorySteps: result.steps };
  const { signal } = options;
  const score = await reward(scored, episode, { signal });
  onScored?.(episode, score);
  return withScore(predictionOf(result, false), score);
}

/** Adds a score to the prediction's measures. */
export function withScore(prediction: Prediction, { reward, components }: Score): Prediction {
  const named = Object.entries(components).map(([name, value]) => [`${componentPrefix}${name}`, value]);
  return {
    ...prediction,
    measures: { ...prediction.measures, ...Object.fromEntries(named), [rewardMeasure]: reward },
  };
}

/** Returns a component of the reward that scored this prediction, such as "exactMatch". */
export const rewardComponent = (prediction: Prediction, name: string): number | undefined =>
  prediction.measures?.[`${componentPrefix}${name}`];

/** Returns the reward that is stored in a prediction. Empty answers are scored too, because they may earn a reward. */
export const rewardScorer: Scorer = {
  name: "reward",
  metrics: [{ name: "reward", label: "reward", kind: "mean" }],
  judgesEmpty: true,
  score: (_, { measures = {} }) => ({ reward: measures[rewardMeasure] ?? Number.NaN }),
};

/** Makes a system of an agent whose episodes a reward scores, for questions that are hidden from the agent. */
export function rewardedSystem(options: {
  readonly name: string;
  readonly agent: Agent;
  /** JSON of the agent's settings. */
  readonly settings: unknown;
  /** JSON that identifies the model. */
  readonly model: unknown;
  readonly temperature: number;
  readonly topP: number;
  readonly reward: TrajectoryReward;
  readonly onEpisode?: OnEpisode;
}): System {
  const { name, agent, settings, model, temperature, topP, reward, onEpisode } = options;
  return {
    name,
    settings: { kind: "rewarded", agent: agent.name, settings, sampling: { temperature, topP }, model },
    answer: async (item, { signal, seed }) =>
      await rewardedPrediction(agent, reward, taskOfItem(item, await documentText(item)), {
        ...{ temperature, topP, seed, signal },
        ...(onEpisode ? { onScored: (episode) => onEpisode(item, episode) } : {}),
      }),
  };
}

/** Returns the task from which an item was made, for agents and rewards. */
export function taskOfItem(item: EvalItem, document: string): Task {
  const { id, question, answers, records, probes, metadata } = item;
  return {
    id,
    question,
    answers,
    document,
    metadata,
    ...(records ? { records } : {}),
    ...(probes ? { probes } : {}),
  };
}
