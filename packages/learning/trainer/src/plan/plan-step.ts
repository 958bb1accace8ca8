import { computedTokens, type ResolvedLearnerConfig } from "@palimpsest/learner";
import type { ModelConfig } from "@palimpsest/model";
import type { Task } from "@palimpsest/trajectories";
import type { Recipe } from "../recipe/recipe-schema.js";
import type { EpisodeExtent, EpisodeMeter } from "./plan-episodes.js";
import { type RunTime, runTime } from "./plan-time.js";

/** Maximum number of tasks that a plan reads: enough to see the lengths that a generator makes, within seconds. */
const lookedAt = 256;
/** Number of document tokens after which a plan reads no further task, because a few long documents suffice. */
const lookedAtTokens = 1_000_000;

/** The work of one step, estimated from the tasks that were read. Sampled tokens assume that no reply ends early. */
export interface StepPlan {
  readonly episodes: number;
  readonly conversations: number;
  readonly promptTokens: number;
  readonly sampledTokensAtMost: number;
  readonly optimizerSteps: number;
}

/** Tasks that are opened by their position. */
export interface OpenTasks {
  readonly count: number;
  open(position: number, signal?: AbortSignal): Promise<Task>;
}

/** Measures how long the episodes of the first tasks may become. */
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

/** Plans a step that consists of such episodes, and estimates the seconds that it takes. */
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
    // These are the rows of the episodes that were measured; a step has them `rowsRepeated` times.
    rowTokens: rows.map(({ promptTokens, replyTokens, commonTokens: common }) =>
      computedTokens({ tokens: promptTokens + replyTokens, common }, learner.groupSize, config.buckets),
    ),
    rowsRepeated: episodes / extents.length,
  });
  return { step, time };
}
