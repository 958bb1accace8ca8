import { z } from "zod";
import { engineSettingsSchema } from "../engines/engine-settings.js";

const count = z.int().min(1);

export const rolloutSchema = z.strictObject({
  engine: engineSettingsSchema
    .optional()
    .describe("inference servers that sample for the rollout actors; absent: each actor samples itself"),
  actors: count
    .max(1024)
    .default(2)
    .describe("rollout actors, each with the whole model; with `engine` one per server"),
  concurrency: count.max(4096).default(64).describe("episodes in flight in one rollout actor"),
  maxBatch: count.max(4096).default(64).describe("largest batch of one sampler step, requests"),
  maxTokens: z.int().min(8).default(64).describe("longest prompt plus reply, tokens"),
  cacheTokens: count
    .optional()
    .describe("capacity of one actor's key-value cache, tokens; absent: maxBatch times maxTokens"),
  prefillTokens: z
    .int()
    .min(32)
    .optional()
    .describe("prompt tokens that are prefilled between two sampling steps; absent: by the model's size"),
  temperature: z
    .number()
    .gt(0)
    .max(10)
    .default(1)
    .describe(
      "sampling temperature in training, also of the log-probs and entropy that the learner computes",
    ),
  prefixCache: z
    .boolean()
    .default(true)
    .describe("prefill common prefixes of prompts once; of little use if prompts are short"),
  batchInvariant: z
    .boolean()
    .default(false)
    .describe(
      "on a CPU a conversation gets the same numbers, bit for bit, regardless of its batch: the trained weights then do not depend on the number of actors or on their timing; batches are padded to multiples of 16 rows",
    ),
  precision: z
    .enum(["auto", "float32", "bfloat16"])
    .default("auto")
    .describe(
      "the type in which sampling stores and multiplies matrices; auto: bfloat16 on a CPU if a trial of 100 ms finds it faster for this model and learner.oldLogprobs is not rollout, else float32",
    ),
  cpus: z.number().min(0).default(0.5).describe("CPUs that one actor leases"),
  gpus: z.number().min(0).default(0).describe("GPUs that one actor leases"),
  threads: count.default(1).describe("compute threads of one actor"),
  lanes: count
    .max(64)
    .default(1)
    .describe(
      "parts of a batch that read and sample in parallel on a CPU, each on threads / lanes threads; for batches of 32 and more, in models of more than 8 layers of 16 and more, as many as threads",
    ),
  stepsPerCall: count
    .optional()
    .describe(
      "tokens that one device call samples; absent: 8, with a table of slots 32, and at most 4 on a CPU for models of more than 8 layers",
    ),
});
