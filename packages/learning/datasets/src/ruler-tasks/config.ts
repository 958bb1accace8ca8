import { z } from "zod";
import { rulerTaskNames } from "./task-name.js";

/** Settings of the 13 tasks. The defaults are RULER's values where RULER fixes them. */
export const rulerTasksConfigSchema = z.strictObject({
  tasks: z
    .array(z.enum(rulerTaskNames))
    .min(1)
    .default([...rulerTaskNames])
    .describe("names of the tasks to generate"),
  lengths: z
    .array(z.int().min(512).max(16_777_216))
    .min(1)
    .describe("tokens in total: document, question, and the tokens that RULER reserves for the reply"),
  count: z.int().min(1).default(1).describe("tasks per name and length"),
  seed: z
    .union([z.int(), z.string()])
    .default(0)
    .describe("the same seed, settings and files give the same tasks"),
  charactersPerToken: z
    .number()
    .positive()
    .default(4)
    .describe("characters per token, to estimate lengths without a tokenizer"),
  depthPercent: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .describe("position of all needles, in percent of the document; absent: drawn for each needle"),
  variables: z
    .strictObject({
      chains: z
        .int()
        .min(1)
        .default(1)
        .describe("chains of assignments in the text; the question is about one"),
      hops: z.int().min(1).default(4).describe("assignments in a chain after its first"),
    })
    .prefault({})
    .describe("settings of the task vt"),
  commonWords: z
    .strictObject({
      common: z.int().min(1).default(10).describe("words that the question asks for"),
      commonRepeats: z
        .int()
        .min(2)
        .default(30)
        .describe("occurrences in the list of each word that is asked for"),
      otherRepeats: z.int().min(1).default(3).describe("occurrences of each other word"),
    })
    .refine(({ commonRepeats, otherRepeats }) => commonRepeats > otherRepeats, {
      error: "commonRepeats must be greater than otherRepeats",
    })
    .prefault({})
    .describe("settings of the task cwe"),
  frequentWords: z
    .strictObject({
      alpha: z
        .number()
        .min(1.1)
        .max(8)
        .default(2)
        .describe("exponent of the Zipf distribution: how steeply frequency falls with rank"),
      vocabulary: z.int().min(8).max(100_000).default(2000).describe("most distinct words"),
      asked: z.int().min(1).max(6).default(3).describe("words that the question asks for"),
    })
    .prefault({})
    .describe("settings of the task fwe"),
});

/** Settings of RULER's tasks with all defaults filled in; lengths are in tokens. */
export type RulerTasksConfig = z.infer<typeof rulerTasksConfigSchema>;
/** Settings of RULER's tasks; fields with defaults may be absent. */
export type RulerTasksInput = z.input<typeof rulerTasksConfigSchema>;
