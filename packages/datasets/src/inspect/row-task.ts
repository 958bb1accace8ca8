import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Task } from "@palimpsest/trajectories";
import { finishedRow, isFinishedRow } from "../questions/finished-row.js";
import type { RowProblem } from "../row-problem.js";
import type { Stores } from "../written/stores.js";
import { parseTaskRow } from "../written/task-row.js";

/** A task of a prepared file; where its document stands in a corpus, `document` is empty and `places` says where. */
export interface RowTask {
  readonly task: Task;
  readonly places?: { readonly corpus: string; readonly indices: readonly number[] };
}

/**
 * The task of one row of a prepared file, whichever of its forms it has.
 * @param path of the file, relative to whose folder corpora and stores are named
 */
export async function rowTask(value: unknown, path: string, stores: Stores): Promise<RowTask | RowProblem> {
  if (isFinishedRow(value)) {
    const row = finishedRow(value, "prepared");
    if ("reason" in row) return row;
    const { task, indices } = row;
    return indices === undefined ? { task } : { task, places: { corpus: corpusBeside(path), indices } };
  }
  const row = parseTaskRow(value);
  if ("reason" in row) return row;
  const { document, ...rest } = await stores.records(row.data, path);
  if (typeof document === "string") return { task: { ...rest, document } };
  return { task: { ...rest, document: "" }, places: document };
}

function corpusBeside(path: string): string {
  const own = `${path.replace(/\.jsonl?$/, "")}.corpus.json`;
  return existsSync(own) ? resolve(own) : resolve(join(dirname(path), "corpus.json"));
}
