import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { DatasetError } from "../error.js";
import type { CountTokens } from "../tasks/count-tokens.js";

/** One row of a source file, not read yet. */
export interface SourceRow {
  readonly source: string;
  /** Counted from 1: the line of a JSONL file, else the place in the array or table. */
  readonly row: number;
  readonly value: unknown;
}

/** A row that makes no task, and why. Rows are never fixed by guessing and never dropped without a word. */
export interface SourceBadRow {
  readonly source: string;
  readonly row: number;
  /** What rows are counted by, in kebab-case: "missing-field", "evidence-not-in-context". */
  readonly reason: string;
  /** Names the field and what is wrong with it. */
  readonly detail: string;
}

/** A task on its way to a file. */
export interface PreparedTask extends Task {
  /** Texts of the document's paragraphs in order: very long contexts are written as places in a corpus. */
  readonly paragraphs?: readonly string[];
  /** Of tasks that begin with the same records: the name under which these are written once, in a file beside. */
  readonly store?: string;
  /** Where it comes from, for what is said of bad rows. */
  readonly origin?: Pick<SourceRow, "source" | "row">;
}

/** What a preparer is given besides its options. Files read through it are entered in the manifest. */
export interface PrepareContext {
  /** The files of `--input`, or those fetched from a hub, in order. */
  readonly inputs: readonly string[];
  /** Names everything that is drawn at random. */
  readonly seed: number | string;
  /** At most so many tasks per file; who makes several files stops there in each. */
  readonly limit: number;
  /** Absent where the user named no tokenizer. */
  readonly countTokens?: CountTokens;
  readonly signal?: AbortSignal;
  /**
   * Rows of a JSON, JSONL or parquet file, one after another; what is no row of it is counted as a bad one.
   * @throws {DatasetError} UNREADABLE_FILE
   */
  rows(path: string): AsyncIterable<SourceRow>;
  /** A whole text file (UTF-8). @throws {DatasetError} UNREADABLE_FILE */
  text(path: string): Promise<string>;
  badRow(row: SourceBadRow): void;
  /** Counts an item that the options leave out: a good row, only not asked for. */
  leftOut(reason: string): void;
  /** Counts something in a good row that was left out of its task or read in a way that should be known. */
  remark(reason: string): void;
  /** How much is done, where the preparer knows; without a call the tasks written so far are shown. */
  progress(done: number, total: number): void;
}

/** What `palimpsest data prepare NAME` runs: source files or a generator -> tasks. */
export interface Preparer {
  readonly name: string;
  /** One line for `--help`. */
  readonly summary: string;
  /** Whether `--input` must be, may be or cannot be given. */
  readonly inputs: "required" | "optional" | "none";
  /** Each field is a flag: `minDistance` is `--min-distance`; booleans take no value, arrays take several. */
  readonly options: z.ZodObject;
  /**
   * Where one call makes several files: the file of a task, without its ending, as in "eval_50"; `--out` is a
   * folder then.
   */
  readonly file?: (task: Task) => string;
  /** The files that a call with these options makes, where `file` names several: what `data check` looks for. */
  readonly files?: (options: unknown) => readonly string[];
  /**
   * Tasks in the order of the file. Runs until its reader stops, which is how `--limit` ends it early.
   * @throws {DatasetError} BAD_CONFIG, UNREADABLE_FILE, BAD_ROWS
   */
  prepare(options: unknown, context: PrepareContext): AsyncIterable<PreparedTask>;
}

/** A preparer whose options are parsed before it sees them. */
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
      const parsed = definition.options.safeParse(input);
      if (parsed.success) return prepare(parsed.data, context);
      const message = `${definition.name} settings: ${z.prettifyError(parsed.error)}`;
      throw new DatasetError("BAD_CONFIG", message, {}, parsed.error);
    },
  };
}
