import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { rulerTasksConfigSchema } from "../ruler-tasks/config.js";
import { rulerTaskSet } from "../ruler-tasks/ruler-task-set.js";
import { rulerSources } from "../ruler-tasks/sources.js";
import { definePreparer } from "./preparer.js";

const { tasks, lengths, count, charactersPerToken, depthPercent } = rulerTasksConfigSchema.shape;
const officialLengths = [4096, 8192, 16_384, 32_768, 65_536, 131_072];

const optionsSchema = z.strictObject({
  tasks,
  lengths: lengths.default(officialLengths),
  count,
  essay: z
    .string()
    .min(1)
    .optional()
    .describe("file of plain text into which six of the tasks insert their needles; absent: generated prose"),
  squad: z.string().min(1).optional().describe("file of questions for qa_1, in SQuAD's format"),
  hotpotqa: z.string().min(1).optional().describe("file of questions for qa_2, in HotpotQA's format"),
  depthPercent,
  charactersPerToken,
  chains: z
    .int()
    .min(1)
    .default(1)
    .describe("task vt: chains of assignments in the text; the question is about one"),
  hops: z.int().min(1).default(4).describe("task vt: assignments in a chain after its first"),
});

const fileOf = (task: unknown, length: unknown) => `${String(task)}_${String(length)}`;

/** RULER's 13 tasks, with one file per task and length. */
export const ruler = definePreparer({
  name: "ruler",
  summary: "RULER's 13 synthetic tasks, generated at any length in tokens",
  inputs: "none",
  options: optionsSchema,
  file: (task: Task) => fileOf(task.metadata["task"], task.metadata["length"]),
  files: (options) => {
    const { tasks: names, lengths: sizes } = optionsSchema.parse(options);
    return names.flatMap((name) => sizes.map((length) => fileOf(name, length)));
  },
  async *prepare(options, context) {
    const { essay, squad, hotpotqa, chains, hops, ...config } = options;
    const sources = await rulerSources({ essay, squad, hotpotqa }, context);
    const total = config.tasks.length * config.lengths.length * Math.min(config.count, context.limit);
    let done = 0;
    const stream = rulerTaskSet(
      {
        ...config,
        seed: context.seed,
        variables: { chains, hops },
        count: Math.min(config.count, context.limit),
      },
      { ...sources, ...(context.countTokens ? { countTokens: context.countTokens } : {}) },
    );
    for (const { pieces, ...task } of stream) {
      yield { ...task, document: [...pieces()].join("") };
      done += 1;
      context.progress(done, total);
    }
  },
});
