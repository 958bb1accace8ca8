import { dirname, resolve } from "node:path";
import type { Task } from "@palimpsest/trajectories";
import { DatasetError } from "../error.js";
import { type RowTask, rowTask } from "../inspect/row-task.js";
import type { SourceBadRow } from "../prepare/preparer.js";
import { fileRows } from "../source/file-rows.js";
import { OutputFile } from "../written/output-file.js";
import { Stores } from "../written/stores.js";
import { EvaluationQuestions, type Overlap, type OverlapSettings } from "./evaluation-questions.js";

export interface OverlapRequest {
  /** The training file, in any format of prepared files. It is read twice, row by row. */
  readonly path: string;
  readonly evaluation: readonly string[];
  readonly settings?: OverlapSettings | undefined;
  /** File to which the rows without overlap are written, as JSON lines. */
  readonly drop?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (rows: number) => void;
}

/** A row of the training file that is a question of an evaluation. */
export interface OverlappingRow extends Overlap {
  /** Number of the row, counted from 1. */
  readonly row: number;
  readonly trainingId: string;
  readonly question: string;
}

export interface OverlapReport {
  readonly rows: number;
  readonly evaluationQuestions: number;
  readonly found: readonly OverlappingRow[];
  readonly badRows: readonly SourceBadRow[];
}

/**
 * Finds the questions of evaluation files in a training file.
 * @throws {DatasetError} UNREADABLE_FILE, UNWRITABLE_FILE; BAD_CONFIG for an evaluation file without questions, or for
 *   rows that refer to other files and are to be written; the signal's reason
 */
export async function findOverlap(request: OverlapRequest): Promise<OverlapReport> {
  const { path, evaluation, settings, drop, signal, onProgress } = request;
  const badRows: SourceBadRow[] = [];
  const questions = await readEvaluationQuestions(evaluation, settings, signal);
  for await (const { task } of questionsOf(path, signal)) questions.observe(task.question);
  const output = drop === undefined ? undefined : await OutputFile.create(drop);
  const found: OverlappingRow[] = [];
  let rows = 0;
  try {
    for await (const { task, row, value, refers } of questionsOf(path, signal, (bad) => badRows.push(bad))) {
      rows += 1;
      onProgress?.(rows);
      const overlap = questions.overlapOf(task);
      if (overlap !== undefined)
        found.push({ row, trainingId: task.id, question: task.question, ...overlap });
      else if (output !== undefined) {
        if (refers && dirname(resolve(path)) !== dirname(resolve(drop ?? ""))) throw elsewhere(path, row);
        await output.write(`${JSON.stringify(value)}\n`);
      }
    }
    await output?.finish();
  } catch (error) {
    await output?.discard();
    throw error;
  }
  return { rows, evaluationQuestions: questions.count, found, badRows };
}

/**
 * Reads the questions of evaluation files.
 * @throws {DatasetError} UNREADABLE_FILE; BAD_CONFIG for a file without questions
 */
export async function readEvaluationQuestions(
  files: readonly string[],
  settings?: OverlapSettings,
  signal?: AbortSignal,
): Promise<EvaluationQuestions> {
  const questions = new EvaluationQuestions(settings);
  for (const file of files) {
    const before = questions.count;
    for await (const { task } of questionsOf(file, signal)) questions.add(file, task);
    if (questions.count === before)
      throw new DatasetError(
        "BAD_CONFIG",
        `evaluation: "${file}" contains no task; give a file that \`palimpsest data prepare\` wrote`,
      );
  }
  return questions;
}

interface QuestionRow {
  readonly task: Task;
  readonly row: number;
  readonly value: unknown;
  /** Whether the row refers to a corpus or a file of stores beside its file. */
  readonly refers: boolean;
}

async function* questionsOf(
  path: string,
  signal?: AbortSignal,
  onBadRow?: (row: SourceBadRow) => void,
): AsyncGenerator<QuestionRow> {
  const stores = new Stores();
  for await (const row of fileRows(path, signal)) {
    const read: RowTask | { readonly reason: string; readonly detail: string } =
      "reason" in row ? row : await rowTask(row.value, path, stores);
    if ("reason" in read)
      onBadRow?.({ source: path, row: row.row, reason: read.reason, detail: read.detail });
    else if ("value" in row) {
      const { value } = row;
      const records = typeof value === "object" && value !== null && "records" in value ? value.records : [];
      yield {
        task: read.task,
        row: row.row,
        value,
        refers: read.places !== undefined || !Array.isArray(records),
      };
    }
  }
}

function elsewhere(path: string, row: number): DatasetError {
  return new DatasetError(
    "BAD_CONFIG",
    `drop: row ${row} of "${path}" refers to a file beside it; write the new file into the same folder`,
  );
}
