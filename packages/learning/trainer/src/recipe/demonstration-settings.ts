import { loraConfigSchema } from "@palimpsest/model";
import { z } from "zod";

/** Settings of training on demonstrations, for `train sft --data` and for a recipe's `start`. */
export const demonstrationSettingsSchema = z.strictObject({
  demonstrations: z
    .string()
    .min(1)
    .describe("JSONL file, relative to the recipe: each line has messages, or prompt and completion")
    .meta({ format: "path" }),
  epochs: z.int().min(1).max(64).default(3).describe("passes over the demonstrations, each in another order"),
  batch: z.int().min(1).max(4096).default(16).describe("demonstrated answers per optimizer step"),
  maxTokens: z.int().min(8).default(1024).describe("most tokens of prompt and answer together"),
  tooLong: z
    .enum(["refuse", "skip"])
    .default("refuse")
    .describe(
      "what to do with a demonstration of more than maxTokens. refuse: fail; skip: leave it out and count it",
    ),
  template: z
    .enum(["auto", "none"])
    .default("auto")
    .describe("prompt format. auto: the model's chat template, if it has one; none: plain text"),
  enableThinking: z
    .boolean()
    .default(false)
    .describe(
      "whether the template is told that the model thinks before it answers, as the agents' setting of this name; it must be what they ask with",
    ),
  microBatchTokens: z
    .int()
    .min(8)
    .default(4096)
    .describe("token positions per micro-batch, including padding; at least maxTokens"),
  learningRate: z
    .number()
    .positive()
    .default(1e-5)
    .describe("peak learning rate; it is reached after the warm-up and then falls along a cosine to a tenth"),
  warmupFraction: z.number().min(0).max(1).default(0.05).describe("fraction of the steps that are warm-up"),
  lora: loraConfigSchema
    .nullable()
    .default(null)
    .describe(
      "LoRA adapters to train, which are merged into the weights at the end; null: all weights are trained",
    ),
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
    .describe("optimizer steps between checkpoints, which is the most that an interruption can lose"),
  seed: z
    .int()
    .min(0)
    .max(0xffffffff)
    .default(1)
    .describe("seed of the order of demonstrations, and of the initial adapters"),
});

/** The section `start` of a recipe, with all defaults filled in. */
export type DemonstrationSettings = z.output<typeof demonstrationSettingsSchema>;
