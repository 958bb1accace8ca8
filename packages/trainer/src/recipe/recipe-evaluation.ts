import { rulerConfigSchema } from "@palimpsest/small-world";
import { z } from "zod";
import { evaluationMetrics } from "../evaluation-standing.js";

/** What a recipe says of its evaluations. */
export const evaluationSchema = z
  .strictObject({
    tasks: z.int().min(1).default(128).describe("questions a length"),
    lengths: z
      .array(z.int().min(1))
      .min(1)
      .default([1, 2, 4, 8, 16])
      .describe("document lengths, times the training length"),
    source: rulerConfigSchema
      .optional()
      .describe("generator of the questions; `sentences` is the training length, which `lengths` multiply"),
    files: z
      .array(
        z.strictObject({
          path: z.string().min(1).describe("prepared file; its first `tasks` tasks are asked"),
          lengthTokens: z.int().min(1).describe("what its column is called: about so long are its documents"),
        }),
      )
      .min(1)
      .optional()
      .describe("prepared files instead of a generator, one a length"),
    temperature: z.number().min(0).default(1).describe("of sampling in evaluation; 0 is greedy"),
    samples: z
      .int()
      .min(1)
      .max(256)
      .default(1)
      .describe(
        "answers to each question, for mean@k and pass@k; more than one only at a temperature above 0",
      ),
    everySteps: z
      .int()
      .min(1)
      .optional()
      .describe(
        "evaluates after every so many steps, too, and keeps the best checkpoint; absent: before and after alone",
      ),
    metric: z
      .enum(evaluationMetrics)
      .default("meanReward")
      .describe("what the best checkpoint and train.stopWhen go by: its mean over the lengths"),
    seed: z.int().default(1_000_003).describe("of the questions and of sampling"),
  })
  .refine(({ source, files }) => (source === undefined) !== (files === undefined), {
    message: "give either source, a generator, or files, prepared ones",
  });
