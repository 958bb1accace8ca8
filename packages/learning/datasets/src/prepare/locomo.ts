import { readLocomoConversation } from "../locomo/conversation.js";
import { locomoOptionsSchema, locomoTasks } from "../locomo/locomo-tasks.js";
import { type LocomoSplit, locomoSplit, locomoSplits } from "../locomo/split.js";
import { definePreparer } from "./preparer.js";

/** LoCoMo's ten conversations as stores of records with questions about them. */
export const locomo = definePreparer({
  name: "locomo",
  summary: "LoCoMo's locomo10.json: memory stores with questions, in MemUpdate's split",
  inputs: "required",
  options: locomoOptionsSchema,
  file: ({ metadata }) => String(metadata["split"]) as LocomoSplit,
  files: () => locomoSplits,
  async *prepare(options, context) {
    const made = { train: 0, test: 0 };
    for (const path of context.inputs) {
      for await (const { source, row, value } of context.rows(path)) {
        const read = readLocomoConversation(value);
        if ("reason" in read) {
          context.badRow({ source, row, ...read });
          continue;
        }
        for (const problem of read.data.badQuestions) context.badRow({ source, row, ...problem });
        const split = locomoSplit(read.data.id);
        if (made[split] >= context.limit) continue;
        for (const { reason } of read.data.remarks) context.remark(reason);
        const tasks = locomoTasks(read.data, options, context.seed, context.leftOut);
        made[split] += tasks.length;
        yield* tasks;
      }
    }
  },
});
