import { existsSync } from "node:fs";
import { type ChatFormat, chatMl, type Tokenizer } from "@palimpsest/agents";
import { type DataModule, generatedTasks, type TaskSet } from "@palimpsest/datasets";
import { cachedModelFolder, loadConfig, type ModelConfig } from "@palimpsest/model";
import type { Task } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { type ModelSource, type ResolveSourceOptions, resolveSource } from "../model-source.js";
import { openModelText, readModelText } from "../model-text.js";
import { rateOrderOf } from "../recipe/recipe-curriculum.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { absentFile, trainingTasks } from "../recipe/recipe-tasks.js";
import { baseOfCheckpoint } from "../run-folder/run-model.js";
import { approximateTokenizer } from "./plan-tokenizer.js";

export interface PlannedModel {
  readonly folder: string;
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer;
  /** Largest id of the tokenizer and one; absent where it is not here. */
  readonly vocabSize?: number;
  readonly chat?: ChatFormat;
  /** The shape alone is known: prompts are counted at four characters per token. */
  readonly assumed: boolean;
}

/**
 * What a plan needs of the model: its shape and how it reads text. Where the recipe names a shape and the model is not on
 * this machine, the shape is enough; without one the model is fetched, as the run would.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export async function planModel(source: ModelSource, options: ResolveSourceOptions): Promise<PlannedModel> {
  const { checkpoint, shape } = source;
  if (shape !== undefined && !isHere(source, options.cacheDir)) {
    const config = await loadConfig(shape);
    return { folder: shape, config, tokenizer: approximateTokenizer(), chat: chatMl, assumed: true };
  }
  const folder =
    checkpoint === undefined
      ? await resolveSource(source, options)
      : await baseOfCheckpoint(checkpoint, options);
  return await planModelIn(folder);
}

/** What a plan needs of a model that is in a folder of this machine. */
export async function planModelIn(folder: string): Promise<PlannedModel> {
  const config = await loadConfig(folder);
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

function isHere({ path, name, hub, revision, checkpoint }: ModelSource, cacheDir: string): boolean {
  const folder = path ?? checkpoint;
  if (folder !== undefined) return existsSync(folder);
  const wanted = name ?? (revision === undefined ? hub : `${hub}@${revision}`);
  return wanted !== undefined && existsSync(cachedModelFolder(cacheDir, wanted));
}

export interface PlannedTasks {
  /** Whoever asked for them closes them. */
  readonly tasks: TaskSet;
  readonly total: number;
  /** The file is not here: documents are as long as `plan.documentTokens` says. */
  readonly assumed: boolean;
}

/** A word that every vocabulary holds as one token, and four characters. */
const word = " the";

/**
 * The recipe's tasks; where their file is not on this machine and the recipe says how long documents are, a task of that
 * length in their place.
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
  throw new PalimpsestError("CONFIG_INVALID", "data: holds no task; give at least one");
}

/** What is looked at is the first of the questions: not the short ones alone, and none is opened to put them in order. */
function plannedOrder({ curriculum }: Recipe): Recipe["curriculum"] {
  return { ...curriculum, order: rateOrderOf(curriculum) ?? "as-given" };
}
