import { rulerConfigSchema } from "@palimpsest/small-world";
import { z } from "zod";
import { evaluationMetrics } from "./evaluation-standing.js";

const count = z.int().min(1);

/** The `evaluation` section of a recipe. */
export const evaluationSchema = z
  .strictObject({
    tasks: count.default(128).describe("questions per length"),
    lengths: z
      .array(z.int().min(1))
      .min(1)
      .refine((lengths) => new Set(lengths).size === lengths.length, { error: "must have each length once" })
      .default([1, 2, 4, 8, 16])
      .describe("document lengths, in multiples of the training length"),
    source: rulerConfigSchema
      .optional()
      .describe("generator of the questions; `sentences` is the training length, which `lengths` multiply"),
    files: z
      .array(
        z.strictObject({
          path: z
            .string()
            .min(1)
            .describe("prepared file, relative to the recipe; its first `tasks` questions are asked")
            .meta({ format: "path" }),
          lengthTokens: count.describe("approximate length of the file's documents, which labels its column"),
        }),
      )
      .min(1)
      .optional()
      .describe("prepared files instead of a generator, one per length"),
    temperature: z.number().min(0).default(1).describe("sampling temperature of evaluations; 0 is greedy"),
    topP: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .describe(
        "share of the probability, most likely tokens first, that evaluations sample from; absent: agent.settings.topP, as in training",
      ),
    samples: count
      .max(256)
      .default(1)
      .describe("answers per question, for mean@k and pass@k; more than one requires a temperature above 0"),
    everySteps: count
      .optional()
      .describe(
        "steps between evaluations during training, by which the best checkpoint is kept; absent: evaluations run only before and after training",
      ),
    metric: z
      .enum(evaluationMetrics)
      .default("meanReward")
      .describe(
        "metric, averaged over the lengths, that decides about the best checkpoint and train.stopWhen",
      ),
    seed: z.int().default(1_000_003).describe("seed of the questions and of sampling"),
  })
  .refine(({ source, files }) => (source === undefined) !== (files === undefined), {
    message: "set exactly one of source, a generator, and files, prepared ones",
  });
