import { WholeFile } from "@palimpsest/std/files";
import type { Task } from "@palimpsest/trajectories";
import { preparedTasks } from "./inspect/prepared-tasks.js";
import type { IndexedDocument, NamedStore } from "./written/task-row.js";

/** A row of a file that cannot be read, with its line from 1 and why. */
export interface BadRow {
  /** Line number counted from 1, with blank lines included; for a JSON array, the element's position counted from 1. */
  readonly line: number;
  /** The reason by which bad rows are counted, such as "missing-field" or "duplicate-id". */
  readonly reason: string;
  /** Names the field and what is wrong with it. */
  readonly detail: string;
}

/** The tasks of a file, and the rows that could not be read. */
export interface LoadedTasks {
  readonly tasks: readonly Task[];
  readonly badRows: readonly BadRow[];
}

/**
 * Reads the tasks of a prepared file: JSON lines (UTF-8, blank lines allowed) of this project or of vime, or a
 * RULER-HQA evaluation file. Bad rows are reported and never repaired by guessing.
 *
 * @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS if indices of a document are outside their corpus
 */
export async function loadTasks(
  path: string,
  signal?: AbortSignal,
  options: { readonly limit?: number | undefined } = {},
): Promise<LoadedTasks> {
  const tasks: Task[] = [];
  const badRows: BadRow[] = [];
  const reading = preparedTasks(path, {
    ...(signal ? { signal } : {}),
    onBadRow: ({ row, reason, detail }) => void badRows.push({ line: row, reason, detail }),
  });
  for await (const task of reading) {
    tasks.push(task);
    if (tasks.length === options.limit) break;
  }
  return { tasks, badRows };
}

/**
 * Writes tasks, one per line. The file appears under its name only when it is complete.
 * @returns the number of tasks
 */
export async function saveTasks(path: string, tasks: Iterable<Task> | AsyncIterable<Task>): Promise<number> {
  const file = await WholeFile.create(path);
  let count = 0;
  try {
    for await (const task of tasks) {
      await file.write(`${JSON.stringify(taskRow(task))}\n`);
      count += 1;
    }
    await file.finish();
  } finally {
    await file.discard();
  }
  return count;
}

/** Returns the object that a task's line contains: the fields of a task and no others. */
export function taskRow(
  task: Task,
  written: {
    readonly document?: IndexedDocument | undefined;
    readonly records?: NamedStore | undefined;
  } = {},
) {
  const { id, question, answers, document, metadata, records, probes } = task;
  return {
    id,
    question,
    answers,
    document: written.document ?? document,
    metadata,
    ...(records === undefined ? {} : { records: written.records ?? records }),
    ...(probes === undefined ? {} : { probes }),
  };
}
