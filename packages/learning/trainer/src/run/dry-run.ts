import { type Bucket, hasRoomFor, resolveLearnerConfig } from "@palimpsest/learner";
import { type ModelConfig, parameterCount } from "@palimpsest/model";
import type { ConversationKind } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { type EnginePlan, planEngines } from "../engines/engine-plan.js";
import { speculationProblems } from "../engines/own-sampler.js";
import { openRecipeModules } from "../modules/recipe-modules.js";
import { type EpisodeExtent, episodeMeter } from "../plan/plan-episodes.js";
import { gpuProblems, plannedGpuBytes } from "../plan/plan-gpu.js";
import {
  checkSplit,
  type Layout,
  largestLayout,
  layoutOf,
  type PlannedLayout,
  placementProblems,
  plannedLayouts,
  withLayout,
} from "../plan/plan-layout.js";
import { type PlannedModel, planModel, planTasks } from "../plan/plan-source.js";
import {
  firstExtents,
  plannedWork,
  planStep,
  type RunTime,
  replyShareOf,
  type StepPlan,
} from "../plan/plan-step.js";
import { type PlannedDevices, plannedDevices } from "../plan/plan-time.js";
import { type RunMemory, runMemory } from "../plan/run-memory.js";
import { otherRates } from "../rates/rates-of-run.js";
import type { ResolveSourceOptions } from "../recipe/model-source.js";
import { recipeNotices } from "../recipe/recipe-notices.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { closeEvaluation, type LengthTasks, openEvaluation } from "./evaluation.js";
import { overlapNotices } from "./evaluation-overlap.js";

const lookedAtEachLength = 8;

/** The longest conversation of one kind. */
export interface ConversationPlan {
  readonly kind: ConversationKind;
  /** Length of the prompt with the longest memory, or whatever else the agent inserts, tokens. */
  readonly promptTokens: number;
  /** Length of everything that follows the prompt, including the results of tools, tokens. */
  readonly replyTokens: number;
  readonly trainedTokens: number;
}

/** The plan of a run, made before anything is started. */
export interface RunPlan {
  readonly modelFolder: string;
  readonly model: ModelConfig;
  readonly parameters: number;
  /** "chat template", "chatml" or "text": how prompts reach the model. */
  readonly prompt: string;
  readonly stopTokens: readonly string[];
  readonly tasks: { readonly total: number; readonly lookedAt: number };
  readonly documentTokens: { readonly mean: number; readonly most: number };
  /** Which parts are not on this machine, so that the recipe's assumptions were used. */
  readonly assumed: { readonly model: boolean; readonly data: boolean };
  readonly conversations: readonly ConversationPlan[];
  readonly step: StepPlan;
  readonly needs: RunMemory;
  /** Absent if the rollout actors sample themselves. */
  readonly engines?: EnginePlan;
  readonly nodes: number;
  /** Memory of the machine or machines, as requested. */
  readonly memoryBytes: number;
  readonly time: RunTime;
  readonly devices: PlannedDevices;
  /** How the recipe splits its GPUs. */
  readonly layout: Layout;
  /** Splits of the GPUs of `plan` that fit, the fastest first; empty if it does not say how many there are. */
  readonly layouts: readonly PlannedLayout[];
  /** Compiled shapes of the learner. */
  readonly buckets: readonly Bucket[];
  /** Reasons why the run cannot work, each with a fix; empty if it can. */
  readonly problems: readonly string[];
}

export interface PlanOptions extends ResolveSourceOptions {
  /** Total memory of the machines that the run would have; a recipe's `plan.memoryGib` for each takes precedence. */
  readonly memoryBytes: number;
  /** Called with what a person should know about a recipe that can run. */
  readonly onNotice?: (text: string) => void;
  /** Environment variables in which the keys of engines are looked up; default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Memory of one GPU of this machine, if there is one; a recipe's `plan.gpuGib` takes precedence. */
  readonly gpuBytes?: number | undefined;
}

/**
 * Checks everything in a recipe that can be checked without weights and without a cluster. A model that is not on this
 * machine is planned by its shape if the recipe names one, and otherwise downloaded, as the run would do. Engines that are
 * already running are asked what they serve, and sample a token or two; no weights are loaded into them.
 * @throws {PalimpsestError} CONFIG_INVALID; {AgentError}, {LearnerError}, {DatasetError} of the part that is wrong
 */
export async function planRun(recipe: Recipe, options: PlanOptions): Promise<RunPlan> {
  const { agent, learner } = recipe;
  const { signal, onNotice } = options;
  const { built, loaded } = await openRecipeModules(recipe, {
    ...(signal ? { signal } : {}),
    ...(onNotice ? { onNotice } : {}),
  });
  for (const notice of recipeNotices(recipe)) onNotice?.(notice);
  const planned = await planModel(recipe.model, options);
  const { config: model, tokenizer } = planned;
  const config = resolveLearnerConfig(learner);
  const { tasks, total, assumed } = await planTasks(recipe, signal, loaded.data);
  const differing = assumed ? undefined : await otherRates(recipe, built, { signal });
  if (differing !== undefined) onNotice?.(differing);
  const meter = episodeMeter(agent, planned, {
    ...{ module: loaded.agent, buckets: config.buckets, replyShare: replyShareOf(recipe) },
  });
  const evaluated: EpisodeExtent[] = [];
  let extents: readonly EpisodeExtent[];
  let evaluations: readonly LengthTasks[] = [];
  try {
    extents = await firstExtents(meter, tasks, signal);
    evaluations = assumed ? [] : await openEvaluation(recipe, signal);
    for (const notice of await overlapNotices(recipe, tasks, evaluations, signal)) onNotice?.(notice);
    for (const { tasks: asked } of evaluations) {
      for (let position = 0; position < Math.min(asked.count, lookedAtEachLength); position++)
        evaluated.push(await meter.measure(await asked.open(position, signal), signal));
    }
  } finally {
    await tasks.close();
    await closeEvaluation(evaluations);
  }
  const conversations = longestOf([...extents, ...evaluated]);
  const trained = longestOf(extents);
  const work = plannedWork(recipe, config, extents);
  const { step, time } = planStep(recipe, model, config, extents, work);
  const gpuBytes = plannedGpuBytes(recipe, options.gpuBytes);
  if (gpuBytes === undefined && (recipe.learnerGpus > 0 || recipe.rollout.gpus > 0))
    onNotice?.(
      "plan.gpuGib: is absent, and this machine has no GPU to go by, so that nothing is known of what fits on one; set it to the GiB of a GPU of the run's machines",
    );
  const needs = runMemory(recipe, model, gpuBytes);
  const memoryBytes =
    recipe.plan?.memoryGib === undefined
      ? options.memoryBytes
      : (recipe.plan.nodes ?? 1) * recipe.plan.memoryGib * 2 ** 30;
  const engines = await planEngines(recipe, {
    versionBytes: needs.engineVersionBytes,
    environment: options.environment ?? {},
    signal,
  });
  const problems = [
    ...vocabularyProblems(planned),
    ...conversations.flatMap((conversation) => lengthProblems(conversation, recipe, model)),
    ...trained.flatMap((conversation) => bucketProblems(conversation, config.buckets)),
    ...memoryProblems(needs, memoryBytes, recipe),
    ...placementProblems(recipe),
    ...speculationProblems(recipe, model),
    ...gpuProblems(needs, recipe, model, gpuBytes),
    ...(engines?.problems ?? []),
  ];
  const stopTokens = [...meter.stopTokenIds].map((id) => tokenizer.decode([id]));
  const lengths = extents.map((extent) => extent.documentTokens);
  return {
    modelFolder: planned.folder,
    model,
    parameters: parameterCount(model),
    prompt: promptKind(recipe, planned, stopTokens),
    stopTokens,
    tasks: { total, lookedAt: extents.length },
    documentTokens: {
      mean: lengths.reduce((sum, length) => sum + length, 0) / lengths.length,
      most: lengths.reduce((most, length) => Math.max(most, length), 0),
    },
    assumed: { model: planned.assumed, data: assumed },
    conversations,
    step,
    needs,
    ...(engines === undefined ? {} : { engines }),
    nodes: recipe.plan?.nodes ?? 1,
    memoryBytes,
    time,
    devices: plannedDevices(recipe),
    layout: layoutOf(recipe),
    layouts: plannedLayouts(recipe, model, work, gpuBytes),
    buckets: config.buckets,
    problems,
  };
}

/** GPUs that a run is to have: machines, and GPUs of each. */
export interface RunGpus {
  readonly nodes: number;
  readonly gpusPerNode: number;
}

/**
 * Returns the recipe for these GPUs: with the split between learner and rollout actors that takes the least time, and with the largest
 * batches that fit; with an engine only the learner is split. Where none fits, the recipe has a split that the dry run refuses with its
 * reasons.
 * @throws {PalimpsestError} as `planRun`; CONFIG_INVALID if the memory of a GPU is not known, or no split is a valid recipe
 */
export async function recipeForGpus(recipe: Recipe, gpus: RunGpus, options: PlanOptions): Promise<Recipe> {
  const name = `--gpus ${gpus.nodes}x${gpus.gpusPerNode}`;
  const asked = { ...recipe, plan: { questionTokens: 32, ...recipe.plan, ...gpus } };
  if (plannedGpuBytes(asked, options.gpuBytes) === undefined)
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `plan.gpuGib: is absent, and this machine has no GPU whose memory ${name} could go by; set it to the GiB of one of those GPUs`,
    );
  const { layouts } = await planRun(asked, { ...options, onNotice() {} });
  const layout = layouts[0]?.layout ?? largestLayout(asked);
  const split = layout === undefined ? asked : withLayout(asked, layout);
  checkSplit(split, name);
  return split;
}

/** Returns the longest conversation of each kind, measured by prompt and reply together. */
function longestOf(extents: readonly EpisodeExtent[]): ConversationPlan[] {
  const longest = new Map<ConversationKind, ConversationPlan>();
  for (const extent of extents.flatMap(({ conversations }) => conversations)) {
    const { commonTokens: _, ...conversation } = extent;
    const known = longest.get(conversation.kind);
    const tokens = conversation.promptTokens + conversation.replyTokens;
    if (known === undefined || tokens > known.promptTokens + known.replyTokens)
      longest.set(conversation.kind, conversation);
  }
  return [...longest.values()];
}

/** Display names of conversations. */
export const conversationNames: Readonly<Record<ConversationKind, string>> = {
  memory: "memory update",
  final: "answer",
  tool: "turn with tools",
};

function promptKind({ agent }: Recipe, { chat }: PlannedModel, stopTokens: readonly string[]): string {
  const prompt = "prompt" in agent.config ? agent.config.prompt : "chat";
  if (prompt === "text" || prompt === "chatml") return prompt;
  if (chat !== undefined) return "chat template";
  return stopTokens.includes("<|im_end|>") ? "chatml" : "text";
}

function vocabularyProblems({ vocabSize = 0, config }: PlannedModel): string[] {
  if (vocabSize <= config.vocabSize) return [];
  return [
    `model: the tokenizer has ids up to ${vocabSize - 1}, but the model's embedding has ${config.vocabSize} rows; give a folder whose files belong together`,
  ];
}

function shorter({ kind }: Recipe["agent"]): string {
  return kind === "module"
    ? "pass less text or a lower maxTokens to episode.ask in the agent's module"
    : "shorten chunkTokens, memoryTokens or finalTokens of the agent";
}

function lengthProblems(
  { kind, promptTokens, replyTokens }: ConversationPlan,
  { agent, rollout }: Recipe,
  model: ModelConfig,
): string[] {
  const what = conversationNames[kind];
  const tokens = promptTokens + replyTokens;
  const sum = `${tokens} tokens (prompt ${promptTokens}, reply ${replyTokens})`;
  const problems: string[] = [];
  if (tokens > rollout.maxTokens)
    problems.push(
      `rollout.maxTokens: is ${rollout.maxTokens}, but the longest ${what} takes ${sum}; raise it to ${tokens}, or ${shorter(agent)}`,
    );
  if (tokens > model.maxPositions)
    problems.push(
      `agent: the longest ${what} takes ${sum}, but the model has ${model.maxPositions} positions; ${shorter(agent)}`,
    );
  return problems;
}

function bucketProblems(
  { kind, promptTokens, replyTokens, trainedTokens: wanted }: ConversationPlan,
  buckets: readonly Bucket[],
): string[] {
  const what = conversationNames[kind];
  const tokens = promptTokens + replyTokens;
  if (buckets.some((bucket) => hasRoomFor(bucket, { tokens, promptTokens, trainedTokens: wanted })))
    return [];
  const longest = Math.max(...buckets.map(({ length }) => length));
  return [
    `learner.buckets: the longest ${what} is a row of ${tokens} tokens, of which ${wanted} are trained, and fits into no bucket (the longest has ${longest} tokens); add { rows: 1, length: ${tokens} } to buckets, or ${tokens} to microBatch.lengths`,
  ];
}

const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

function memoryProblems(needs: RunMemory, memoryBytes: number, recipe: Recipe): string[] {
  if (needs.totalBytes <= memoryBytes) return machineProblems(needs, recipe);
  return [
    `memory: the run needs about ${gib(needs.totalBytes)} (${needs.learnerActors === 1 ? "learner" : `${needs.learnerActors} learners of`} ${gib(needs.learnerBytes)}, ${needs.rolloutActors} rollout actors of ${gib(needs.rolloutBytes)}, base and weights in object stores ${gib(needs.storeBytes)}), but there are ${gib(memoryBytes)}; use learner.lora, smaller buckets, fewer rollout.actors or a smaller rollout.maxBatch, or give --memory GIB if several machines share the run`,
  ];
}

/** Memory of several machines helps only if what is on one of them fits it: its processes, and its object store. */
function machineProblems(needs: RunMemory, { plan, learner }: Recipe): string[] {
  const { nodes = 1, memoryGib } = plan ?? {};
  if (nodes === 1 || memoryGib === undefined) return [];
  const parts = [
    { name: "learner", field: "learnerActors", all: needs.learnerActors, bytes: needs.learnerBytes },
    {
      ...{ name: "rollout actor", field: "rollout.actors", all: needs.rolloutActors },
      bytes: needs.rolloutBytes + needs.engineBytes,
    },
  ];
  return parts.flatMap(({ name, field, all, bytes }) => {
    // However they are placed, one machine has at least so many.
    const count = Math.ceil(all / nodes);
    if (count * bytes + needs.storeBytes <= memoryGib * 2 ** 30) return [];
    const fixes = [
      ...(count > 1 ? [`lower ${field}`] : []),
      ...(learner.lora === null ? ["set learner.lora"] : []),
      "use machines of more memory",
    ];
    return [
      `memory: one of ${nodes} machines has ${count} ${name}${count === 1 ? "" : "s"} of ${gib(bytes)} and an object store of ${gib(needs.storeBytes)}, but plan.memoryGib is ${memoryGib}; ${fixes.join(", or ")}`,
    ];
  });
}
