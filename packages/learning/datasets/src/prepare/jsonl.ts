import { resolve } from "node:path";
import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { answersSchema } from "../answer-text.js";
import { DatasetError } from "../error.js";
import { finishedRow, isFinishedRow } from "../questions/finished-row.js";
import { idOfQuestion } from "../questions/source-question.js";
import { type RowProblem, readRow } from "../row-problem.js";
import { Corpora } from "../written/corpus.js";
import { Stores } from "../written/stores.js";
import { parseTaskRow } from "../written/task-row.js";
import { definePreparer, type SourceRow } from "./preparer.js";

const optionsSchema = z.strictObject({
  dataSource: z.string().min(1).default("jsonl").describe("metadata.dataSource of rows that do not set it"),
  corpus: z
    .string()
    .min(1)
    .optional()
    .describe(
      "file of paragraphs, or RULER-HQA's hotpotqa_dev.json, for rows that give their context as indices into it",
    ),
  idField: z
    .string()
    .min(1)
    .default("id")
    .describe("field with the id; rows without one get a hash of the question"),
  questionField: z.string().min(1).default("question").describe("field with the question"),
  answersField: z
    .string()
    .min(1)
    .default("answers")
    .describe("field with the answers: a text, number, true or false, or a list of them"),
  documentField: z.string().min(1).default("document").describe("field with the text to read"),
  keepFields: z.array(z.string().min(1)).default([]).describe("further fields to copy into the metadata"),
});

/**
 * Reads rows with a question, answers and a text, whatever the names of their fields, and every format that this
 * project reads.
 */
export const jsonl = definePreparer({
  name: "jsonl",
  summary: "any JSON, JSONL or parquet file with a question, answers and a document in each row",
  inputs: "required",
  options: optionsSchema,
  async *prepare(options, context) {
    const corpora = new Corpora((path) => context.rows(path));
    const stores = new Stores();
    for (const path of context.inputs) {
      for await (const row of context.rows(path)) {
        const task = await taskOf(row, options, { corpora, stores });
        if ("reason" in task) context.badRow({ source: row.source, row: row.row, ...task });
        else yield { ...task, origin: { source: row.source, row: row.row } };
      }
    }
  },
});

async function taskOf(
  { source, value }: SourceRow,
  options: z.output<typeof optionsSchema>,
  { corpora, stores }: { readonly corpora: Corpora; readonly stores: Stores },
): Promise<Task | RowProblem> {
  if (isFinishedRow(value)) {
    const finished = finishedRow(value, options.dataSource);
    if ("reason" in finished) return finished;
    if (finished.indices === undefined) return finished.task;
    if (options.corpus === undefined) {
      throw new DatasetError(
        "BAD_CONFIG",
        `corpus: ${source} gives contexts as indices into a file of paragraphs; set corpus to that file`,
      );
    }
    return {
      ...finished.task,
      document: await corpora.document(
        { corpus: resolve(options.corpus), indices: finished.indices },
        source,
      ),
    };
  }
  const own = parseTaskRow(value);
  if ("data" in own) {
    const { document, ...rest } = await stores.records(own.data, source);
    if (typeof document === "string") return { ...rest, document };
    return { ...rest, document: await corpora.document(document, source) };
  }
  return namedFields(value, options);
}

function namedFields(value: unknown, options: z.output<typeof optionsSchema>): Task | RowProblem {
  const { idField, questionField, answersField, documentField, keepFields, dataSource } = options;
  const text = z.string().trim().min(1);
  const schema = z.object({
    [idField]: z.union([text, z.int()]).optional(),
    [questionField]: text,
    [answersField]: answersSchema,
    [documentField]: z.string().min(1),
  });
  const row = readRow(schema, value);
  if ("reason" in row) return row;
  const shape = z.object({ question: z.string(), answers: z.array(z.string()), document: z.string() });
  const { question, answers, document } = shape.parse({
    question: row.data[questionField],
    answers: row.data[answersField],
    document: row.data[documentField],
  });
  const id = row.data[idField];
  const kept = z.record(z.string(), z.unknown()).parse(value);
  const metadata: Record<string, string | number | boolean> = { dataSource };
  for (const field of keepFields) {
    const one = kept[field];
    if (typeof one === "string" || typeof one === "number" || typeof one === "boolean") metadata[field] = one;
    else if (one !== undefined && one !== null) {
      return {
        reason: "wrong-type",
        detail: `${field}: must be a string, a number or a boolean to be copied into the metadata`,
      };
    }
  }
  return {
    id: id === undefined ? idOfQuestion(question) : String(id),
    question,
    answers,
    document,
    metadata,
  };
}
