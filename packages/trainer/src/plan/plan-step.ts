import type { ResolvedLearnerConfig } from "@palimpsest/learner";
import type { ModelConfig } from "@palimpsest/model";
import type { Task } from "@palimpsest/trajectories";
import type { Recipe } from "../recipe/recipe-schema.js";
import type { EpisodeExtent, EpisodeMeter } from "./plan-episodes.js";
import { type RunTime, runTime } from "./plan-time.js";

/** Tasks that are looked at: enough to meet the lengths of a generator, seconds at most. */
const lookedAt = 256;
/** Tokens of documents that are looked at, about: long documents need few. */
const lookedAtTokens = 1_000_000;

/** Work of one step, by the tasks looked at; sampled tokens if no reply ended early. */
export interface StepPlan {
  readonly episodes: number;
  readonly conversations: number;
  readonly promptTokens: number;
  readonly sampledTokensAtMost: number;
  readonly optimizerSteps: number;
}

/** Tasks by their position. */
export interface OpenTasks {
  readonly count: number;
  open(position: number, signal?: AbortSignal): Promise<Task>;
}

/** How long the episodes of the first tasks may become. */
export async function firstExtents(
  meter: EpisodeMeter,
  tasks: OpenTasks,
  signal: AbortSignal | undefined,
): Promise<EpisodeExtent[]> {
  const extents: EpisodeExtent[] = [];
  let tokensSeen = 0;
  for (let position = 0; position < Math.min(tasks.count, lookedAt); position++) {
    const extent = await meter.measure(await tasks.open(position, signal), signal);
    extents.push(extent);
    tokensSeen += extent.documentTokens;
    if (tokensSeen >= lookedAtTokens) break;
  }
  return extents;
}

/** A step that is made of such episodes, and the seconds that it takes. */
export function planStep(
  recipe: Recipe,
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  extents: readonly EpisodeExtent[],
): { readonly step: StepPlan; readonly time: RunTime } {
  const { train, learner } = recipe;
  const rows = extents.flatMap((extent) => extent.conversations);
  const episodes = train.groupsPerStep * learner.groupSize;
  const perStep = (sum: number) => (episodes * sum) / extents.length;
  const step = {
    episodes,
    conversations: perStep(rows.length),
    promptTokens: perStep(rows.reduce((sum, row) => sum + row.promptTokens, 0)),
    sampledTokensAtMost: perStep(rows.reduce((sum, row) => sum + row.trainedTokens, 0)),
    optimizerSteps: config.epochs * config.miniBatches,
  };
  const time = runTime(recipe, model, config, {
    promptTokens: step.promptTokens,
    sampledTokens: step.sampledTokensAtMost,
    // Of the episodes looked at, repeated until they are a step's.
    rowTokens: rows.map((row) => row.promptTokens + row.replyTokens),
    rowsRepeated: episodes / extents.length,
  });
  return { step, time };
}
