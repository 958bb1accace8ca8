import { existsSync } from "node:fs";
import { DatasetError, type TaskSource, tasksFromConfig } from "@palimpsest/datasets";
import type { Task } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";

/** The file that a source of tasks reads and that is not on this machine. */
export function absentFile(source: TaskSource): string | undefined {
  return "path" in source && !existsSync(source.path) ? source.path : undefined;
}

/**
 * The tasks that a field of a recipe names.
 * @param field such as "data" or "evaluation.files[0]"
 * @throws {PalimpsestError} CONFIG_INVALID naming the field, the value and the mend; the signal's reason
 */
export async function recipeTasks(
  field: string,
  source: TaskSource,
  signal: AbortSignal | undefined,
): Promise<readonly Task[]> {
  const absent = absentFile(source);
  if (absent !== undefined) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${field}.path: there is no file ${absent}; make it with \`palimpsest data prepare\`, or name one that is there`,
    );
  }
  try {
    return await tasksFromConfig(source, signal ? { signal } : {});
  } catch (reason) {
    if (!(reason instanceof DatasetError)) throw reason;
    throw new PalimpsestError("CONFIG_INVALID", `${field}: ${reason.message}`, { cause: reason });
  }
}
