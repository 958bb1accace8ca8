import {
  hasRoomFor,
  type PlannedPasses,
  type PlannedRow,
  plannedPasses,
  type ResolvedLearnerConfig,
} from "@palimpsest/learner";
import type { ModelConfig } from "@palimpsest/model";
import type { Task } from "@palimpsest/trajectories";
import type { Recipe } from "../recipe/recipe-schema.js";
import {
  type ConversationExtent,
  type EpisodeExtent,
  type EpisodeMeter,
  shortened,
} from "./plan-episodes.js";
import { longerTime, type StepSeconds, type StepWork, stepTime } from "./plan-time.js";

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
  /** Share of the token positions that the learner computes which hold tokens of rows, with replies of the expected length. */
  readonly filled: number;
}

/** Returns the length of a reply that a plan expects, as a share of its limit. */
export function replyShareOf({ plan }: Pick<Recipe, "plan">): number {
  return plan?.replyShare ?? 0.5;
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

/** Seconds of a step, with replies of the expected length and with the longest, and of all steps. */
export interface RunTime {
  readonly expected: StepSeconds;
  readonly atMost: StepSeconds;
  readonly expectedTotalSeconds: number;
  readonly totalSeconds: number;
}

/** Replies of one expected length differ: episodes of a group have these shares of it. */
const replySpread = [0.8, 0.9, 1, 1.1, 1.2];

/** Plans steps that consist of such episodes: their work, and how learner shapes are filled. */
export function plannedWork(
  recipe: Recipe,
  config: ResolvedLearnerConfig,
  extents: readonly EpisodeExtent[],
): { readonly expected: StepWork; readonly longest: StepWork; readonly filled: number } {
  const { train, learner } = recipe;
  const groups = Math.ceil(train.groupsPerStep / config.miniBatches);
  const optimizerSteps = config.epochs * config.miniBatches;
  const evaluated = evaluatedEpisodes(recipe, extents);
  const of = (
    conversationsOf: (extent: EpisodeExtent) => readonly ConversationExtent[],
    spread: readonly number[],
    refills: number,
  ): StepWork & { readonly filled: number } => {
    const all = extents.flatMap(conversationsOf);
    const longest = extents
      .map(conversationsOf)
      .reduce((most, one) => (tokensOf(one) > tokensOf(most) ? one : most));
    return {
      episodes: train.groupsPerStep * learner.groupSize * (1 + refills),
      turns: all.map((conversation) => ({ ...turnOf(conversation), count: 1 / extents.length })),
      longest: longest.map(turnOf),
      ...passesOf(rowsOf(extents.map(conversationsOf), groups, learner.groupSize, spread), config),
      optimizerSteps,
      evaluated,
    };
  };
  // No reply is longer than its limit.
  const spread = replySpread.map((factor) => Math.min(factor, 1 / replyShareOf(recipe)));
  const expected = of((extent) => extent.expected, spread, 0);
  const longest = of((extent) => extent.conversations, [1], train.zeroVarianceRefills);
  return { expected, longest, filled: expected.filled };
}

const turnOf = ({ promptTokens, trainedTokens, replyTokens }: ConversationExtent) => ({
  // What tools return is read like a prompt.
  promptTokens: promptTokens + replyTokens - trainedTokens,
  sampledTokens: trainedTokens,
});

const tokensOf = (conversations: readonly ConversationExtent[]) =>
  conversations.reduce((sum, { promptTokens, replyTokens }) => sum + promptTokens + replyTokens, 0);

/** Most rows that are packed for a plan; the micro-batches of more are as many times those of so many. */
const packedRows = 4096;

/** Returns the rows of some groups. */
function rowsOf(
  episodes: readonly (readonly ConversationExtent[])[],
  groups: number,
  groupSize: number,
  spread: readonly number[],
): PlannedRow[] {
  return Array.from({ length: groups }, (_, group) => {
    const conversations = episodes[group % episodes.length] ?? [];
    return Array.from({ length: groupSize }, (_, episode) =>
      conversations.map((conversation, turn) => {
        const extent = shortened(conversation, spread[episode % spread.length] ?? 1);
        return {
          tokens: extent.promptTokens + extent.replyTokens,
          trainedTokens: extent.trainedTokens,
          commonTokens: extent.commonTokens,
          beginning: 1 + turn + conversations.length * group,
        };
      }),
    ).flat();
  }).flat();
}

function passesOf(rows: readonly PlannedRow[], { buckets }: ResolvedLearnerConfig): PlannedPasses {
  const taken = rows.slice(0, packedRows);
  // A dry run names the row that no shape has room for.
  const fitting = taken.filter(({ commonTokens: promptTokens, ...row }) =>
    buckets.some((bucket) => hasRoomFor(bucket, { ...row, promptTokens })),
  );
  const { passes, filled } = plannedPasses(fitting, buckets);
  const times = rows.length / Math.max(1, taken.length);
  return {
    passes: passes.map((pass) => ({ ...pass, microBatches: Math.ceil(times * pass.microBatches) })),
    filled,
  };
}

/** Returns the episodes of one evaluation, and their length as a multiple of a training episode's. */
function evaluatedEpisodes({ evaluation }: Recipe, extents: readonly EpisodeExtent[]): StepWork["evaluated"] {
  if (evaluation === undefined) return { episodes: 0, factor: 0 };
  const { tasks, samples, lengths, files } = evaluation;
  const mean = extents.reduce((sum, { documentTokens }) => sum + documentTokens, 0) / extents.length;
  const factors = files?.map(({ lengthTokens }) => (mean < 1 ? 1 : lengthTokens / mean)) ?? lengths;
  return {
    episodes: tasks * samples * factors.length,
    factor: factors.reduce((sum, factor) => sum + factor, 0) / factors.length,
  };
}

/** Estimates the seconds of such steps. */
export function plannedTime(
  recipe: Recipe,
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  work: Pick<ReturnType<typeof plannedWork>, "expected" | "longest">,
): RunTime {
  const expected = stepTime(recipe, model, config, work.expected);
  const atMost = longerTime(recipe, expected, stepTime(recipe, model, config, work.longest));
  const { steps } = recipe.train;
  return {
    ...{ expected, atMost },
    expectedTotalSeconds: steps * expected.total,
    totalSeconds: steps * atMost.total,
  };
}

/** Plans a step that consists of such episodes, and estimates the seconds that it takes. */
export function planStep(
  recipe: Recipe,
  model: ModelConfig,
  config: ResolvedLearnerConfig,
  extents: readonly EpisodeExtent[],
  work = plannedWork(recipe, config, extents),
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
    filled: work.filled,
  };
  return { step, time: plannedTime(recipe, model, config, work) };
}
