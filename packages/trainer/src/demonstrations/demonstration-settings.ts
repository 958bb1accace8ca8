import { loraConfigSchema } from "@palimpsest/model";
import { z } from "zod";

/** Settings of training on demonstrations, for `train sft --data` and for a recipe's `start`. */
export const demonstrationSettingsSchema = z.strictObject({
  demonstrations: z
    .string()
    .min(1)
    .describe("JSONL file, relative to the recipe: each line has messages, or prompt and completion")
    .meta({ format: "path" }),
  epochs: z
    .int()
    .min(1)
    .max(64)
    .default(3)
    .describe("passes over the demonstrations, each in a different order"),
  batch: z.int().min(1).max(4096).default(16).describe("answers per optimizer step"),
  maxTokens: z.int().min(8).default(1024).describe("longest prompt plus answer, tokens"),
  tooLong: z
    .enum(["refuse", "skip"])
    .default("refuse")
    .describe("what to do with a demonstration above maxTokens; skip: it is left out and counted"),
  template: z
    .enum(["auto", "none"])
    .default("auto")
    .describe("auto: the model's chat template, if it has one; none: prompts are plain text"),
  microBatchTokens: z
    .int()
    .min(8)
    .default(4096)
    .describe("token positions that are computed at once, including padding; at least maxTokens"),
  learningRate: z
    .number()
    .positive()
    .default(1e-5)
    .describe("peak learning rate, reached after a warm-up; then it falls as a cosine to a tenth"),
  warmupFraction: z.number().min(0).max(1).default(0.05).describe("share of the steps used for warm-up"),
  lora: loraConfigSchema
    .nullable()
    .default(null)
    .describe("adapters to train, which are merged into the weights at the end; null: all weights"),
  precision: z
    .enum(["auto", "float32", "bfloat16"])
    .default("auto")
    .describe(
      "the type to which matrix products round their inputs; auto: bfloat16 on a CPU if a trial of 100 ms finds it faster for this model, else float32",
    ),
  checkpointEverySteps: z
    .int()
    .min(1)
    .default(100)
    .describe("most optimizer steps that an interruption can lose"),
  seed: z.int().min(0).max(0xffffffff).default(1).describe("seed of the orders, and of adapters"),
});

export type DemonstrationSettings = z.output<typeof demonstrationSettingsSchema>;
