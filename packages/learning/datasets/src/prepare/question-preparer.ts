import { resolve } from "node:path";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { ParagraphPool } from "../paragraphs/paragraph-pool.js";
import { readPool } from "../paragraphs/read-pool.js";
import { finishedRow, isFinishedRow } from "../questions/finished-row.js";
import type { QuestionProblem, SourceQuestion } from "../questions/source-question.js";
import type { RowProblem } from "../row-problem.js";
import { Corpora } from "../written/corpus.js";
import { aliasesOption, readAliases, withAliases } from "./answer-aliases.js";
import { type ContextOptions, contextOptions, docsOption } from "./paragraph-options.js";
import {
  definePreparer,
  type PrepareContext,
  type PreparedTask,
  type Preparer,
  type SourceRow,
} from "./preparer.js";
import { answerElsewhere, paragraphsOfQuestions, questionTask } from "./question-tasks.js";

/** Reads the questions of one row, each of which may be good or bad. */
export type ReadQuestions = (value: unknown) => readonly (SourceQuestion | QuestionProblem)[];

/**
 * Defines a preparer of a data set whose rows are questions with paragraphs, or finished contexts made from them by
 * others.
 */
export function questionPreparer(definition: {
  readonly name: string;
  readonly summary: string;
  readonly read: ReadQuestions;
}): Preparer {
  const { name, summary, read } = definition;
  return definePreparer({
    name,
    summary,
    inputs: "required",
    options: z.strictObject({ docs: docsOption, aliases: aliasesOption, ...contextOptions }),
    async *prepare(options, context) {
      const { docs, corpus } = options;
      const items = readItems(
        read,
        { dataSource: name, docs, corpus, corpora: new Corpora((path) => context.rows(path)) },
        context,
      );
      const settings = { ...options, docs, dataSource: name };
      const pool = options.pool && (await readPool(options.pool, context));
      const aliases = await readAliases(options.aliases, context);
      const waiting: AskedQuestion[] = [];
      for await (const found of items) {
        const item =
          "task" in found ? found : { ...found, question: withAliases(found.question, aliases, context) };
        if ("task" in item) yield item.task;
        else if (pool === undefined) waiting.push(item);
        else yield* itemTask(item, pool, settings, context);
      }
      const ownPool = new ParagraphPool(paragraphsOfQuestions(waiting.map(({ question }) => question)));
      for (const item of waiting) yield* itemTask(item, ownPool, settings, context);
    },
  });
}

/** A question and the row from which it was read. */
export interface AskedQuestion {
  readonly question: SourceQuestion;
  readonly origin: Pick<SourceRow, "source" | "row">;
}

/** Yields the question's task, unless `clean` or the positions of its evidence leave it out. */
export function* itemTask(
  { question, origin }: AskedQuestion,
  pool: ParagraphPool,
  settings: ContextOptions & { readonly docs: number | undefined; readonly dataSource: string },
  context: PrepareContext,
): Iterable<PreparedTask> {
  if (settings.clean && answerElsewhere(question, pool) !== undefined) {
    context.leftOut("answer-elsewhere");
    return;
  }
  const task = questionTask(question, pool, settings, context);
  if (task) yield { ...task, origin };
}

/** How rows with finished contexts are read. */
export interface FinishedRows {
  readonly dataSource: string;
  readonly docs: number | undefined;
  readonly corpus: string | undefined;
  readonly corpora: Corpora;
}

/** Yields everything that the inputs contain, and counts bad rows. */
export async function* readItems(
  read: ReadQuestions,
  finished: FinishedRows,
  context: PrepareContext,
): AsyncGenerator<AskedQuestion | { readonly task: PreparedTask }> {
  for (const path of context.inputs) {
    for await (const row of context.rows(path)) {
      const origin = { source: row.source, row: row.row };
      if (isFinishedRow(row.value)) {
        const task = await finishedTask(row, finished);
        if ("reason" in task) context.badRow({ ...origin, ...task });
        else yield { task: { ...task, origin } };
        continue;
      }
      for (const question of read(row.value)) {
        if ("reason" in question) context.badRow({ ...origin, ...question });
        else yield { question, origin };
      }
    }
  }
}

/**
 * @throws {DatasetError} BAD_CONFIG if `docs` is set, which a finished context cannot satisfy, or if a corpus is needed
 *   and not named
 */
async function finishedTask(row: SourceRow, rows: FinishedRows): Promise<PreparedTask | RowProblem> {
  if (rows.docs !== undefined) {
    throw new DatasetError(
      "BAD_CONFIG",
      `docs: ${row.source} contains finished contexts, whose number of documents is fixed; leave docs out, or give the data set's original rows`,
      { source: row.source },
    );
  }
  const finished = finishedRow(row.value, rows.dataSource);
  if ("reason" in finished || finished.indices === undefined)
    return "task" in finished ? finished.task : finished;
  if (rows.corpus === undefined) {
    throw new DatasetError(
      "BAD_CONFIG",
      `corpus: ${row.source} gives contexts as indices into a file of paragraphs; set corpus to that file`,
      { source: row.source },
    );
  }
  const document = await rows.corpora.document(
    { corpus: resolve(rows.corpus), indices: finished.indices },
    row.source,
  );
  return { ...finished.task, document };
}
