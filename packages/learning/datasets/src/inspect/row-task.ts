import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Task } from "@palimpsest/trajectories";
import { finishedRow, isFinishedRow } from "../questions/finished-row.js";
import type { RowProblem } from "../row-problem.js";
import type { Stores } from "../written/stores.js";
import { type IndexedDocument, parseTaskRow } from "../written/task-row.js";

/**
 * A task of a prepared file. If its document is given by indices into a corpus, `document` is empty and `places` has
 * them.
 */
export interface RowTask {
  readonly task: Task;
  readonly places?: IndexedDocument;
}

/**
 * Reads the task of one row of a prepared file, in any of its formats.
 * @param path the file's path; corpora and stores are relative to its folder
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
