import { z } from "zod";
import { ParagraphPool } from "../paragraphs/paragraph-pool.js";
import { readPool } from "../paragraphs/read-pool.js";
import { hotpotQuestion } from "../questions/hotpot-question.js";
import { Corpora } from "../written/corpus.js";
import { contextOptions } from "./paragraph-options.js";
import { definePreparer } from "./preparer.js";
import { type AskedQuestion, itemTask, readItems } from "./question-preparer.js";
import { paragraphsOfQuestions } from "./question-tasks.js";

const officialLengths = [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600];
const optionsSchema = z.strictObject({
  lengths: z
    .array(z.int().min(1))
    .min(1)
    .refine(
      (lengths) => new Set(lengths).size === lengths.length,
      "a length occurs twice; give each length once",
    )
    .default(officialLengths)
    .describe("numbers of documents per context, one output file each; every file asks the same questions"),
  ...contextOptions,
});
const fileOf = (numDocs: unknown) => `eval_${String(numDocs ?? "unknown")}`;

/** RULER-HQA: one file per length, from HotpotQA's rows or from finished evaluation files. */
export const rulerHqa = definePreparer({
  name: "ruler-hqa",
  summary: "RULER-HQA, MemAgent's evaluation: the same HotpotQA questions in contexts of several lengths",
  inputs: "required",
  options: optionsSchema,
  file: (task) => fileOf(task.metadata["numDocs"]),
  files: (options) => optionsSchema.parse(options).lengths.map(fileOf),
  async *prepare(options, context) {
    const asked: AskedQuestion[] = [];
    const finished = {
      dataSource: "hotpotqa",
      docs: undefined,
      corpus: options.corpus,
      corpora: new Corpora((path) => context.rows(path)),
    };
    for await (const item of readItems((value) => [hotpotQuestion(value)], finished, context)) {
      if ("task" in item) yield item.task;
      else asked.push(item);
    }
    const pool = options.pool
      ? await readPool(options.pool, context)
      : new ParagraphPool(paragraphsOfQuestions(asked.map(({ question }) => question)));
    const total = Math.min(context.limit, asked.length) * options.lengths.length;
    let done = 0;
    for (const docs of options.lengths) {
      let made = 0;
      for (const item of asked) {
        if (made >= context.limit) break;
        for (const task of itemTask(item, pool, { ...options, docs, dataSource: "hotpotqa" }, context)) {
          yield task;
          made += 1;
          done += 1;
          context.progress(done, total);
        }
      }
    }
  },
});
