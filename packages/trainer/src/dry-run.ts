import { type MemAgentPrompts, memAgentPrompts } from "@palimpsest/agents";
import { tasksFromConfig } from "@palimpsest/datasets";
import { type Bucket, resolveLearnerConfig } from "@palimpsest/learner";
import { type BpeTokenizer, loadConfig, type ModelConfig, parameterCount } from "@palimpsest/model";
import type { Task } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { evaluationTasks } from "./evaluation.js";
import { type ResolveSourceOptions, resolveSource } from "./model-source.js";
import { openModelText, readModelText } from "./model-text.js";
import type { Recipe } from "./recipe.js";
import { type RunMemory, runMemory } from "./run-memory.js";
import { baseOfCheckpoint } from "./run-model.js";

/** Tasks that are looked at: enough to meet the lengths of a generator, seconds at most. */
const lookedAt = 256;
const lookedAtEachLength = 8;

export interface ConversationPlan {
  /** Longest prompt seen, with the longest memory that may stand in it, tokens. */
  readonly promptTokens: number;
  readonly replyTokens: number;
}

/** What a run would be, before anything is started. */
export interface RunPlan {
  readonly modelFolder: string;
  readonly model: ModelConfig;
  readonly parameters: number;
  /** "chat template", "chatml" or "text": how prompts reach the model. */
  readonly prompt: string;
  readonly stopTokens: readonly string[];
  readonly tasks: { readonly total: number; readonly lookedAt: number };
  readonly documentTokens: { readonly mean: number; readonly most: number };
  readonly memory: ConversationPlan;
  readonly final: ConversationPlan;
  /** Of one step, by the tasks looked at; sampled tokens if no reply ended early. */
  readonly step: {
    readonly episodes: number;
    readonly conversations: number;
    readonly promptTokens: number;
    readonly sampledTokensAtMost: number;
    readonly optimiserSteps: number;
  };
  readonly needs: RunMemory;
  /** Of the machine, or of the machines, as it was asked. */
  readonly memoryBytes: number;
  /** Compiled shapes of the learner. */
  readonly buckets: readonly Bucket[];
  /** Why it cannot run, each with a mend; empty: it can. */
  readonly problems: readonly string[];
}

export interface PlanOptions extends ResolveSourceOptions {
  /** Of the machine, or of the machines together, that the run would have. */
  readonly memoryBytes: number;
}

/**
 * Checks everything of a recipe that can be checked without weights and without a cluster. A model that is not on this
 * machine is fetched, as the run would.
 * @throws {PalimpsestError} CONFIG_INVALID; {AgentError}, {LearnerError}, {DatasetError} of the part that is wrong
 */
export async function planRun(recipe: Recipe, options: PlanOptions): Promise<RunPlan> {
  const { agent, learner, train } = recipe;
  const { checkpoint } = recipe.model;
  const modelFolder =
    checkpoint === undefined
      ? await resolveSource(recipe.model, options)
      : await baseOfCheckpoint(checkpoint, options);
  const model = await loadConfig(modelFolder);
  const config = resolveLearnerConfig(learner);
  const { tokenizer, chat } = openModelText(await readModelText(modelFolder), Date.now());
  const prompts = memAgentPrompts(tokenizer, agent.config, chat);
  const tasks = await tasksFromConfig(recipe.data, options.signal ? { signal: options.signal } : {});
  const looked = tasks.slice(0, lookedAt);
  if (looked.length === 0)
    throw new PalimpsestError("CONFIG_INVALID", "data: holds no task; give at least one");
  const extents = looked.map((task) => extentOf(task, recipe, tokenizer, prompts));
  const evaluated = evaluationTasks(recipe)
    .flatMap((length) => length.tasks.slice(0, lookedAtEachLength))
    // Streamed documents are of other lengths, not of other prompts.
    .flatMap((task) => ("document" in task ? [task] : []))
    .map((task) => extentOf(task, recipe, tokenizer, prompts));
  const most = (pick: (extent: Extent) => number, of = [...extents, ...evaluated]) =>
    of.reduce((largest, extent) => Math.max(largest, pick(extent)), 0);
  const mean = (pick: (extent: Extent) => number) =>
    extents.reduce((sum, extent) => sum + pick(extent), 0) / extents.length;

  const memory = { promptTokens: most(({ memory }) => memory), replyTokens: agent.config.memoryTokens };
  const final = { promptTokens: most(({ final }) => final), replyTokens: agent.config.finalTokens };
  const trained = {
    memory: { ...memory, promptTokens: most((extent) => extent.memory, extents) },
    final: { ...final, promptTokens: most((extent) => extent.final, extents) },
  };
  const episodes = train.groupsPerStep * learner.groupSize;
  const needs = runMemory(recipe, model);
  const problems = [
    ...vocabularyProblems(tokenizer, model),
    ...lengthProblems("memory update", memory, recipe, model),
    ...lengthProblems("answer", final, recipe, model),
    ...bucketProblems("memory update", trained.memory, config.buckets),
    ...bucketProblems("answer", trained.final, config.buckets),
    ...memoryProblems(needs, options.memoryBytes),
  ];
  return {
    modelFolder,
    model,
    parameters: parameterCount(model),
    prompt: promptKind(recipe, chat !== undefined, prompts, tokenizer),
    stopTokens: prompts.stopTokenIds.map((id) => tokenizer.decode([id])),
    tasks: { total: tasks.length, lookedAt: looked.length },
    documentTokens: {
      mean: mean(({ documentTokens }) => documentTokens),
      most: most((extent) => extent.documentTokens, extents),
    },
    memory,
    final,
    step: {
      episodes,
      conversations: episodes * mean(({ chunks }) => chunks + 1),
      promptTokens: episodes * mean(({ promptTokens }) => promptTokens),
      sampledTokensAtMost: episodes * mean(({ chunks }) => chunks * memory.replyTokens + final.replyTokens),
      optimiserSteps: config.epochs * config.miniBatches,
    },
    needs,
    memoryBytes: options.memoryBytes,
    buckets: config.buckets,
    problems,
  };
}

interface Extent {
  readonly documentTokens: number;
  readonly chunks: number;
  /** Longest prompt of a memory update. */
  readonly memory: number;
  readonly final: number;
  /** All prompts of an episode, memories as long as they may be. */
  readonly promptTokens: number;
}

function extentOf(task: Task, recipe: Recipe, tokenizer: BpeTokenizer, prompts: MemAgentPrompts): Extent {
  const { chunkTokens, memoryTokens, maxChunks = Number.POSITIVE_INFINITY } = recipe.agent.config;
  const documentTokens = tokenizer.encode(task.document, { specialTokens: "text" }).length;
  const chunks = Math.min(Math.ceil(documentTokens / chunkTokens), maxChunks);
  const bound = prompts.bind(task.question);
  const filled = (tokens: number) => Array.from({ length: tokens }, () => 0);
  const longest = filled(Math.max(memoryTokens, prompts.initialMemory.length));
  const memory = bound.memory(longest, filled(Math.min(chunkTokens, documentTokens))).length;
  const final = bound.final(longest).length;
  return { documentTokens, chunks, memory, final, promptTokens: chunks * memory + final };
}

function promptKind(
  recipe: Recipe,
  hasChat: boolean,
  prompts: MemAgentPrompts,
  tokenizer: BpeTokenizer,
): string {
  const { prompt } = recipe.agent.config;
  if (prompt === "text" || prompt === "chatml") return prompt;
  if (hasChat) return "chat template";
  return prompts.stopTokenIds.some((id) => tokenizer.decode([id]) === "<|im_end|>") ? "chatml" : "text";
}

function vocabularyProblems(tokenizer: BpeTokenizer, model: ModelConfig): string[] {
  if (tokenizer.vocabSize <= model.vocabSize) return [];
  return [
    `model: the tokenizer has ids up to ${tokenizer.vocabSize - 1} and the model ${model.vocabSize} rows; give a folder whose files belong together`,
  ];
}

function lengthProblems(
  what: string,
  { promptTokens, replyTokens }: ConversationPlan,
  { rollout }: Recipe,
  model: ModelConfig,
): string[] {
  const tokens = promptTokens + replyTokens;
  const sum = `${tokens} tokens (prompt ${promptTokens}, reply ${replyTokens})`;
  const problems: string[] = [];
  if (tokens > rollout.maxTokens)
    problems.push(
      `rollout.maxTokens is ${rollout.maxTokens} and the longest ${what} takes ${sum}; raise it to ${tokens}, or shorten chunkTokens, memoryTokens or finalTokens of the agent`,
    );
  if (tokens > model.maxPositions)
    problems.push(
      `agent: the longest ${what} takes ${sum} and the model has ${model.maxPositions} positions; shorten chunkTokens, memoryTokens or finalTokens`,
    );
  return problems;
}

function bucketProblems(
  what: string,
  { promptTokens, replyTokens }: ConversationPlan,
  buckets: readonly Bucket[],
): string[] {
  const tokens = promptTokens + replyTokens;
  const fits = buckets.some(
    ({ length, rows, trainedTokens = rows * length }) => length >= tokens && trainedTokens >= replyTokens,
  );
  if (fits) return [];
  const longest = Math.max(...buckets.map(({ length }) => length));
  return [
    `learner: the longest ${what} is a row of ${tokens} tokens, ${replyTokens} of them trained, and fits no bucket (longest: ${longest}); add { rows: 1, length: ${tokens} } to buckets, or the length to microBatch.lengths`,
  ];
}

function memoryProblems(needs: RunMemory, memoryBytes: number): string[] {
  const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  if (needs.totalBytes <= memoryBytes) return [];
  return [
    `memory: the run takes about ${gib(needs.totalBytes)} (learner ${gib(needs.learnerBytes)}, ${needs.rolloutActors} rollout actors of ${gib(needs.rolloutBytes)}, base and weights in object stores ${gib(needs.storeBytes)}) and there are ${gib(memoryBytes)}; use learner.lora, smaller buckets, fewer rollout.actors or a smaller rollout.maxBatch, or give --memory GIB where more machines share it`,
  ];
}
