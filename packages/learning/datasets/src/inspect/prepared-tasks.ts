import { resolve } from "node:path";
import { checkKind } from "@palimpsest/std/input";
import type { Task } from "@palimpsest/trajectories";
import { DatasetError } from "../error.js";
import type { SourceBadRow } from "../prepare/preparer.js";
import { fileRows } from "../source/file-rows.js";
import { Corpora } from "../written/corpus.js";
import { Stores } from "../written/stores.js";
import { rowTask } from "./row-task.js";

export interface PreparedTasksOptions {
  /**
   * Corpus of evaluation files whose contexts are indices; default: corpus.json or NAME.corpus.json beside the file.
   */
  readonly corpus?: string;
  readonly onBadRow?: (row: SourceBadRow) => void;
  readonly signal?: AbortSignal;
}

/**
 * Yields the tasks of a prepared file one after another, in any of its formats: task, vime or eval.
 *
 * @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS if indices are outside their corpus; the signal's reason
 */
export async function* preparedTasks(path: string, options: PreparedTasksOptions = {}): AsyncGenerator<Task> {
  checkKind(
    path,
    "path of preparedTasks()",
    "a path",
    (problem) => new DatasetError("UNREADABLE_FILE", problem),
  );
  const corpora = new Corpora();
  const stores = new Stores();
  const seen = new Map<string, number>();
  for await (const row of fileRows(path, options.signal)) {
    const bad = (problem: Pick<SourceBadRow, "reason" | "detail">) =>
      options.onBadRow?.({ source: path, row: row.row, ...problem });
    if ("reason" in row) {
      bad(row);
      continue;
    }
    const found = await rowTask(row.value, path, stores);
    if ("reason" in found) {
      bad(found);
      continue;
    }
    const { task, places } = found;
    const first = seen.get(task.id);
    if (first !== undefined) {
      bad({ reason: "duplicate-id", detail: `id: "${task.id}" is already used in row ${first}` });
      continue;
    }
    seen.set(task.id, row.row);
    if (places === undefined) yield task;
    else {
      const corpus = options.corpus ? resolve(options.corpus) : places.corpus;
      yield { ...task, document: await corpora.document({ ...places, corpus }, path) };
    }
  }
}
