import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { DatasetError } from "./error.js";

/** One line of a task file. */
export const taskRowSchema = z.strictObject({
  id: z.string().min(1).describe("unique within the file"),
  question: z.string().min(1),
  answers: z.array(z.string().min(1)).min(1).describe("any one counts as right"),
  document: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
});

export type BadRowReason =
  | "not-json"
  | "not-an-object"
  | "missing-field"
  | "wrong-type"
  | "empty-field"
  | "unknown-field"
  | "duplicate-id";

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
 * @throws {DatasetError} UNREADABLE_FILE
 */
export async function loadTasks(path: string, signal?: AbortSignal): Promise<LoadedTasks> {
  const tasks: Task[] = [];
  const badRows: BadRow[] = [];
  const seen = new Map<string, number>();
  const file = createReadStream(path, { encoding: "utf8", ...(signal ? { signal } : {}) });
  let line = 0;
  try {
    // readline hides errors of the stream that comes before its first line; wait for the file itself.
    await new Promise<void>((resolve, reject) => file.once("open", () => resolve()).once("error", reject));
    for await (const text of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      if (text.trim() === "") continue;
      const row = parseRow(line === 1 ? text.replace(/^\uFEFF/, "") : text);
      if ("reason" in row) {
        badRows.push({ line, ...row });
        continue;
      }
      const first = seen.get(row.task.id);
      if (first !== undefined) {
        badRows.push({
          line,
          reason: "duplicate-id",
          detail: `id: "${row.task.id}" is already used in line ${first}`,
        });
        continue;
      }
      seen.set(row.task.id, line);
      tasks.push(row.task);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new DatasetError(
      "UNREADABLE_FILE",
      `path: cannot read "${path}"; give an existing JSONL file`,
      { path },
      error,
    );
  } finally {
    file.destroy();
  }
  const badRowsByReason: Partial<Record<BadRowReason, number>> = {};
  for (const { reason } of badRows) badRowsByReason[reason] = (badRowsByReason[reason] ?? 0) + 1;
  return { tasks, badRows, badRowsByReason };
}

/** Writes tasks one a line; the file appears whole or not at all. */
export async function saveTasks(path: string, tasks: Iterable<Task> | AsyncIterable<Task>): Promise<number> {
  const part = `${path}.${process.pid}.part`;
  const file = await open(part, "w");
  let count = 0;
  try {
    for await (const { id, question, answers, document, metadata } of tasks) {
      await file.write(`${JSON.stringify({ id, question, answers, document, metadata })}\n`);
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

function parseRow(text: string): { task: Task } | { reason: BadRowReason; detail: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { reason: "not-json", detail: error instanceof Error ? error.message : String(error) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return {
      reason: "not-an-object",
      detail: "a row must be an object with id, question, answers and document",
    };
  }
  const parsed = taskRowSchema.safeParse(value);
  if (parsed.success) return { task: parsed.data };
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  const detail = `${issue.path.join(".") || "row"}: ${issue.message}`;
  return { reason: reasonOf(issue, value), detail };
}

function reasonOf(issue: z.core.$ZodIssue, row: object): BadRowReason {
  if (issue.code === "unrecognized_keys") return "unknown-field";
  if (issue.code === "too_small") return "empty-field";
  const field = issue.path[0];
  return typeof field === "string" && !(field in row) ? "missing-field" : "wrong-type";
}
