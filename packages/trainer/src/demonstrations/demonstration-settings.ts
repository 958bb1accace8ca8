import { loraConfigSchema } from "@palimpsest/model";
import { z } from "zod";

/** How a model is trained to do as demonstrations do: of `train sft --data`, and of a recipe's `start`. */
export const demonstrationSettingsSchema = z.strictObject({
  demonstrations: z
    .string()
    .min(1)
    .describe("JSONL file, relative to the recipe: a line has messages, or prompt and completion"),
  epochs: z
    .int()
    .min(1)
    .max(64)
    .default(3)
    .describe("passes over the demonstrations, each in an order of its own"),
  batch: z.int().min(1).max(4096).default(16).describe("answers that one optimizer step learns"),
  maxTokens: z.int().min(8).default(1024).describe("longest prompt and answer together, tokens"),
  tooLong: z
    .enum(["refuse", "skip"])
    .default("refuse")
    .describe("of a demonstration above maxTokens; skip: it is left out and counted"),
  template: z
    .enum(["auto", "none"])
    .default("auto")
    .describe("auto: the model's chat template, where it has one; none: prompts are plain text"),
  microBatchTokens: z
    .int()
    .min(8)
    .default(4096)
    .describe("token places that are computed at once, padding included; at least maxTokens"),
  learningRate: z
    .number()
    .positive()
    .default(1e-5)
    .describe("peak; it rises at first, then falls as a cosine to a tenth"),
  warmupFraction: z.number().min(0).max(1).default(0.05).describe("share of the steps in which it rises"),
  lora: loraConfigSchema
    .nullable()
    .default(null)
    .describe("adapters to train, which are merged into the weights at the end; null: all weights"),
  precision: z
    .enum(["auto", "float32", "bfloat16"])
    .default("auto")
    .describe(
      "what matrix products round their inputs to; auto: bfloat16 on a CPU where a trial of 100 ms finds it faster for this model, else float32",
    ),
  checkpointEverySteps: z
    .int()
    .min(1)
    .default(100)
    .describe("optimizer steps that are lost at most when it is interrupted"),
  seed: z.int().min(0).max(0xffffffff).default(1).describe("of the orders, and of adapters"),
});

export type DemonstrationSettings = z.output<typeof demonstrationSettingsSchema>;
