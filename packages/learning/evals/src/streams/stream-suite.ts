import { openStreamTasks, type StreamConfigInput } from "@palimpsest/datasets";
import { rewardConfigSchema, type TrajectoryReward, trajectoryReward } from "@palimpsest/rewards";
import { type EvalItem, itemOfTask } from "../suite/item.js";
import { rewardComponent, taskOfItem, withScore } from "../suite/rewarded-prediction.js";
import type { Scorer } from "../suite/scorer.js";
import type { System } from "../suite/system.js";
import { streamScripts } from "./stream-scripts.js";

/** Which streams are told. */
export interface StreamSuiteOptions {
  /** Turns of the streams, one group for each number. */
  readonly turns: readonly number[];
  /** Streams of each length. */
  readonly streams: number;
  /** Further settings of the streams. */
  readonly settings?: Omit<StreamConfigInput, "turns" | "count">;
}

/**
 * Returns streams as items, grouped by their turns, so that the score of a system over the groups is its erosion curve.
 * @throws {DatasetError} BAD_CONFIG; the signal's reason
 */
export async function streamItems(
  { turns, streams, settings = {} }: StreamSuiteOptions,
  signal?: AbortSignal,
): Promise<EvalItem[]> {
  const items: EvalItem[] = [];
  for (const length of turns) {
    const set = openStreamTasks({ ...settings, turns: length, count: streams });
    for (let at = 0; at < streams; at++) items.push(itemOfTask(await set.open(at, signal), length));
  }
  return items;
}

/**
 * Returns the reward of streams with nothing taken off for size and faults, so that every store is compared by what it
 * is worth to a reader, and raw episodes too, which are larger than any budget.
 */
export function streamUtility(): TrajectoryReward {
  const unbounded = { budgetTokens: 1e6, sizePrice: 0, faultPenalty: 0 };
  return trajectoryReward(rewardConfigSchema.parse({ name: "stream", ...unbounded }));
}

/** Scores stores by what they are worth above an empty one; it reads what `streamUtility` has measured. */
export const streamScorer: Scorer = {
  name: "stream/1",
  metrics: [
    { name: "utility", label: "utility", kind: "mean" },
    { name: "current", label: "current", kind: "mean" },
    { name: "past", label: "past", kind: "mean" },
    { name: "stale", label: "stale", kind: "mean" },
  ],
  judgesEmpty: true,
  score: (_, prediction) => ({
    utility: rewardComponent(prediction, "gain") ?? 0,
    current: rewardComponent(prediction, "current") ?? 0,
    past: rewardComponent(prediction, "past") ?? 0,
    stale: rewardComponent(prediction, "stale") ?? 0,
  }),
};

/** Returns the scripted writers as systems. */
export function streamScriptSystems(reward: TrajectoryReward): System[] {
  return streamScripts.map(({ name, write }) => ({
    name,
    settings: { kind: "script", script: name },
    async answer(item, { signal }) {
      const task = taskOfItem(item, String(item.document));
      const episode = { answer: "", conversations: [], memorySteps: [], storeDiff: write(task) };
      const counts = { conversations: 0, promptTokens: 0, sampledTokens: 0, truncated: 0 };
      return withScore({ text: "", counts }, await reward(task, episode, { signal }));
    },
  }));
}
