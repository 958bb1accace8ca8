import { existsSync } from "node:fs";
import {
  type DataModule,
  DatasetError,
  mixedTasks,
  PassRates,
  ratedTasks,
  shortFirst,
  shuffledTasks,
  type TaskSet,
  type WeightedTasks,
} from "@palimpsest/datasets";
import { pathError } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { fileFingerprint } from "./file-fingerprint.js";
import { rateOrderOf } from "./recipe-curriculum.js";
import type { Recipe } from "./recipe-schema.js";
import { openTasks, type TaskSource } from "./task-source.js";

/** Returns the file of a task source if it is missing on this machine. */
export function absentFile(source: TaskSource): string | undefined {
  return "path" in source && !existsSync(source.path) ? source.path : undefined;
}

/**
 * Opens the tasks of a field of a recipe; the caller closes them.
 * @param field such as "data" or "evaluation.files[0]"
 * @param module exports of the module, if the source is a user's module
 * @throws {PalimpsestError} CONFIG_INVALID naming the field, the value and the fix; the signal's reason
 */
export async function recipeTasks(
  field: string,
  source: TaskSource,
  signal: AbortSignal | undefined,
  module?: DataModule,
): Promise<TaskSet> {
  const absent = absentFile(source);
  if (absent !== undefined) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${field}.path: file ${absent} does not exist; create it with \`palimpsest data prepare\`, or give an existing one`,
      { cause: pathError("ENOENT", absent) },
    );
  }
  try {
    return await openTasks(source, { ...(signal ? { signal } : {}), ...(module ? { module } : {}) });
  } catch (reason) {
    if (!(reason instanceof DatasetError)) throw reason;
    throw new PalimpsestError("CONFIG_INVALID", `${field}: ${reason.message}`, { cause: reason });
  }
}

/**
 * Returns the questions of a recipe's `data` within the curriculum's pass rates, sorted if its order goes by rates.
 * @param tasks of `data`; the caller closes them if this throws
 * @param source the source of the tasks; undefined if the tasks were given directly
 * @throws {PalimpsestError} CONFIG_INVALID naming the field, the value and the fix; the signal's reason
 */
async function tasksByRate(
  tasks: TaskSet,
  source: TaskSource | undefined,
  curriculum: Recipe["curriculum"],
  signal: AbortSignal | undefined,
): Promise<TaskSet> {
  const { passRates } = curriculum;
  if (passRates === undefined) return tasks;
  const { path, min, max } = passRates;
  if (!existsSync(path)) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `curriculum.passRates.path: file ${path} does not exist; create it with \`palimpsest data rate\`, or leave passRates out`,
      { cause: pathError("ENOENT", path) },
    );
  }
  try {
    const rates = await PassRates.read(path, signal);
    const file = source !== undefined && "path" in source ? source.path : undefined;
    const isSameFile =
      file !== undefined && rates.dataSha256.includes((await fileFingerprint(file, signal)).sha256);
    return await ratedTasks(tasks, rates, { min, max, order: rateOrderOf(curriculum), isSameFile }, signal);
  } catch (reason) {
    if (!(reason instanceof DatasetError)) throw reason;
    const problem = reason.message.replace(/^\[\w+\] /, "");
    throw new PalimpsestError("CONFIG_INVALID", `curriculum.passRates.${problem}`, { cause: reason });
  }
}

/**
 * Returns the questions of a training run: its data, filtered, mixed and ordered by `curriculum`.
 * It depends on the recipe alone, so that a resumed run gets the same questions.
 * @param from exports of the module of `data`, or questions that replace `data`; `curriculum` applies to them, too
 * @throws {PalimpsestError} CONFIG_INVALID naming the field; the signal's reason
 */
export async function trainingTasks(
  { data, curriculum, seed }: Pick<Recipe, "data" | "curriculum" | "seed">,
  signal: AbortSignal | undefined,
  from: { readonly module?: DataModule | undefined; readonly given?: TaskSet } = {},
): Promise<TaskSet> {
  const parts: WeightedTasks[] = [];
  try {
    const tasksOfData = from.given ?? (await recipeTasks("data", data, signal, from.module));
    const ofData = { weight: curriculum.dataWeight, field: "curriculum.dataWeight" };
    parts.push({ ...ofData, tasks: tasksOfData });
    parts[0] = {
      ...ofData,
      tasks: await tasksByRate(tasksOfData, from.given ? undefined : data, curriculum, signal),
    };
    for (const [at, { weight, data: other }] of curriculum.mix.entries()) {
      const mixed = await recipeTasks(`curriculum.mix[${at}].data`, other, signal);
      parts.push({ tasks: mixed, weight, field: `curriculum.mix[${at}].weight` });
    }
    const [first] = parts;
    const tasks = parts.length === 1 && first !== undefined ? first.tasks : mixedTasks(parts);
    if (curriculum.order === "short-first") return await shortFirst(tasks, signal);
    return curriculum.order === "shuffled" ? shuffledTasks(tasks, seed) : tasks;
  } catch (reason) {
    await Promise.all(parts.map(({ tasks }) => tasks.close()));
    if (!(reason instanceof DatasetError)) throw reason;
    throw new PalimpsestError("CONFIG_INVALID", `curriculum: ${reason.message}`, { cause: reason });
  }
}
