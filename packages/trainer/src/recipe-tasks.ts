import { existsSync } from "node:fs";
import {
  type DataModule,
  DatasetError,
  openTasks,
  type TaskSet,
  type TaskSource,
} from "@palimpsest/datasets";
import { PalimpsestError } from "@palimpsest/wire";

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
