import { open, rename, rm } from "node:fs/promises";
import type { Task } from "@palimpsest/trajectories";
import type { RowReason } from "./row-problem.js";
import { lineTexts } from "./source/line-texts.js";
import { Corpora } from "./written/corpus.js";
import { type IndexedDocument, parseTaskRow } from "./written/task-row.js";

export type BadRowReason = RowReason;

export interface BadRow {
  /** Counted from 1, blank lines included. */
  readonly line: number;
  readonly reason: BadRowReason;
  /** Names the field and what is wrong with it. */
  readonly detail: string;
}

export interface LoadedTasks {
  readonly tasks: readonly Task[];
  readonly badRows: readonly BadRow[];
  readonly badRowsByReason: Readonly<Partial<Record<BadRowReason, number>>>;
}

/**
 * Reads tasks from a file of JSON lines (UTF-8, blank lines allowed). A bad row is counted, never guessed at.
 *
 * @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS where indices of a document are outside their corpus
 */
export async function loadTasks(path: string, signal?: AbortSignal): Promise<LoadedTasks> {
  const tasks: Task[] = [];
  const badRows: BadRow[] = [];
  const onBadRow = (row: BadRow) => void badRows.push(row);
  for await (const task of readTasks(path, { onBadRow, ...(signal ? { signal } : {}) })) tasks.push(task);
  const badRowsByReason: Partial<Record<BadRowReason, number>> = {};
  for (const { reason } of badRows) badRowsByReason[reason] = (badRowsByReason[reason] ?? 0) + 1;
  return { tasks, badRows, badRowsByReason };
}

/**
 * The tasks of a file one after another, for files that should not be held in memory.
 *
 * @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS where indices of a document are outside their corpus
 */
export async function* readTasks(
  path: string,
  options: { readonly onBadRow: (row: BadRow) => void; readonly signal?: AbortSignal },
): AsyncGenerator<Task> {
  const { onBadRow, signal } = options;
  const seen = new Map<string, number>();
  const corpora = new Corpora();
  for await (const { line, text } of lineTexts(path, signal)) {
    const row = parseRow(text);
    if ("reason" in row) {
      onBadRow({ line, ...row });
      continue;
    }
    const first = seen.get(row.data.id);
    if (first !== undefined) {
      const detail = `id: "${row.data.id}" is already used in line ${first}`;
      onBadRow({ line, reason: "duplicate-id", detail });
      continue;
    }
    seen.set(row.data.id, line);
    const { document, ...rest } = row.data;
    yield { ...rest, document: await textOf(document, path, corpora) };
  }
}

async function textOf(document: string | IndexedDocument, path: string, corpora: Corpora): Promise<string> {
  return typeof document === "string"
    ? document
    : await corpora.document(document.corpus, document.indices, path);
}

function parseRow(text: string) {
  try {
    return parseTaskRow(JSON.parse(text) as unknown);
  } catch (error) {
    return { reason: "not-json", detail: error instanceof Error ? error.message : String(error) } as const;
  }
}

/** Writes tasks one a line; the file appears whole or not at all. */
export async function saveTasks(path: string, tasks: Iterable<Task> | AsyncIterable<Task>): Promise<number> {
  const part = `${path}.${process.pid}.part`;
  const file = await open(part, "w");
  let count = 0;
  try {
    for await (const task of tasks) {
      await file.write(`${JSON.stringify(taskRow(task))}\n`);
      count += 1;
    }
    await file.sync();
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
  return count;
}

/** A task as a line of a file holds it: its own fields and no others. */
export function taskRow(task: Task, indexed?: IndexedDocument) {
  const { id, question, answers, document, metadata, records, probes } = task;
  return {
    id,
    question,
    answers,
    document: indexed ?? document,
    metadata,
    ...(records === undefined ? {} : { records }),
    ...(probes === undefined ? {} : { probes }),
  };
}
