import { existsSync } from "node:fs";
import { type ChatFormat, chatMl, type Tokenizer } from "@palimpsest/agents";
import { type DataModule, generatedTasks, type TaskSet } from "@palimpsest/datasets";
import {
  cachedModelFolder,
  findKnownModel,
  loadConfig,
  type ModelConfig,
  type ModelPlaces,
} from "@palimpsest/model";
import type { Task } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { openModelText, readModelText } from "../parts/model-text.js";
import { type ModelSource, type ResolveSourceOptions, resolveSource } from "../recipe/model-source.js";
import { rateOrderOf } from "../recipe/recipe-curriculum.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { absentFile, trainingTasks } from "../recipe/recipe-tasks.js";
import { baseOfCheckpoint } from "../run-folder/run-model.js";
import { approximateTokenizer } from "./plan-tokenizer.js";

export interface PlannedModel {
  readonly folder: string;
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer;
  /** The tokenizer's largest id plus one; absent if the tokenizer is not on this machine. */
  readonly vocabSize?: number;
  readonly chat?: ChatFormat;
  /** True if only the shape is known, so that prompts are counted at four characters per token. */
  readonly assumed: boolean;
}

/**
 * Returns what a plan needs of the model: its shape, and how it reads text. If the recipe names a shape and the model
 * is not on this machine, the shape is enough; without a shape the model is downloaded, as the run would do.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export async function planModel(source: ModelSource, options: ResolveSourceOptions): Promise<PlannedModel> {
  const { checkpoint, shape, ignoreConfig } = source;
  if (shape !== undefined && !(await isHere(source, options))) {
    const config = await loadConfig(shape, { ignoreConfig });
    return { folder: shape, config, tokenizer: approximateTokenizer(), chat: chatMl, assumed: true };
  }
  const folder =
    checkpoint === undefined
      ? await resolveSource(source, options)
      : await baseOfCheckpoint(checkpoint, options);
  return await planModelIn(folder, ignoreConfig);
}

/** Returns what a plan needs of a model that is in a folder of this machine. */
export async function planModelIn(folder: string, ignoreConfig?: readonly string[]): Promise<PlannedModel> {
  const config = await loadConfig(folder, { ignoreConfig });
  const { tokenizer, chat } = openModelText(await readModelText(folder), Date.now());
  return {
    folder,
    config,
    tokenizer,
    vocabSize: tokenizer.vocabSize,
    ...(chat ? { chat } : {}),
    assumed: false,
  };
}

async function isHere(
  { path, name, hub, revision, checkpoint }: ModelSource,
  places: ModelPlaces,
): Promise<boolean> {
  const folder = path ?? checkpoint;
  if (folder !== undefined) return existsSync(folder);
  if (name !== undefined) return (await findKnownModel(name, places)) !== undefined;
  const wanted = revision === undefined ? hub : `${hub}@${revision}`;
  return wanted !== undefined && existsSync(cachedModelFolder(places.cacheDir, wanted));
}

export interface PlannedTasks {
  /** The tasks, which the caller closes. */
  readonly tasks: TaskSet;
  readonly total: number;
  /** True if the file is not on this machine, so that documents have the length `plan.documentTokens`. */
  readonly assumed: boolean;
}

/** A word of four characters that every vocabulary contains as one token. */
const word = " the";

/**
 * Returns the recipe's tasks. If their file is not on this machine and the recipe says how long documents are, one task
 * of that length takes their place.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export async function planTasks(
  recipe: Recipe,
  signal: AbortSignal | undefined,
  module?: DataModule,
): Promise<PlannedTasks> {
  const { plan } = recipe;
  if (plan?.documentTokens !== undefined && absentFile(recipe.data) !== undefined) {
    const task: Task = {
      id: "assumed",
      question: word.repeat(plan.questionTokens),
      answers: [word.trim()],
      document: word.repeat(plan.documentTokens),
      metadata: {},
    };
    return { tasks: generatedTasks(1, () => task), total: plan.tasks ?? 1, assumed: true };
  }
  const tasks = await trainingTasks({ ...recipe, curriculum: plannedOrder(recipe) }, signal, { module });
  if (tasks.count > 0) return { tasks, total: tasks.count, assumed: false };
  await tasks.close();
  throw new PalimpsestError("CONFIG_INVALID", "data: contains no task; give at least one");
}

/**
 * Returns the curriculum in the given order, unless it sorts by rates. The plan reads the first tasks, which should not
 * be only the short ones, and opens none just to sort them.
 */
function plannedOrder({ curriculum }: Recipe): Recipe["curriculum"] {
  return { ...curriculum, order: rateOrderOf(curriculum) ?? "as-given" };
}
