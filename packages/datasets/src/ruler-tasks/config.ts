import { z } from "zod";
import { rulerTaskNames } from "./task-name.js";

/** Settings of the 13 tasks. The defaults are RULER's values where RULER fixes them. */
export const rulerTasksConfigSchema = z.strictObject({
  tasks: z
    .array(z.enum(rulerTaskNames))
    .min(1)
    .default([...rulerTaskNames])
    .describe("which of the 13 tasks"),
  lengths: z
    .array(z.int().min(512).max(16_777_216))
    .min(1)
    .describe("tokens of document, question and the room that RULER leaves for the reply, together"),
  count: z.int().min(1).default(1).describe("tasks of each name and length"),
  seed: z.union([z.int(), z.string()]).default(0).describe("same seed, settings and files: same tasks"),
  charactersPerToken: z
    .number()
    .positive()
    .default(4)
    .describe("how tokens are estimated where no tokenizer counts them"),
  depthPercent: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .describe("where all needles stand; absent: drawn, each needle for itself"),
  variables: z
    .strictObject({
      chains: z.int().min(1).default(1).describe("chains of assignments in the text; one is asked for"),
      hops: z.int().min(1).default(4).describe("assignments after the first in a chain"),
    })
    .prefault({})
    .describe("vt"),
  commonWords: z
    .strictObject({
      common: z.int().min(1).default(10).describe("words that are asked for"),
      commonRepeats: z.int().min(2).default(30).describe("how often each of them stands in the list"),
      otherRepeats: z.int().min(1).default(3).describe("how often each other word does"),
    })
    .refine(({ commonRepeats, otherRepeats }) => commonRepeats > otherRepeats, {
      error: "commonRepeats must be above otherRepeats",
    })
    .prefault({})
    .describe("cwe"),
  frequentWords: z
    .strictObject({
      alpha: z.number().min(1.1).max(8).default(2).describe("how steeply frequency falls with rank"),
      vocabulary: z.int().min(8).max(100_000).default(2000).describe("different words at most"),
      asked: z.int().min(1).max(6).default(3).describe("words that are asked for"),
    })
    .prefault({})
    .describe("fwe"),
});

export type RulerTasksConfig = z.infer<typeof rulerTasksConfigSchema>;
export type RulerTasksInput = z.input<typeof rulerTasksConfigSchema>;
