import { checkParts, parseInput } from "@palimpsest/std/input";
import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { DatasetError } from "./error.js";
import { generatedTasks, type TaskSet } from "./tasks/task-set.js";

/** Tasks from a source of your own: a list, which is kept in memory, or a set that opens tasks one at a time. */
export type OwnTasks = Iterable<Task> | AsyncIterable<Task> | TaskSet;

/** What a module exports as `default`, so that a recipe can name it with `data: { module: ./my-data.ts }`. */
export interface DataModule {
  readonly provides: "data";
  readonly schema: z.ZodType<object>;
  /**
   * @param settings the recipe's settings, as parsed by the schema
   * @throws whatever the module throws
   */
  tasks(settings: object, signal: AbortSignal | undefined): OwnTasks | Promise<OwnTasks>;
}

/**
 * Defines training questions of your own, in the order in which they are asked.
 * @param definition.settings schema of what a recipe may set, such as `z.strictObject({})` for nothing
 * @param definition.tasks must return the same tasks for the same settings, because a resumed run reads them again
 */
export function defineData<Config extends object>(definition: {
  readonly settings: z.ZodType<Config>;
  tasks(settings: Config, signal: AbortSignal | undefined): OwnTasks | Promise<OwnTasks>;
}): DataModule {
  const parts = { settings: "a schema, such as z.strictObject({})", tasks: "a function" } as const;
  checkParts(definition, "defineData()", parts, (problem) => new DatasetError("BAD_CONFIG", problem));
  const { settings: schema } = definition;
  return {
    provides: "data",
    schema,
    tasks: (settings, signal) => definition.tasks(schema.parse(settings), signal),
  };
}

const taskSchema = z.looseObject({
  id: z.string().min(1),
  question: z.string(),
  answers: z.array(z.string()).min(1),
  document: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/**
 * Returns the tasks of a module. The tasks of a list are validated; a `TaskSet` is returned as it is.
 * @throws {DatasetError} BAD_CONFIG, BAD_ROWS
 */
export async function moduleTasks(
  module: DataModule,
  settings: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
): Promise<TaskSet> {
  parseInput(module.schema, settings, (problem) => new DatasetError("BAD_CONFIG", `settings: ${problem}`));
  const given = await module.tasks(settings, signal);
  if ("open" in given) return given;
  const tasks: Task[] = [];
  const ids = new Set<string>();
  for await (const task of given) {
    signal?.throwIfAborted();
    const where = `task ${tasks.length + 1} of the module`;
    parseInput(taskSchema, task, (problem) => new DatasetError("BAD_ROWS", `${where}: ${problem}`));
    if (ids.has(task.id))
      throw new DatasetError(
        "BAD_ROWS",
        `${where}: id "${task.id}" is that of an earlier task; give each task an id of its own`,
      );
    ids.add(task.id);
    tasks.push(task);
  }
  if (tasks.length === 0)
    throw new DatasetError("BAD_ROWS", "the data module yields no task; yield at least one from `tasks`");
  return generatedTasks(tasks.length, (position) => tasks[position] as Task);
}
