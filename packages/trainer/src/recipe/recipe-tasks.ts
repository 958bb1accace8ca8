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
import { PalimpsestError } from "@palimpsest/wire";
import { fileFingerprint } from "./file-fingerprint.js";
import { rateOrderOf } from "./recipe-curriculum.js";
import type { Recipe } from "./recipe-schema.js";
import { openTasks, type TaskSource } from "./task-source.js";

/** The file that a source of tasks reads and that is not on this machine. */
export function absentFile(source: TaskSource): string | undefined {
  return "path" in source && !existsSync(source.path) ? source.path : undefined;
}

/**
 * Opens the tasks that a field of a recipe names; whoever asked closes them.
 * @param field such as "data" or "evaluation.files[0]"
 * @param module what the module of a source of the user's own exports
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
      `${field}.path: there is no file ${absent}; make it with \`palimpsest data prepare\`, or name one that is there`,
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
 * The questions of a recipe's `data` that the curriculum's pass rates leave, in its order where that goes by rates.
 * @param tasks of `data`; whoever opened them closes them when this throws
 * @param source what the tasks were opened from; undefined where they were given
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
      `curriculum.passRates.path: there is no file ${path}; make it with \`palimpsest data rate\`, or leave passRates out`,
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
 * The questions of a training run: its data, without those that `curriculum` leaves out, mixed with others and brought into an order
 * where it says so.
 * A function of the recipe alone, so that a run that goes on meets what it would have met.
 * @param from what the module of `data` exports, or questions that take the place of `data`; `curriculum` holds for them as well
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
