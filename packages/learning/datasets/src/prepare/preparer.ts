import { parseInput } from "@palimpsest/std/input";
import type { Task } from "@palimpsest/trajectories";
import type { z } from "zod";
import { DatasetError } from "../error.js";
import type { CountTokens } from "../tasks/count-tokens.js";

/** One row of a source file, before it is parsed. */
export interface SourceRow {
  readonly source: string;
  /** Number of the row, counted from 1: the line of a JSONL file, else the position in the array or table. */
  readonly row: number;
  readonly value: unknown;
}

/** A row that gives no task, and why. Rows are never repaired by guessing and never dropped without a report. */
export interface SourceBadRow {
  readonly source: string;
  readonly row: number;
  /** The reason by which rows are counted, in kebab-case, such as "missing-field" or "evidence-not-in-context". */
  readonly reason: string;
  /** Names the field and what is wrong with it. */
  readonly detail: string;
}

/** A task that is to be written to a file. */
export interface PreparedTask extends Task {
  /**
   * Texts of the document's paragraphs in order, with which very long contexts are written as indices into a corpus.
   */
  readonly paragraphs?: readonly string[];
  /**
   * Whether other tasks have paragraphs of this one, which are therefore written once, whatever their number. The
   * document is then `paragraphs`, joined by blank lines.
   */
  readonly shared?: boolean;
  /**
   * Name of the task's store. Tasks with the same store begin with the same records, which are written once under this
   * name, in a separate file.
   */
  readonly store?: string;
  /** The row from which the task was made, for reports of bad rows. */
  readonly origin?: Pick<SourceRow, "source" | "row">;
}

/** What a preparer receives besides its options. Files that are read through it are listed in the manifest. */
export interface PrepareContext {
  /** The files of `--input`, or those fetched from a hub, in order. */
  readonly inputs: readonly string[];
  /** Seed of everything that is drawn at random. */
  readonly seed: number | string;
  /** Maximum number of tasks per file. A preparer of several files stops at it in each of them. */
  readonly limit: number;
  /** Counts tokens with the user's tokenizer; absent if the user named none. */
  readonly countTokens?: CountTokens;
  readonly signal?: AbortSignal;
  /**
   * Yields the rows of a JSON, JSONL or parquet file, one after another. What cannot be read as a row is counted as a
   * bad row.
   * @throws {DatasetError} UNREADABLE_FILE
   */
  rows(path: string): AsyncIterable<SourceRow>;
  /**
   * Reads a whole text file (UTF-8).
   * @throws {DatasetError} UNREADABLE_FILE
   */
  text(path: string): Promise<string>;
  badRow(row: SourceBadRow): void;
  /** Counts a good item that the options leave out. */
  leftOut(reason: string): void;
  /** Counts a part of a good row that was left out of its task, or read in a way that the user should know. */
  remark(reason: string): void;
  /** Reports progress, if the preparer knows it. Without a call the number of tasks written so far is shown. */
  progress(done: number, total: number): void;
}

/** What `palimpsest data prepare NAME` runs: it creates tasks from source files or generates them. */
export interface Preparer {
  readonly name: string;
  /** One line for `--help`. */
  readonly summary: string;
  /** Whether `--input` is required, optional or not allowed. */
  readonly inputs: "required" | "optional" | "none";
  /**
   * Schema of the options. Each field is a flag: `minDistance` is `--min-distance`; booleans take no value, arrays take
   * several.
   */
  readonly options: z.ZodObject;
  /**
   * Returns the file of a task, without its ending, such as "eval_50". Present if one call writes several files;
   * `--out` is then a folder.
   */
  readonly file?: (task: Task) => string;
  /** Returns the files that a call with these options writes, if `file` names several. `data check` expects them. */
  readonly files?: (options: unknown) => readonly string[];
  /**
   * Yields the tasks in the order of the file. It runs until its reader stops, which is how `--limit` ends it early.
   * @throws {DatasetError} BAD_CONFIG, UNREADABLE_FILE, BAD_ROWS
   */
  prepare(options: unknown, context: PrepareContext): AsyncIterable<PreparedTask>;
}

/** Defines a preparer whose options are parsed before it receives them. */
export function definePreparer<Options extends z.ZodObject>(
  definition: Omit<Preparer, "options" | "prepare"> & {
    readonly options: Options;
    prepare(options: z.output<Options>, context: PrepareContext): AsyncIterable<PreparedTask>;
  },
): Preparer {
  const { prepare, ...rest } = definition;
  return {
    ...rest,
    prepare(input, context) {
      const options = parseInput(definition.options, input, (problem, cause) => {
        const message = `${definition.name} settings: ${problem}`;
        return new DatasetError("BAD_CONFIG", message, {}, cause);
      });
      return prepare(options, context);
    },
  };
}
