import type { ActorHandle } from "@palimpsest/client";
import { allTasks, rulerTasks } from "@palimpsest/datasets";
import { type Evaluation, type LengthResult, type LengthTasks, wilsonInterval } from "@palimpsest/evals";
import { PalimpsestError } from "@palimpsest/wire";
import type { Recipe } from "./recipe.js";
import { recipeTasks } from "./recipe-tasks.js";
import type { RolloutActor } from "./rollout-actor.js";

/** Questions for each length of a recipe's evaluation; the same for before and after. */
export async function evaluationTasks(recipe: Recipe, signal?: AbortSignal): Promise<readonly LengthTasks[]> {
  const { evaluation } = recipe;
  if (!evaluation) return [];
  const { source, files = [] } = evaluation;
  if (source === undefined) {
    const lengths: LengthTasks[] = [];
    for (const [place, { path, lengthTokens }] of files.entries()) {
      const data = { source: "jsonl", path, limit: evaluation.tasks } as const;
      const tasks = await recipeTasks(`evaluation.files[${place}]`, data, signal);
      lengths.push({ lengthTokens, tasks: await allTasks(tasks, signal) });
    }
    return lengths;
  }
  const base = source.sentences;
  if (typeof base !== "number") {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      "evaluation.source.sentences: give one number, the training length, which `lengths` multiply",
    );
  }
  return evaluation.lengths.map((factor) => ({
    lengthTokens: base * factor * source.sentenceTokens,
    tasks: rulerTasks({
      ...source,
      sentences: base * factor,
      count: evaluation.tasks,
      seed: `${evaluation.seed}/${factor}`,
    }),
  }));
}

export interface EvaluationRun {
  readonly rollouts: readonly ActorHandle<RolloutActor>[];
  readonly recipe: Recipe;
  readonly tasks: readonly LengthTasks[];
  readonly minPolicyVersion: number;
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** Evaluates every length, its tasks spread over the rollout actors; one length after the other, so that times compare. */
export async function evaluate(run: EvaluationRun): Promise<Evaluation> {
  const { evaluation, agent } = run.recipe;
  if (!evaluation) throw new PalimpsestError("INTERNAL", "the recipe has no evaluation");
  const total = run.tasks.reduce((sum, { tasks }) => sum + tasks.length, 0);
  const lengths: LengthResult[] = [];
  let doneBefore = 0;
  for (const length of run.tasks) {
    const parts = shares(length, run.rollouts.length);
    const done = parts.map(() => 0);
    const results = await Promise.all(
      parts.map(async (tasks, index) => {
        const handle = run.rollouts[index] as ActorHandle<RolloutActor>;
        const request = {
          tasks,
          temperature: evaluation.temperature,
          // Seeds follow from a task's place in its share: shares must not repeat each other's.
          seed: evaluation.seed + index,
          minPolicyVersion: run.minPolicyVersion,
        };
        for await (const message of handle.with({ signal: run.signal }).evaluate(request)) {
          if (message.kind === "result") return message.result;
          done[index] = message.done;
          run.onProgress(doneBefore + done.reduce((sum, value) => sum + value, 0), total);
        }
        throw new PalimpsestError("INTERNAL", "an evaluation ended without a result");
      }),
    );
    lengths.push(mergeResults(results));
    doneBefore += length.tasks.length;
    run.onProgress(doneBefore, total);
  }
  return { agent: agent.kind, temperature: evaluation.temperature, seed: evaluation.seed, lengths };
}

function shares({ lengthTokens, tasks }: LengthTasks, count: number): LengthTasks[] {
  const parts = Math.min(count, tasks.length);
  return Array.from({ length: parts }, (_, part) => ({
    lengthTokens,
    tasks: tasks.slice(
      Math.floor((part * tasks.length) / parts),
      Math.floor(((part + 1) * tasks.length) / parts),
    ),
  }));
}

/** One length's result from those of its shares: sums, the longest time, the highest memory of a process. */
export function mergeResults(results: readonly LengthResult[]): LengthResult {
  const [first] = results;
  if (!first) throw new PalimpsestError("INTERNAL", "no results to merge");
  const sum = (pick: (result: LengthResult) => number) =>
    results.reduce((total, result) => total + pick(result), 0);
  const highest = (pick: (result: LengthResult) => number) => Math.max(...results.map(pick));
  const n = sum((result) => result.n);
  const correct = sum((result) => result.correct);
  const documentTokens = sum((result) => result.documentTokens);
  const sampledTokens = sum((result) => result.sampledTokens);
  const seconds = highest((result) => result.seconds);
  const perDocumentToken = (value: number) => (documentTokens === 0 ? 0 : value / documentTokens);
  return {
    lengthTokens: first.lengthTokens,
    n,
    correct,
    failures: sum((result) => result.failures),
    exactMatch: correct / n,
    exactMatchInterval: wilsonInterval(correct, n),
    meanReward: sum((result) => result.meanReward * result.n) / n,
    documentTokens,
    promptTokens: sum((result) => result.promptTokens),
    sampledTokens,
    conversations: sum((result) => result.conversations),
    truncated: sum((result) => result.truncated),
    droppedDocumentTokens: sum((result) => result.droppedDocumentTokens),
    seconds,
    microsecondsPerDocumentToken: perDocumentToken(seconds * 1e6),
    sampledTokensPerDocumentToken: perDocumentToken(sampledTokens),
    peakRssBytes: highest((result) => result.peakRssBytes),
    rssGrowthBytes: highest((result) => result.rssGrowthBytes),
    outcomes: results.flatMap((result) => result.outcomes),
  };
}
