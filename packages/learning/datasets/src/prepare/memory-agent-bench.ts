import { z } from "zod";
import { answersSchema } from "../answer-text.js";
import { readRow } from "../row-problem.js";
import { numberedFacts, replacedFacts } from "../sessions/fact-list.js";
import { definePreparer } from "./preparer.js";

const text = z.string().min(1);
const rowSchema = z.object({
  context: text,
  questions: z.array(text).min(1),
  answers: z.array(answersSchema),
  metadata: z.object({
    source: text,
    qa_pair_ids: z.array(text).nullish(),
    question_ids: z.array(text).nullish(),
    question_types: z.array(text).nullish(),
  }),
});

/** The published rows of a source, and the questions of each of them. */
const published: readonly (readonly [source: RegExp, rows: number, questions?: number])[] = [
  [/^factconsolidation_[sm]h_\d+k$/, 1, 100],
  [/^ruler_qa\d_\d+K$/i, 1, 100],
  [/^eventqa_/, 5, 100],
  [/^longmemeval_s/, 5, 60],
  [/^icl_/, 1, 100],
  [/^recsys_redial_full$/, 1, 200],
  [/^infbench_sum/, 100, 1],
  [/^detective_qa$/, 10],
];

/** MemoryAgentBench's rows: a long text and many questions about it, which share it in a file beside the tasks. */
export const memoryAgentBench = definePreparer({
  name: "memory-agent-bench",
  summary: "MemoryAgentBench's four splits (parquet or JSON): one text and many questions per row",
  inputs: "required",
  options: z.strictObject({
    sources: z
      .array(text)
      .default([])
      .describe("beginnings of the sources to prepare, such as factconsolidation_sh; empty: all"),
  }),
  async *prepare({ sources }, context) {
    const rows = new Map<string, number>();
    for (const path of context.inputs) {
      for await (const { source: file, row, value } of context.rows(path)) {
        const origin = { source: file, row };
        const bad = (detail: string) => context.badRow({ ...origin, reason: "bad-value", detail });
        const read = readRow(rowSchema, value);
        if ("reason" in read) {
          context.badRow({ ...origin, ...read });
          continue;
        }
        const { context: document, questions, answers, metadata } = read.data;
        const { source, qa_pair_ids: ids, question_ids: own, question_types: types } = metadata;
        if (sources.length > 0 && !sources.some((beginning) => source.startsWith(beginning))) {
          context.leftOut(`source ${source}`);
          continue;
        }
        if (answers.length !== questions.length) {
          bad(`answers: has ${answers.length} lists for ${questions.length} questions`);
          continue;
        }
        const nth = (rows.get(source) ?? 0) + 1;
        rows.set(source, nth);
        const wanted = published.find(([pattern]) => pattern.test(source))?.[2];
        if (wanted !== undefined && wanted !== questions.length)
          context.remark(`${source}: ${questions.length} questions, but ${wanted} are published`);
        // The chain of a question over several facts is not known, and so neither is its replaced answer.
        const facts = source.includes("_sh_") ? numberedFacts(document) : [];
        for (const [at, question] of questions.entries()) {
          const golds = answers[at] ?? [];
          const oldValues = replacedFacts(facts, question, golds);
          yield {
            id: ids?.[at] ?? `${source}-${nth}-${at}`,
            question,
            answers: golds,
            document,
            paragraphs: [document],
            shared: true,
            metadata: {
              dataSource: "memory-agent-bench",
              category: source,
              ...(types?.[at] === undefined ? {} : { type: types[at] }),
              abstention: own?.[at]?.endsWith("_abs") ?? false,
              ...(oldValues.length === 0 ? {} : { oldValues: oldValues.join(" | ") }),
            },
            origin,
          };
        }
      }
    }
    for (const [source, found] of rows) {
      const wanted = published.find(([pattern]) => pattern.test(source))?.[1];
      if (wanted !== undefined && wanted !== found)
        context.remark(`${source}: ${found} rows, but ${wanted} are published`);
    }
  },
});
