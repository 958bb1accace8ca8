import { resolve } from "node:path";
import type { Task } from "@palimpsest/trajectories";
import { DatasetError } from "../error.js";
import {
  type BuiltContext,
  buildContext,
  type ContextSettings,
  renderDocuments,
} from "../paragraphs/build-context.js";
import { type EvidencePlaces, evidencePlaces } from "../paragraphs/evidence-places.js";
import { ParagraphPool } from "../paragraphs/paragraph-pool.js";
import { readPool } from "../paragraphs/read-pool.js";
import { finishedRow, isFinishedRow } from "../questions/finished-row.js";
import { hotpotQuestion } from "../questions/hotpot-question.js";
import { musiqueQuestion } from "../questions/musique-question.js";
import type { QuestionProblem, SourceQuestion } from "../questions/source-question.js";
import { type RowProblem, readRow } from "../row-problem.js";
import { fileRows } from "../source/file-rows.js";
import { Corpora } from "../written/corpus.js";
import { Stores } from "../written/stores.js";
import { taskRowSchema } from "../written/task-row.js";
import { readAliases, withAliases } from "./answer-aliases.js";
import type { PrepareContext, SourceBadRow, SourceRow } from "./preparer.js";
import { paragraphsOfQuestions } from "./question-tasks.js";

/**
 * A context that a file contains in finished form. If the file contains indices, the document is read when it is
 * requested.
 */
export interface FinishedContext {
  /** The task; its document is "" if `document` must be called. */
  readonly task: Task;
  document(): Promise<string>;
}

/** A question's context with a given number of documents. It is built again each time its document is requested. */
export interface QuestionContext extends EvidencePlaces {
  readonly numDocs: number;
  /** Titles of the paragraphs that contain the evidence. */
  readonly goldTitles: readonly string[];
  document(): string;
}

/** Everything that files of questions contain. */
export interface QuestionSource {
  readonly questions: readonly SourceQuestion[];
  readonly finished: readonly FinishedContext[];
  readonly pool: ParagraphPool;
  readonly badRows: readonly SourceBadRow[];
}

/** The files from which questions and their documents come. */
export interface QuestionSourceFiles {
  /**
   * Files with rows of HotpotQA, 2WikiMultiHopQA or MuSiQue, finished contexts in the formats of MemAgent, vime and
   * RULER-HQA, or prepared tasks. Formats may be mixed.
   */
  readonly inputs: readonly string[];
  /** Files from which other paragraphs are drawn; absent: the paragraphs of the questions themselves. */
  readonly pool?: readonly string[];
  /** JSON file of paragraphs into which the indices of RULER-HQA's finished contexts point. */
  readonly corpus?: string;
  /** Data source in the metadata of rows that do not state it themselves. */
  readonly dataSource: string;
  readonly signal?: AbortSignal;
}

/**
 * Reads questions for callers that build contexts themselves. Evaluations do, so that hundreds of very long contexts
 * are never in memory at once.
 * @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS if a named store is missing; the signal's reason
 */
export async function readQuestionSource(files: QuestionSourceFiles): Promise<QuestionSource> {
  const questions: SourceQuestion[] = [];
  const finished: FinishedContext[] = [];
  const badRows: SourceBadRow[] = [];
  const beside = { corpora: new Corpora(), stores: new Stores() };
  const seen = new Set<string>();
  const context = rowContext(files, badRows);
  const aliases = await readAliases(undefined, context);
  for (const path of files.inputs) {
    for await (const row of context.rows(path)) {
      const read = await readValue(row, files, beside);
      const bad = (problem: Pick<SourceBadRow, "reason" | "detail">) =>
        void badRows.push({ source: row.source, row: row.row, ...problem });
      if ("reason" in read) {
        bad(read);
        continue;
      }
      const [id, key] = identityOf(read);
      if (seen.has(key)) {
        bad({ reason: "duplicate-id", detail: `id: "${id}" is already used by an earlier row` });
        continue;
      }
      seen.add(key);
      if ("question" in read) questions.push(withAliases(read.question, aliases, context));
      else finished.push(read);
    }
  }
  const pool = files.pool
    ? await readPool(files.pool, context)
    : new ParagraphPool(paragraphsOfQuestions(questions));
  return { questions, finished, pool, badRows };
}

/**
 * Returns the id, and a key that may occur only once: a question has one, and so has each of its finished contexts by
 * length.
 */
function identityOf(
  read: { readonly question: SourceQuestion } | FinishedContext,
): readonly [id: string, key: string] {
  if ("question" in read) return [read.question.id, `question ${read.question.id}`];
  const { id, metadata } = read.task;
  return [id, `${metadata["numDocs"] ?? metadata["lengthTokens"] ?? ""} ${id}`];
}

/**
 * Builds a question's context.
 * @throws {DatasetError} BAD_CONFIG if the pool is too small or too few documents are requested
 */
export function questionContext(
  question: SourceQuestion,
  pool: ParagraphPool,
  settings: ContextSettings,
): QuestionContext {
  const build = (): BuiltContext => buildContext(question, pool, settings);
  const { texts, goldDocuments } = build();
  return {
    ...evidencePlaces(goldDocuments),
    numDocs: texts.length,
    goldTitles: question.gold.map((place) => question.paragraphs[place]?.title ?? ""),
    document: () => renderDocuments(build().texts),
  };
}

/** The files beside those of tasks, each of which is read once. */
interface WrittenBeside {
  readonly corpora: Corpora;
  readonly stores: Stores;
}

async function readValue(
  { source, value }: SourceRow,
  files: QuestionSourceFiles,
  beside: WrittenBeside,
): Promise<{ readonly question: SourceQuestion } | FinishedContext | RowProblem | QuestionProblem> {
  if (isFinishedRow(value)) return finishedContext(value, source, files, beside.corpora);
  if (typeof value === "object" && value !== null && "document" in value) {
    return await preparedContext(value, source, beside);
  }
  const isMusique = typeof value === "object" && value !== null && "paragraphs" in value;
  const question = isMusique ? musiqueQuestion(value) : hotpotQuestion(value);
  return "reason" in question ? question : { question };
}

function finishedContext(
  value: unknown,
  source: string,
  { corpus, dataSource }: QuestionSourceFiles,
  corpora: Corpora,
): FinishedContext | RowProblem {
  const row = finishedRow(value, dataSource);
  if ("reason" in row) return row;
  const { task, indices } = row;
  if (indices === undefined) return { task, document: () => Promise.resolve(task.document) };
  if (corpus === undefined) {
    throw new DatasetError(
      "BAD_CONFIG",
      `corpus: ${source} gives contexts as indices into a file of paragraphs; set corpus to that file`,
      { source },
    );
  }
  return { task, document: () => corpora.document({ corpus: resolve(corpus), indices }, source) };
}

async function preparedContext(
  value: object,
  source: string,
  { corpora, stores }: WrittenBeside,
): Promise<FinishedContext | RowProblem> {
  const row = readRow(taskRowSchema, value);
  if ("reason" in row) return row;
  const { document, probes: _, ...task } = await stores.records(row.data, source);
  if (typeof document === "string") {
    return { task: { ...task, document }, document: () => Promise.resolve(document) };
  }
  return { task: { ...task, document: "" }, document: () => corpora.document(document, source) };
}

/** Returns a context that only reads rows and collects bad rows, without a manifest. */
function rowContext(files: QuestionSourceFiles, badRows: SourceBadRow[]): PrepareContext {
  const { inputs, signal } = files;
  const context = {
    inputs,
    seed: 0,
    limit: Number.POSITIVE_INFINITY,
    ...(signal ? { signal } : {}),
    async *rows(path: string) {
      for await (const row of fileRows(path, signal)) {
        if ("reason" in row) badRows.push({ source: path, ...row });
        else yield { source: path, ...row };
      }
    },
    text: () => Promise.reject(new Error("a file of questions is read row by row, never as one text")),
    badRow: (row: SourceBadRow) => void badRows.push(row),
    remark: () => undefined,
    leftOut: () => undefined,
    progress: () => undefined,
  };
  return context;
}
